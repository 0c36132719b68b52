import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A required enumeration is a column that requires a value, as other required attributes are.
@Suite("Required enumerations in PostgreSQL", TestServer.condition)
struct RequiredEnumerationTests {
  enum Size: String, Codable, CaseIterable { case small, large }
  enum Priority: Int, Codable { case low, high }
  struct Part: Codable { var part: Int? }

  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self, Crate.self] }

    @Model class Parcel {
      var name: String
      var size: Size = Size.small
      var oldSize: Size?
      /// A structure whose only member has the property's name is no enumeration.
      var part: Part = Part()
      init(_ name: String) { self.name = name }
    }

    @Model final class Crate: Parcel {
      var priority: Priority
      init(_ name: String, _ priority: Priority) {
        self.priority = priority
        super.init(name)
      }
    }
  }

  /// The optional enumeration is required, and there is another one.
  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self, Crate.self] }

    @Model class Parcel {
      var name: String
      var size: Size = Size.small
      var oldSize: Size = Size.large
      var part: Part = Part()
      var added: Priority = Priority.high
      init(_ name: String) { self.name = name }
    }

    @Model final class Crate: Parcel {
      var priority: Priority
      init(_ name: String, _ priority: Priority) {
        self.priority = priority
        super.init(name)
      }
    }
  }

  /// The optional enumeration is required, and has no default.
  enum WithoutDefault: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self, Crate.self] }

    @Model class Parcel {
      var name: String
      var size: Size = Size.small
      var oldSize: Size
      var part: Part = Part()
      init(_ name: String, _ oldSize: Size) {
        self.name = name
        self.oldSize = oldSize
      }
    }

    @Model final class Crate: Parcel {
      var priority: Priority
      init(_ name: String, _ priority: Priority) {
        self.priority = priority
        super.init(name, .small)
      }
    }
  }

  /// The enumerations have other names.
  enum Renamed: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [Parcel.self, Crate.self] }

    @Model class Parcel {
      var name: String
      @Attribute(originalName: "size") var extent: Size = Size.large
      @Attribute(originalName: "oldSize") var formerExtent: Size?
      var part: Part = Part()
      init(_ name: String) { self.name = name }
    }

    @Model final class Crate: Parcel {
      @Attribute(originalName: "priority") var rank: Priority
      init(_ name: String, _ rank: Priority) {
        self.rank = rank
        super.init(name)
      }
    }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  private func requiredColumns() throws -> [String] {
    try store.column(
      """
      SELECT attname::text FROM pg_attribute WHERE attrelid = '\(store.schema).parcel'::regclass AND attnotnull
        AND attnum > 0 AND NOT attisdropped AND attname NOT LIKE '\\_%' ORDER BY 1
      """)
  }

  private func refusal(_ sql: String) throws -> PostgreSQLError {
    try #require(throws: PostgreSQLError.self) {
      try store.server.connect().execute(sql.replacing("$", with: "\(store.schema)."))
    }
  }

  @Test("The columns require a value, for the rows of a subclass by a check")
  func definitions() throws {
    let container = try store.open(First.self)
    #expect(try requiredColumns() == ["name", "size"])
    let context = ModelContext(container)
    context.insert(First.Crate("a", .high))
    context.insert(First.Parcel("b"))
    try context.save()
    #expect(try refusal("UPDATE $parcel SET size = NULL").column == "size")
    #expect(try refusal("UPDATE $parcel SET priority = NULL WHERE name = 'a'").constraint == "parcel_priority_check")
    // The recorded model has the same tables.
    let again = ModelContext(try store.open(First.self))
    #expect(try again.fetch(FetchDescriptor<First.Crate>()).map(\.priority) == [.high])
  }

  @Test("A migration fills enumerations that become required, or that are new, with their defaults")
  func migrated() throws {
    do {
      let context = ModelContext(try store.open(First.self))
      for name in ["a", "b", "c"] { context.insert(First.Parcel(name)) }
      context.insert(First.Crate("d", .low))
      for parcel in try context.fetch(FetchDescriptor<First.Parcel>()) where parcel.name == "b" {
        parcel.oldSize = .small
      }
      try context.save()
    }
    let context = ModelContext(try store.open(Second.self))
    let parcels = try context.fetch(FetchDescriptor<Second.Parcel>(sortBy: [SortDescriptor(\.name)]))
    #expect(parcels.map(\.oldSize) == [.large, .small, .large, .large] && parcels.allSatisfy { $0.added == .high })
    #expect(
      try store.column("SELECT old_size FROM \(store.schema).parcel ORDER BY name") == [
        "large", "small", "large", "large",
      ])
    #expect(try requiredColumns() == ["added", "name", "old_size", "size"])
  }

  @Test("Renamed enumerations keep their values, and require them as before")
  func renamed() throws {
    do {
      let context = ModelContext(try store.open(First.self))
      context.insert(First.Crate("a", .high))
      try context.save()
    }
    let crates = try ModelContext(try store.open(Renamed.self)).fetch(FetchDescriptor<Renamed.Crate>())
    #expect(crates.map(\.extent) == [.small] && crates.map(\.rank) == [.high])
    #expect(try requiredColumns() == ["extent", "name"])
    #expect(try refusal("UPDATE $parcel SET rank = NULL").constraint == "parcel_rank_check")
  }

  @Test("A migration refuses an enumeration that becomes required and has no default, if a row lacks it")
  func refused() throws {
    do {
      let context = ModelContext(try store.open(First.self))
      context.insert(First.Parcel("a"))
      try context.save()
    }
    let before = try store.dump()
    let error = try #require(throws: (any Error).self) { try store.open(WithoutDefault.self) }
    #expect("\(error)".contains("“oldSize”") && "\(error)".contains("“Parcel”"), "\(error)")
    #expect(try store.dump() == before)
    try store.server.connect().execute("UPDATE \(store.schema).parcel SET old_size = 'large'")
    let context = ModelContext(try store.open(WithoutDefault.self))
    #expect(try context.fetch(FetchDescriptor<WithoutDefault.Parcel>()).map(\.oldSize) == [.large])
    #expect(try requiredColumns() == ["name", "old_size", "size"])
  }

  @Test("Fetches of a store of an earlier version sort its rows without the value first")
  func earlierStores() throws {
    let context = ModelContext(try store.open(First.self))
    for name in ["a", "b"] { context.insert(First.Parcel(name)) }
    try context.save()
    try store.server.connect().execute(
      """
      ALTER TABLE \(store.schema).parcel ALTER COLUMN size DROP NOT NULL;
      UPDATE \(store.schema).parcel SET size = NULL WHERE name = 'b'
      """)
    let sorted = try ModelContext(try store.open(First.self)).fetch(
      FetchDescriptor<First.Parcel>(sortBy: [SortDescriptor(\.size.rawValue)]))
    #expect(sorted.map(\.name) == ["b", "a"])
  }
}
