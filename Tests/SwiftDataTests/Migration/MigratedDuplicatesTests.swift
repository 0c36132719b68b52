import Foundation
import SwiftData
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

@Suite("Migrations to classes with unique values, of objects that have them in common") struct MigratedDuplicatesTests {
  private typealias V1 = MigratedDuplicates.V1
  private typealias V2 = MigratedDuplicates.V2
  private typealias V3 = MigratedDuplicates.V3

  /// Tags “sea” with 1 and 3 uses, and “sky”; each note has two of them.
  private func store() throws -> TemporaryStore {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: V1.self), configurations: [ModelConfiguration(url: store.url)]))
    let tags = [("sea", 1), ("sky", 2), ("sea", 3)].map { V1.Tag(name: $0.0, uses: $0.1) }
    for tag in tags {
      context.insert(tag)
      try context.save()
    }
    context.insert(V1.Note(text: "both", tags: [tags[0], tags[2]]))
    context.insert(V1.Note(text: "second", tags: [tags[1], tags[2]]))
    try context.save()
    return store
  }

  private func container(
    _ version: any VersionedSchema.Type, _ store: TemporaryStore, _ policy: UniquenessPolicy,
    plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContainer {
    var configuration = ModelConfiguration(url: store.url)
    configuration.migration.uniquenessPolicy = policy
    return try ModelContainer(
      for: Schema(versionedSchema: version), migrationPlan: plan, configurations: [configuration])
  }

  @Test("By default the container says which values of which class are not unique, and the store stays as it was")
  func fails() throws {
    let store = try store()
    #expect(MigrationOptions().uniquenessPolicy == .fail)
    let before = try Data(contentsOf: store.url)
    let error = #expect(throws: SwiftDataError.self) { try container(V2.self, store, .fail) }
    for part in ["“Tag”", "“name”", "1 row has", "“sea”", "uniquenessPolicy"] {
      #expect(error?.explanation?.contains(part) == true, "\(part): \(String(describing: error?.explanation))")
    }
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test("Without a plan one object stays, with all objects that led to the others", arguments: [true, false])
  func inferred(isOldest: Bool) throws {
    let store = try store()
    let context = ModelContext(try container(V2.self, store, isOldest ? .keepExisting : .upsert))
    let tags = try context.fetch(FetchDescriptor<V2.Tag>(sortBy: [SortDescriptor(\.name)]))
    #expect(tags.map(\.name) == ["sea", "sky"] && tags.map(\.uses) == [isOldest ? 1 : 3, 2])
    #expect(tags.map { $0.notes.map(\.text).sorted() } == [["both", "second"], ["second"]])
    let history = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    let deleted = history.flatMap(\.changes).filter { if case .delete = $0 { true } else { false } }
    #expect(deleted.count == 1)
    #expect(try StoreChecker.check(store.url) == [])
    // The store keeps the values unique from now on.
    context.insert(V2.Tag(name: "sea", uses: 9))
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<V2.Tag>()) == 2)
  }

  @Test(
    "A light stage before a stage with code leaves one object, and so does a plan of light stages",
    arguments: [true, false])
  func staged(hasCode: Bool) throws {
    let store = try store()
    if hasCode {
      let context = ModelContext(try container(V3.self, store, .keepExisting, plan: MigratedDuplicates.self))
      let tags = try context.fetch(FetchDescriptor<V3.Tag>(sortBy: [SortDescriptor(\.name)]))
      #expect(tags.map(\.uses) == [2, 1] && tags.map(\.colour) == ["grey", "grey"])
    } else {
      enum Light: SchemaMigrationPlan {
        static var schemas: [any VersionedSchema.Type] {
          [MigratedDuplicates.V1.self, MigratedDuplicates.V2.self]
        }
        static var stages: [MigrationStage] {
          [.lightweight(fromVersion: MigratedDuplicates.V1.self, toVersion: MigratedDuplicates.V2.self)]
        }
      }
      #expect(throws: SwiftDataError.self) { try container(V2.self, store, .fail, plan: Light.self) }
      let context = ModelContext(try container(V2.self, store, .upsert, plan: Light.self))
      #expect(try context.fetch(FetchDescriptor<V2.Tag>(sortBy: [SortDescriptor(\.name)])).map(\.uses) == [3, 2])
    }
    try Oracle.expectSound(store.url)
  }

  @Test("No object comes to lead to itself, unless it did before", arguments: [UniquenessPolicy.upsert, .keepExisting])
  func linksToMerged(policy: UniquenessPolicy) throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: MigratedTree.V1.self), configurations: [ModelConfiguration(url: store.url)]))
      // “a” leads to its own duplicate in both directions, and “own” leads to itself.
      let nodes = ["a", "a", "b", "own"].map { MigratedTree.V1.Node($0) }
      for node in nodes {
        context.insert(node)
        try context.save()
      }
      nodes[0].parent = nodes[1]
      nodes[1].parent = nodes[0]
      nodes[2].parent = policy == .upsert ? nodes[0] : nodes[1]
      nodes[0].friends = [nodes[1], nodes[2]]
      nodes[1].friends = [nodes[0]]
      nodes[3].parent = nodes[3]
      try context.save()
    }
    let context = ModelContext(try container(MigratedTree.V2.self, store, policy))
    let nodes = try context.fetch(FetchDescriptor<MigratedTree.V2.Node>(sortBy: [SortDescriptor(\.name)]))
    #expect(nodes.map(\.name) == ["a", "b", "own"])
    #expect(nodes.map { $0.parent?.name } == [nil, "a", "own"])
    #expect(nodes.map { $0.friends.map(\.name) } == [["b"], [], []])
    #expect(try StoreChecker.check(store.url) == [])
    try Oracle.expectSound(store.url)
  }
}
