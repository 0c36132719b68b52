import Foundation
import SwiftData
import TestSupport
import Testing

private enum Before: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Lamp.self] }

  struct Price: Codable, Hashable {
    var net: Int
    var gross: Int
  }

  struct Size: Codable, Hashable { var width: Int }

  struct Note: Codable, Hashable {
    var text: String?
    var mark: String?
  }

  @Model final class Lamp {
    @Attribute(.preserveValueOnDeletion) var price: Price
    @Attribute(.preserveValueOnDeletion) var size: Size
    @Attribute(.preserveValueOnDeletion) var note: Note
    init() { (price, size, note) = (Price(net: 3, gross: 4), Size(width: 5), Note()) }
  }
}

private enum After: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Lamp.self] }

  struct Price: Codable, Hashable { var net: Int }

  struct Size: Codable, Hashable {
    var width: Int
    var height: Int?
  }

  struct Note: Codable, Hashable {
    var text: String?
    var mark: String?
    var origin: String?
  }

  @Model final class Lamp {
    @Attribute(.preserveValueOnDeletion) var price: Price
    @Attribute(.preserveValueOnDeletion) var size: Size
    @Attribute(.preserveValueOnDeletion) var note: Note
    init() { (price, size, note) = (Price(net: 0), Size(width: 0), Note()) }
  }
}

private enum Plan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
  static var stages: [MigrationStage] { [.lightweight(fromVersion: Before.self, toVersion: After.self)] }
}

/// The attributes get other types.
private enum Counted {
  struct Size: Codable, Hashable {
    var width: Int
    var height: Int?
  }

  @Model final class Lamp {
    @Attribute(.preserveValueOnDeletion) var number: Int
    @Attribute(.preserveValueOnDeletion) var power: Double
    @Attribute(.preserveValueOnDeletion) var price: Double
    @Attribute(.preserveValueOnDeletion) var size: Size
    @Attribute(.preserveValueOnDeletion) var isOn: Bool
    init(power: Double) { (number, self.power, price, size, isOn) = (7, power, 2.5, Size(width: 5), true) }
  }
}

private enum Spelled {
  struct Size: Codable, Hashable {
    var width: Double
    var height: Double?
  }

  @Model final class Lamp {
    @Attribute(.preserveValueOnDeletion) var number: String
    @Attribute(.preserveValueOnDeletion) var power: Float
    @Attribute(.preserveValueOnDeletion) var price: Decimal
    @Attribute(.preserveValueOnDeletion) var size: Size
    @Attribute(.preserveValueOnDeletion) var isOn: Int
    init() { (number, power, price, size, isOn) = ("", 0, 0, Size(width: 0), 0) }
  }
}

@Suite("What history keeps of structures, after a migration", ChapterPlace.condition)
struct MigratedTombstoneTests {
  @Test("Members that stay keep their values when others come and go, also from one member to several")
  func members() throws {
    let store = try TemporaryStore(name: "Lamps.store")
    do {
      let container = try ModelContainer(
        for: Schema(versionedSchema: Before.self), configurations: [ModelConfiguration(url: store.url)])
      let context = ModelContext(container)
      let lamp = Before.Lamp()
      context.insert(lamp)
      try context.save()
      #expect(lamp.note == Before.Note())
      context.delete(lamp)
      try context.save()
      let deletion = try #require(try deletions(of: Before.Lamp.self, context).first)
      #expect(deletion.tombstone[\.note] as? Before.Note == Before.Note())
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: After.self), migrationPlan: Plan.self,
      configurations: [ModelConfiguration(url: store.url)])
    let deletion = try #require(try deletions(of: After.Lamp.self, ModelContext(container)).first)
    #expect(deletion.tombstone[\.price] as? After.Price == After.Price(net: 3))
    #expect(deletion.tombstone[\.size] as? After.Size == After.Size(width: 5))
    #expect(deletion.tombstone[\.note] as? After.Note == After.Note())
  }

  @Test("Values get the attributes' new types, as those of rows do; one that does not fit is missing")
  func types() throws {
    let store = try TemporaryStore(name: "Lamps.store")
    let configuration = ModelConfiguration(url: store.url)
    do {
      let context = ModelContext(try ModelContainer(for: Counted.Lamp.self, configurations: configuration))
      for power in [0.1, 1e300] {
        let lamp = Counted.Lamp(power: power)
        context.insert(lamp)
        try context.save()
        context.delete(lamp)
        try context.save()
      }
    }
    let context = ModelContext(try ModelContainer(for: Spelled.Lamp.self, configurations: configuration))
    let tombstones = try deletions(of: Spelled.Lamp.self, context).map(\.tombstone)
    #expect(tombstones.map { $0[\.number] as? String } == ["7", "7"])
    #expect(tombstones.map { $0[\.power] as? Float } == [0.1, nil])
    #expect(tombstones.map { $0[\.price] as? Decimal } == [2.5, 2.5])
    #expect(tombstones.map { $0[\.size] as? Spelled.Size } == [Spelled.Size(width: 5), Spelled.Size(width: 5)])
    #expect(tombstones.map { $0[\.isOn] as? Int } == [1, 1])
  }

  private func deletions<Model: PersistentModel>(
    of type: Model.Type, _ context: ModelContext
  ) throws -> [DefaultHistoryDelete<Model>] {
    try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap {
      if case .delete(let deletion) = $0 { deletion as? DefaultHistoryDelete<Model> } else { nil }
    }
  }
}
