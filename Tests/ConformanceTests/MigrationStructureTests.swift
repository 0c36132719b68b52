import Foundation
import SwiftData
import Testing

private struct AddressV1: Codable, Hashable {
  var street: String
}

private struct AddressV2: Codable, Hashable {
  var street: String
  var number: Int
  var note: String?
  var seen: Date
}

private enum OfficesV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Office.self] }

  @Model final class Office {
    var name: String
    var address: AddressV1
    var second: AddressV1?
    init(name: String, address: AddressV1, second: AddressV1?) {
      self.name = name
      self.address = address
      self.second = second
    }
  }
}

private enum OfficesV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Office.self] }

  @Model final class Office {
    var name: String
    var address: AddressV2
    var second: AddressV2?
    init(name: String, address: AddressV2, second: AddressV2?) {
      self.name = name
      self.address = address
      self.second = second
    }
  }
}

@Suite("Migration of structures", ChapterPlace.condition, .temporaryFolder) struct MigrationStructureTests {
  @Test("A new mandatory member is zero or empty in old rows; a structure that was nil stays nil")
  func newMembers() throws {
    let url = TemporaryFolder.url.appendingPathComponent("Offices.store")
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: url)]))
    }
    let old = try context(OfficesV1.self)
    old.insert(OfficesV1.Office(name: "a", address: AddressV1(street: "x"), second: nil))
    old.insert(OfficesV1.Office(name: "b", address: AddressV1(street: "y"), second: AddressV1(street: "z")))
    try old.save()

    let new = try context(OfficesV2.self)
    let offices = try new.fetch(FetchDescriptor<OfficesV2.Office>(sortBy: [SortDescriptor(\.name)]))
    func address(_ street: String) -> AddressV2 {
      AddressV2(street: street, number: 0, note: nil, seen: Date(timeIntervalSinceReferenceDate: 0))
    }
    #expect(offices.map(\.address) == [address("x"), address("y")])
    #expect(offices.map(\.second) == [nil, address("z")])
  }

  @Test("Without a plan, a structure keeps members that a greater version number has added")
  func newerMembers() throws {
    let url = TemporaryFolder.url.appendingPathComponent("Offices.store")
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: url)]))
    }
    let address = AddressV2(street: "x", number: 7, note: "n", seen: .distantPast)
    let new = try context(OfficesV2.self)
    new.insert(OfficesV2.Office(name: "a", address: address, second: nil))
    try new.save()
    let error = #expect(throws: SwiftDataError.backwardMigration) { try context(OfficesV1.self) }
    #expect(error?.explanation?.contains("number") == true, "\(error?.explanation ?? "")")
    #expect(try context(OfficesV2.self).fetch(FetchDescriptor<OfficesV2.Office>()).map(\.address) == [address])
  }
}
