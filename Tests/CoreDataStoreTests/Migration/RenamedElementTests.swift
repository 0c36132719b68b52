import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Elements of a composite attribute with renaming identifiers, which an `.xcdatamodel` may have.
@Suite("Renamed elements of composite attributes")
struct RenamedElementTests {
  private static func model(_ elements: [AttributeDescription]) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: "Item",
        properties: [
          .attribute(
            AttributeDescription(
              name: "place", type: .composite, isOptional: true, compositeName: "Place", elements: elements))
        ])
    ])
  }

  private static func element(_ name: String, formerly: String? = nil) -> AttributeDescription {
    AttributeDescription(name: name, type: .integer64, isOptional: true, renamingIdentifier: formerly)
  }

  @Test("Values stay with their elements, and a new element with a former name begins empty")
  func values() throws {
    let point = AttributeDescription(
      name: "point", type: .composite, isOptional: true, compositeName: "Point", elements: [Self.element("x")])
    let spot = AttributeDescription(
      name: "spot", type: .composite, isOptional: true, compositeName: "Point",
      elements: [Self.element("lon", formerly: "x"), Self.element("x")], renamingIdentifier: "point")
    let old = Self.model([Self.element("a"), Self.element("b"), point])
    let new = Self.model([Self.element("a", formerly: "b"), Self.element("b", formerly: "a"), spot])
    let store = try TemporaryStore(name: "Elements.sqlite")
    try PersistentStore.open(at: store.url, model: old).close()
    let connection = try Connection(path: store.url.path, mode: .readWrite)
    try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZA, ZB, ZX) VALUES (1, 1, 1, 1, 2, 3)")
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    connection.close()
    try PersistentStore.migrate(at: store.url, through: [new])
    let result = try Connection(path: store.url.path, mode: .readOnly)
    defer { result.close() }
    let values = ["ZA", "ZB", "ZLON", "ZX"].map { "quote(\($0))" }.joined(separator: " || ' ' || ")
    let row = try result.prepare("SELECT \(values) FROM ZITEM")
    #expect(try row.step() && row.text(0) == "2 1 3 NULL")
  }
}
