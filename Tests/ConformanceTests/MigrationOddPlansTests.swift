import Foundation
import SwiftData
import TestSupport
import Testing

private enum ShelfV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Lamp.self] }

  @Model final class Book {
    var title: String
    init(_ title: String) { self.title = title }
  }

  @Model final class Lamp {
    var watts: Int
    init(_ watts: Int) { self.watts = watts }
  }
}

private enum ShelfV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Book.self, Lamp.self] }

  @Model final class Book {
    var title: String
    var pages: Int = 100
    init(_ title: String) { self.title = title }
  }

  @Model final class Lamp {
    var watts: Int
    init(_ watts: Int) { self.watts = watts }
  }
}

/// The second version, whose class got a property since.
private enum ShelfLater {
  @Model final class Book {
    var title: String
    var pages: Int = 100
    var shelf: Int = 7
    init(_ title: String) { self.title = title }
  }
}

private enum ShelfLatest {
  @Model final class Book {
    var title: String
    var pages: Int = 100
    var shelf: Int = 7
    var colour: String = "red"
    init(_ title: String) { self.title = title }
  }
}

/// A version that nothing tells from the second one.
private enum ShelfAgain: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { ShelfV2.models }
}

private let toV2 = MigrationStage.lightweight(fromVersion: ShelfV1.self, toVersion: ShelfV2.self)

private enum ShelfPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self] }
  static var stages: [MigrationStage] { [toV2] }
}

@Suite("Migration by plans that do not match their container or their stages", ChapterPlace.condition)
struct MigrationOddPlansTests {
  private let store: TemporaryStore

  init() throws {
    store = try TemporaryStore(name: "Shelf.store")
    let context = try open(Schema(versionedSchema: ShelfV1.self), nil)
    context.insert(ShelfV1.Book("Emma"))
    context.insert(ShelfV1.Lamp(40))
    try context.save()
  }

  private func open(
    _ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?, in other: TemporaryStore? = nil
  ) throws -> ModelContext {
    let configuration = ModelConfiguration(url: (other ?? store).url)
    return ModelContext(try ModelContainer(for: schema, migrationPlan: plan, configurations: [configuration]))
  }

  private func expectLamp() throws {
    let whole = try open(Schema(versionedSchema: ShelfV2.self), nil)
    #expect(try whole.fetch(FetchDescriptor<ShelfV2.Lamp>()).map(\.watts) == [40])
    #expect(try whole.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [100])
  }

  @Test func `A container of some of the last version's classes brings the store there, and rows of the others stay`()
    throws
  {
    for _ in 0..<2 {
      let context = try open(Schema([ShelfV2.Book.self]), ShelfPlan.self)
      #expect(try context.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [100])
    }
    try expectLamp()
  }

  @Test func `Classes that differ from the last version's are inferred from there, and rows of the others stay`() throws
  {
    let context = try open(Schema([ShelfLater.Book.self]), ShelfPlan.self)
    #expect(try context.fetch(FetchDescriptor<ShelfLater.Book>()).map(\.shelf) == [7])
    try expectLamp()
  }

