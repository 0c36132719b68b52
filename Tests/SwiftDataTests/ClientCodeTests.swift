import Foundation
import TestSupport
import Testing

public import SwiftData

/// A plan whose stages are stored constants, which the Swift 6 language mode allows for Sendable values only.
enum ClientPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [ClientSchema.self] }
  static var stages: [MigrationStage] { [] }
  static let stage = MigrationStage.custom(
    fromVersion: ClientSchema.self, toVersion: ClientSchema.self, willMigrate: nil, didMigrate: nil)
}

enum ClientSchema: VersionedSchema {
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  static var models: [any PersistentModel.Type] { [ClientNote.self, ClientTag.self, ClientPlace.self] }
}

/// A public class without an actor.
@Model nonisolated public final class ClientNote {
  /// A documented text.
  public private(set) var text: String
  package var count = 0
  init(text: String) { self.text = text }

  struct Part {}
  #if os(Linux)
    var onLinux = true
  #endif
}

extension ClientNote {
  convenience init() { self.init(text: "") }
}

@Model final class ClientTag {
  /// Shadows the identifier of the protocol.
  var id = UUID()
  init() {}
}

@Model final class ClientPlace {
  var isDeleted = false
  var hasChanges = true
  init() {}
}

extension SectionedResults where Element == ClientNote, SectionTitle == String {
  fileprivate var texts: [String: [String]] {
    Dictionary(uniqueKeysWithValues: map { ($0.title, $0.map(\.text)) })
  }
}

extension Schema.Unique where T == ClientNote {
  fileprivate static var text: Schema.Unique<T> { Schema.Unique([\.text]) }
}

extension Schema.Index.Types where P == ClientNote {
  fileprivate static var text: Schema.Index<ClientNote>.Types<P> { .binary([\.text]) }
}

/// What the public programs do with models; see `ModelShapeTests` for spellings of classes.
@Suite("Code of clients")
struct ClientCodeTests {
  @Test func `The notifications of a save have arrays of identifiers under both spellings of their keys`() throws {
    let context = ModelContext(
      try ModelContainer(for: ClientNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let note = ClientNote(text: "a")
    context.insert(note)
    let temporary = note.persistentModelID
    nonisolated(unsafe) var seen: [String: [PersistentIdentifier]] = [:]
    nonisolated(unsafe) var before: [PersistentIdentifier] = []
    let observers = [
      NotificationCenter.default.addObserver(forName: ModelContext.willSave, object: context, queue: nil) { notice in
        before = (notice.object as? ModelContext)?.insertedModelsArray.map(\.persistentModelID) ?? []
      },
      NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) { notice in
        for (key, value) in notice.userInfo ?? [:] {
          if let key = key as? String, let value = value as? [PersistentIdentifier] { seen[key] = value }
        }
      },
    ]
    defer { for observer in observers { NotificationCenter.default.removeObserver(observer) } }
    try context.save()
    #expect(before == [temporary] && seen["inserted"] == [note.persistentModelID])
    #expect(seen[ModelContext.NotificationKey.insertedIdentifiers.rawValue] == seen["inserted"])
    note.count = 1
    try context.save()
    #expect(seen["updated"] == [note.persistentModelID])
    context.delete(note)
    let identifier = note.persistentModelID
    try context.save()
    #expect(seen["deleted"] == [identifier])
    #expect(context.registeredModel(for: temporary) as ClientNote? == nil)
  }

  @MainActor @Test func `A loop follows the saves of a context`() async throws {
    let container = try ModelContainer(
      for: ClientNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = container.mainContext
    let saves = NotificationCenter.default.notifications(named: ModelContext.didSave, object: context)
    var iterator = saves.makeAsyncIterator()
    let note = ClientNote(text: "a")
    context.insert(note)
    try context.save()
    let notice = await iterator.next(isolation: MainActor.shared)
    #expect((notice?.object as? ModelContext) === context)
    #expect(notice?.userInfo?["inserted"] as? [PersistentIdentifier] == [note.persistentModelID])
  }

  @Test func `Objects are deleted while they are enumerated`() throws {
    let context = ModelContext(
      try ModelContainer(for: ClientNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for index in 0..<10 { context.insert(ClientNote(text: "\(index)")) }
    try context.save()
    try context.enumerate(FetchDescriptor<ClientNote>(), batchSize: 3) { note in
      if note.text < "5" { context.delete(note) }
    }
    #expect(try context.fetchCount(FetchDescriptor<ClientNote>()) == 5)
  }

  @Test func `A container has three configurations, with schemas made from arrays of types`() throws {
    let store = try TemporaryStore()
    let folder = store.url.deletingLastPathComponent()
    let types: [[any PersistentModel.Type]] = [[ClientNote.self], [ClientTag.self], [ClientPlace.self]]
    let configurations = types.enumerated().map { index, types in
      ModelConfiguration("part\(index)", schema: Schema(types), url: folder.appendingPathComponent("\(index).store"))
    }
    let container = try ModelContainer(
      for: Schema(versionedSchema: ClientSchema.self), migrationPlan: ClientPlan.self,
      configurations: configurations[0], configurations[1], configurations[2])
    let context = ModelContext(container)
    let tag = ClientTag()
    let place = ClientPlace()
    context.insert(ClientNote())
    context.insert(tag)
    context.insert(place)
    try context.save()
    #expect(container.configurations.count == 3)
    #expect(try ModelContext(container).fetch(FetchDescriptor<ClientTag>()).map(\.id) == [tag.id])
    #expect(tag.persistentModelID.storeIdentifier != place.persistentModelID.storeIdentifier)
    #expect(place.hasChanges && !place.isDeleted && context.hasChanges == false)
    _ = ClientPlan.stage
  }

  @Test func `The initializer of a context is a function of a container`() throws {
    let container = try ModelContainer(
      for: ClientNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let make: (ModelContainer) -> ModelContext = ModelContext.init
    let contexts = [container].map(ModelContext.init) + [make(container)]
    contexts[0].insert(ClientNote(text: "a"))
    try contexts[0].save()
    #expect(try contexts[1].fetch(FetchDescriptor<ClientNote>()).map(\.text) == ["a"])
  }

  @Test func `Extensions name the type parameters of the framework's types`() throws {
    let context = ModelContext(
      try ModelContainer(for: ClientNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for text in ["b", "a", "b"] { context.insert(ClientNote(text: text)) }
    try context.save()
    let observer = try ResultsObserver<ClientNote, String>(sectionBy: \.text, modelContext: context)
    #expect(observer.sections?.texts == ["a": ["a"], "b": ["b", "b"]])
    #expect(Schema.Unique<ClientNote>.text.constraints == [[\.text]])
    #expect(Schema.Index<ClientNote>(.text).indices == [.binary([\.text])])
  }

  @Test func `A hundred containers in memory are made in parallel, and know nothing of one another`() async throws {
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for index in 0..<100 {
        group.addTask {
          let context = ModelContext(
            try ModelContainer(for: ClientNote.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
          context.insert(ClientNote(text: "\(index)"))
          try context.save()
          return try ModelContext(context.container).fetchCount(FetchDescriptor<ClientNote>())
        }
      }
      return try await group.reduce(into: [Int]()) { $0.append($1) }
    }
    #expect(counts == [Int](repeating: 1, count: 100))
  }
}
