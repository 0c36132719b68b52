import Foundation
import Testing

@testable import SwiftData

@Suite struct SchemaIdentifierTests {
  private let store = "6F1B1A0C-0000-4000-8000-00000000ABCD"

  @Test func `CD-10 An identifier is coded with Apple's keys`() throws {
    let identifier = PersistentIdentifier(EntityReference(storeIdentifier: store, name: "Item"), key: 1)
    let coded = try JSONSerialization.jsonObject(with: JSONEncoder().encode(identifier)) as? [String: [String: Any]]
    let implementation = try #require(coded?["implementation"])
    #expect(
      Set(implementation.keys) == [
        "entityName", "isTemporary", "primaryKey", "storeIdentifier", "uriRepresentation",
      ])
    #expect(implementation["primaryKey"] as? String == "p1")
    #expect(implementation["uriRepresentation"] as? String == "x-coredata://\(store)/Item/p1")
    #expect(implementation["isTemporary"] as? Bool == false)
  }

  @Test func `An identifier prints its URI, and leaves a description to programs`() {
    let identifier = PersistentIdentifier(EntityReference(storeIdentifier: store, name: "Item"), key: 1)
    #expect("\(identifier)" == "x-coredata://\(store)/Item/p1")
    #expect("\(identifier.id)" == "x-coredata://\(store)/Item/p1")
    #expect(!((identifier as Any) is any CustomStringConvertible))
  }

  @Test func `A decoded identifier equals the fetched one`() throws {
    let fetched = PersistentIdentifier(EntityReference(storeIdentifier: store, name: "Item"), key: 41)
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(fetched))
    #expect(decoded == fetched && decoded.hashValue == fetched.hashValue && decoded.id == fetched.id)
    #expect(Set([decoded, fetched]).count == 1)
  }

  @Test func `A temporary identifier is distinct, and survives coding`() throws {
    let author = MacroAuthor(name: "A")
    let identifier = author.persistentModelID
    #expect(identifier == author.persistentModelID && identifier.storeIdentifier == nil)
    #expect(identifier.uriRepresentation.hasPrefix("x-coredata:///MacroAuthor/t"))
    let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(identifier))
    #expect(decoded == identifier && decoded.entityName == "MacroAuthor")
  }

  @Test func `Keys of other forms stay unchanged`() throws {
    for key in ["p0", "p007", "7", "pp", "p-1", "🗝️"] {
      let made = try PersistentIdentifier.identifier(for: store, entityName: "Item", primaryKey: key)
      let decoded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(made))
      #expect(decoded == made && decoded.primaryKey == key)
    }
  }
}
