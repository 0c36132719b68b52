import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataStore
@testable import SwiftData

/// Names of properties, joined, are one name.
enum JoinedNames {
  @Model final class Indexed {
    #Index<Indexed>([\.ab], [\.a, \.b], [\.ab], [\.aB])
    var a = 1
    var b = 2
    var ab = 3
    var aB = 4
    init() {}
  }

  @Model final class Unique {
    #Unique<Unique>([\.a_b], [\.a, \.b])
    var a = 1
    var b = 2
    var a_b = 3
    init() {}
  }

  @Model final class Reordered {
    #Unique<Reordered>([\.a_b], [\.b, \.a])
    var a = 1
    var b = 2
    var a_b = 3
    init() {}
  }

  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Unique.self] }
    @Model final class Unique {
      var a = 1
      var b = 2
      var a_b = 3
      init() {}
    }
  }
}

@Suite("Names of indexes") struct IndexNameTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func open(_ type: any PersistentModel.Type) throws -> ModelContext {
    ModelContext(try ModelContainer(for: Schema([type]), configurations: ModelConfiguration(url: place.url)))
  }

  @Test("Declarations whose properties have one joined name give indexes of different names")
  func indexed() throws {
    let context = try open(JoinedNames.Indexed.self)
    context.insert(JoinedNames.Indexed())
    try context.save()
    let indexes = try Schema([JoinedNames.Indexed.self]).lowered().entities[0].fetchIndexes
    #expect(
      indexes.map(\.name) == [
        "SwiftDataIndexOnBinaryab3", "SwiftDataIndexOnBinaryab", "SwiftDataIndexOnBinaryab3",
        "SwiftDataIndexOnBinaryaB2",
      ])
    try Oracle.expectSound(place.url, fresh: true)
  }

  private func refusal(_ type: any PersistentModel.Type) -> String {
    #expect(throws: SwiftDataError.self) { _ = try open(type) }?.errorDescription ?? ""
  }

  @Test("Constraints of one joined name are refused before anything is made, with the properties and the way out")
  func unique() throws {
    let message = refusal(JoinedNames.Unique.self)
    #expect(message.contains("entity “Unique” would twice have the index “Z_Unique_UNIQUE_a_b”"), "\(message)")
    #expect(message.contains("one of “a”, “b” and one of “a_b”"), "\(message)")
    #expect(message.contains("let one name its properties in another order"), "\(message)")
    #expect(!message.contains("small letters"), "\(message)")
    let context = try open(JoinedNames.Reordered.self)
    context.insert(JoinedNames.Reordered())
    try context.save()
  }

  @Test("A migration refuses them as well, and leaves the store as it was")
  func migrated() throws {
    let context = try open(JoinedNames.V1.Unique.self)
    context.insert(JoinedNames.V1.Unique())
    try context.save()
    let message = refusal(JoinedNames.Unique.self)
    #expect(message.contains("let one name its properties in another order"), "\(message)")
    #expect(try open(JoinedNames.V1.Unique.self).fetchCount(FetchDescriptor<JoinedNames.V1.Unique>()) == 1)
  }
}