  @Test func `A store that a container of some classes has made takes the stages of its version, too`() throws {
    let other = try TemporaryStore(name: "Shelf.store")
    let old = try open(Schema([ShelfV1.Book.self]), nil, in: other)
    old.insert(ShelfV1.Book("Emma"))
    try old.save()
    enum Custom: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { ShelfPlan.schemas }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: ShelfV1.self, toVersion: ShelfV2.self,
            willMigrate: { context in
              for book in try context.fetch(FetchDescriptor<ShelfV1.Book>()) {
                context.insert(ShelfV1.Lamp(book.title.count * 15))
              }
            }, didMigrate: nil)
        ]
      }
    }
    for _ in 0..<2 {
      let new = try open(Schema(versionedSchema: ShelfV2.self), Custom.self, in: other)
      #expect(try new.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [100])
      #expect(try new.fetch(FetchDescriptor<ShelfV2.Lamp>()).map(\.watts) == [60])
    }
  }

  @Test func `A store of classes that several versions have alike is of the last of them`() throws {
    let other = try TemporaryStore(name: "Shelf.store")
    let old = try open(Schema([ShelfV1.Lamp.self]), nil, in: other)
    old.insert(ShelfV1.Lamp(40))
    try old.save()
    let new = try open(Schema(versionedSchema: ShelfV2.self), ShelfPlan.self, in: other)
    #expect(try new.fetch(FetchDescriptor<ShelfV2.Lamp>()).map(\.watts) == [40])
    new.insert(ShelfV2.Book("Emma"))
    try new.save()
  }

  @Test func `A store that kept the rows of a removed class has the version of its other classes`() throws {
    let lampless = try open(Schema([ShelfLater.Book.self]), nil)
    #expect(try lampless.fetch(FetchDescriptor<ShelfLater.Book>()).map(\.shelf) == [7])
    enum Lampless: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [Later.self, Latest.self] }
      static var stages: [MigrationStage] { [.lightweight(fromVersion: Later.self, toVersion: Latest.self)] }
      enum Later: VersionedSchema {
        static let versionIdentifier = Schema.Version(3, 0, 0)
        static var models: [any PersistentModel.Type] { [ShelfLater.Book.self] }
      }
      enum Latest: VersionedSchema {
        static let versionIdentifier = Schema.Version(4, 0, 0)
        static var models: [any PersistentModel.Type] { [ShelfLatest.Book.self] }
      }
    }
    for _ in 0..<2 {
      let new = try open(Schema(versionedSchema: Lampless.Latest.self), Lampless.self)
      #expect(try new.fetch(FetchDescriptor<ShelfLatest.Book>()).map(\.colour) == ["red"])
    }
    let lamps = try open(Schema([ShelfV1.Lamp.self]), nil)
    #expect(try lamps.fetch(FetchDescriptor<ShelfV1.Lamp>()).map(\.watts) == [40])
  }

  @Test func `A container of an earlier version takes the plan of a version without its classes`() throws {
    enum Lampless: VersionedSchema {
      static let versionIdentifier = Schema.Version(3, 0, 0)
      static var models: [any PersistentModel.Type] { [ShelfLater.Book.self] }
    }
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self, Lampless.self] }
      static var stages: [MigrationStage] {
        [toV2, .lightweight(fromVersion: ShelfV2.self, toVersion: Lampless.self)]
      }
    }
    let second = try open(Schema(versionedSchema: ShelfV2.self), Plan.self)
    #expect(try second.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [100])
    try expectLamp()
    _ = try open(Schema(versionedSchema: Lampless.self), Plan.self)
    #expect(throws: SwiftDataError.backwardMigration) { try open(Schema(versionedSchema: ShelfV2.self), Plan.self) }
    // A class of no version.
    let error = #expect(throws: SwiftDataError.unknownSchema) {
      try open(Schema([ShelfLater.Book.self, TripsV1.Place.self]), Plan.self)
    }
    #expect(error?.explanation?.contains("Place") == true)
  }

  @Test func `A version that stands twice in a plan is one version`() throws {
    enum Twice: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self, ShelfV1.self, ShelfV2.self] }
      static var stages: [MigrationStage] { [toV2] }
    }
    _ = try open(Schema(versionedSchema: ShelfV2.self), Twice.self)
    try expectLamp()
  }

  @Test func `Versions of one identifier that are alike in one of two stores may have code between them`() throws {
    enum Unnumbered: VersionedSchema {
      static let versionIdentifier = ShelfV1.versionIdentifier
      static var models: [any PersistentModel.Type] { ShelfV2.models }
    }
    enum Plan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, Unnumbered.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: ShelfV1.self, toVersion: Unnumbered.self, willMigrate: nil,
            didMigrate: { for book in try $0.fetch(FetchDescriptor<ShelfV2.Book>()) { book.pages = 300 } })
        ]
      }
    }
    var places = try (TemporaryStore(name: "Lamps.store"), TemporaryStore(name: "Books.store"))
    func open(
      _ version: any VersionedSchema.Type, _ lamp: any PersistentModel.Type, _ book: any PersistentModel.Type
    ) throws -> ModelContext {
      let configurations = [
        ModelConfiguration("lamps", schema: Schema([lamp]), url: places.0.url),
        ModelConfiguration("books", schema: Schema([book]), url: places.1.url),
      ]
      return ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: version == ShelfV1.self ? nil : Plan.self,
          configurations: configurations))
    }
    let old = try open(ShelfV1.self, ShelfV1.Lamp.self, ShelfV1.Book.self)
    old.insert(ShelfV1.Lamp(40))
    old.insert(ShelfV1.Book("Emma"))
    try old.save()
    for _ in 0..<2 {
      let new = try open(Unnumbered.self, ShelfV2.Lamp.self, ShelfV2.Book.self)
      #expect(try new.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [300])
      #expect(try new.fetch(FetchDescriptor<ShelfV2.Lamp>()).map(\.watts) == [40])
    }
    // New stores, too.
    places = try (TemporaryStore(name: "Lamps.store"), TemporaryStore(name: "Books.store"))
    _ = try open(Unnumbered.self, ShelfV2.Lamp.self, ShelfV2.Book.self)
  }

  private static func numberPages(_ context: ModelContext) throws {
    for book in try context.fetch(FetchDescriptor<ShelfV2.Book>()) { book.pages = 300 }
  }

  private func complaint(_ plan: any SchemaMigrationPlan.Type, _ version: any VersionedSchema.Type) -> String {
    let error = #expect(throws: SwiftDataError.self) { try open(Schema(versionedSchema: version), plan) }
    return error?.explanation ?? ""
  }

  @Test func `A version that only stages name is a version of the plan`() throws {
    enum Unlisted: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: ShelfV1.self, toVersion: ShelfV2.self, willMigrate: nil,
            didMigrate: MigrationOddPlansTests.numberPages)
        ]
      }
    }
    enum OnlyLast: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV2.self] }
      static var stages: [MigrationStage] { Unlisted.stages }
    }
    for plan in [Unlisted.self, OnlyLast.self] as [any SchemaMigrationPlan.Type] {
      let place = try TemporaryStore(name: "Shelf.store")
      func open(_ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContext {
        ModelContext(
          try ModelContainer(
            for: Schema(versionedSchema: version), migrationPlan: plan,
            configurations: [ModelConfiguration(url: place.url)]))
      }
      let old = try open(ShelfV1.self, plan)
      old.insert(ShelfV1.Book("Emma"))
      try old.save()
      let new = try open(ShelfV2.self, plan)
      #expect(try new.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [300])
    }
  }

  @Test func `Without stages the changes from an older version are inferred`() throws {
    enum Listing: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self] }
      static var stages: [MigrationStage] { [] }
    }
    let context = try open(Schema(versionedSchema: ShelfV2.self), Listing.self)
    #expect(try context.fetch(FetchDescriptor<ShelfV2.Book>()).map(\.pages) == [100])
    #expect(try context.fetch(FetchDescriptor<ShelfV2.Lamp>()).map(\.watts) == [40])
    let error = #expect(throws: SwiftDataError.self) { try open(Schema(versionedSchema: ShelfV1.self), Listing.self) }
    #expect(error == .backwardMigration)
  }

  @Test func `A class of the other version in a stage's code is told from a class that is missing`() throws {
    enum Mistaken: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self] }
      static var stages: [MigrationStage] {
        [
          .custom(
            fromVersion: ShelfV1.self, toVersion: ShelfV2.self, willMigrate: nil,
            didMigrate: { _ = try $0.fetch(FetchDescriptor<ShelfV1.Book>()) })
        ]
      }
    }
    let text = complaint(Mistaken.self, ShelfV2.self)
    #expect(text.contains("didMigrate and a new context the new one's") && !text.contains("Give it to ModelContainer"))
  }

  @Test func `Code between versions that no store tells apart is refused, since it would never run`() throws {
    enum Alike: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShelfV1.self, ShelfV2.self, ShelfAgain.self] }
      static var stages: [MigrationStage] {
        [
          toV2,
          .custom(
            fromVersion: ShelfV2.self, toVersion: ShelfAgain.self, willMigrate: nil,
            didMigrate: { $0.insert(ShelfV2.Lamp(60)) }),
        ]
      }
    }
    let text = complaint(Alike.self, ShelfAgain.self)
    #expect(text.contains("from ShelfV2 to ShelfAgain would never run"), "\(text)")
  }
}
