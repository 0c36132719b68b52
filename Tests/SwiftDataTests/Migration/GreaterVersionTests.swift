import Foundation
import SwiftData
import TestSupport
import Testing

/// A file does not say which models it had before. A database does, and refuses classes of an earlier version without a plan.
@Suite struct GreaterVersionTests {
  enum Plain: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Place.self] }

    @Model final class Place {
      var name: String
      init(_ name: String) { self.name = name }
    }
  }

  enum Derived: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Place.self] }

    @Model final class Place {
      var name: String
      @Attribute(.derived("uppercase:(name)")) var upper: String?
      init(_ name: String) { self.name = name }
    }
  }

  @Test("Without a plan, a store with a greater version number is migrated if only a derived attribute would go")
  func derivedAttribute() throws {
    let store = try TemporaryStore(name: "Places.store")
    func context(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Schema(versionedSchema: version), configurations: [ModelConfiguration(url: store.url)]))
    }
    let first = try context(Derived.self)
    first.insert(Derived.Place("Chur"))
    try first.save()
    #expect(try context(Plain.self).fetch(FetchDescriptor<Plain.Place>()).map(\.name) == ["Chur"])
    #expect(try context(Derived.self).fetch(FetchDescriptor<Derived.Place>()).map(\.upper) == ["CHUR"])
  }
}
