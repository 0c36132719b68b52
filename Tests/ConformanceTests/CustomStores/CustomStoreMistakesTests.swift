import Foundation
import SwiftData
import Testing

/// What a store does wrong is told by the store's name, and loses nothing.
@Suite struct CustomStoreMistakesTests {
  let configuration = MistakenConfiguration()
  let container: ModelContainer

  init() throws { container = try ModelContainer(for: StoredNote.self, configurations: configuration) }

  private func save(_ text: String) throws {
    let context = ModelContext(container)
    context.insert(StoredNote(text: text))
    try context.save()
  }

  private func texts() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<StoredNote>()).map(\.text).sorted()
  }

  @Test func `An object that the store gives twice is fetched once`() throws {
    try save("a")
    configuration.box.answer = { $0 + $0 }
    #expect(try texts() == ["a"])
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<StoredNote>()) == 1)
  }

  @Test("An object with the identifier of another store, or of none, is an error", arguments: [true, false])
  func foreignObject(isSaved: Bool) throws {
    try save("a")
    let temporary = StoredNote(text: "b").persistentModelID
    let foreign = try PersistentIdentifier.identifier(for: "former name", entityName: "StoredNote", primaryKey: 1)
    configuration.box.answer = { $0.map { $0.copy(persistentIdentifier: isSaved ? foreign : temporary) } }
    let error = #expect(throws: SwiftDataError.storeFailure) { try texts() }
    let explanation = try #require(error?.explanation)
    #expect(explanation.contains("The store mistaken gave an object of StoredNote"), "\(explanation)")
    #expect(explanation.contains(isSaved ? "that of the store former name" : "before the object's first save"))
    configuration.box.answer = nil
    #expect(try texts() == ["a"])
  }

  @Test func `A configuration that is not valid fails the container with its error`() {
    struct Wrong: Error {}
    let configuration = MistakenConfiguration()
    configuration.box.problem = Wrong()
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: StoredNote.self, configurations: configuration)
    }
    #expect(error?.underlyingError is Wrong && error?.explanation?.contains("The store mistaken ") == true)
  }

  @Test("A new object's identifier of another store or entity is an error", arguments: ["elsewhere", "entity", "none"])
  func foreignIdentifier(mistake: String) throws {
    configuration.box.identify = { store, temporary in
      try PersistentIdentifier.identifier(
        for: mistake == "elsewhere" ? mistake : store, entityName: mistake == "entity" ? "Nothing" : "StoredNote",
        primaryKey: 1)
    }
    if mistake == "none" { configuration.box.identify = { _, temporary in temporary } }
    let context = ModelContext(container)
    let note = StoredNote(text: "a")
    context.insert(note)
    let error = #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(error?.explanation?.contains("The store mistaken saved a new object of StoredNote") == true)
    #expect(context.hasChanges && note.text == "a")
    configuration.box.identify = nil
    try context.save()
    #expect(!context.hasChanges)
  }

  @Test(
    "A store that answers no request at all is named with the request that it must answer",
    arguments: [
      (DataStoreError.preferInMemoryFilter, "no predicate"), (.preferInMemorySort, "no order"),
      (.unsupportedFeature, "does not support"), (.invalidPredicate, "takes no such predicate"),
    ])
  func unanswered(failure: DataStoreError, words: String) throws {
    configuration.box.answer = { _ in throw failure }
    for body in [{ _ = try texts() }, { _ = try ModelContext(container).fetchCount(FetchDescriptor<StoredNote>()) }] {
      let error = #expect(throws: SwiftDataError.self) { try body() }
      let explanation = try #require(error?.explanation)
      #expect(explanation.contains("The store mistaken ") && explanation.contains(words), "\(explanation)")
      #expect(error?.underlyingError as? DataStoreError == failure)
    }
  }
}

/// A store in memory whose answers a test changes.
final class MistakenStore: DataStore {
  typealias Configuration = MistakenConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: MistakenConfiguration
  let identifier = "mistaken-\(UUID().uuidString)"
  let schema: Schema
  private var rows: [PersistentIdentifier: DefaultSnapshot] = [:]

  init(_ configuration: MistakenConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    let found = Array(rows.values)
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: try configuration.box.answer?(found) ?? found)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.inserted {
      let temporary = snapshot.persistentIdentifier
      let permanent =
        try configuration.box.identify?(identifier, temporary)
        ?? PersistentIdentifier.identifier(for: identifier, entityName: temporary.entityName, primaryKey: UUID())
      remapped[temporary] = permanent
      rows[permanent] = snapshot.copy(persistentIdentifier: permanent)
    }
    return DataStoreSaveChangesResult(for: identifier, remappedIdentifiers: remapped)
  }
}

struct MistakenConfiguration: DataStoreConfiguration {
  typealias Store = MistakenStore

  var name = "mistaken"
  var schema: Schema?
  let box = Box()

  func validate() throws { if let problem = box.problem { throw problem } }

  static func == (left: Self, right: Self) -> Bool { left.box === right.box }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(box)) }

  /// The mistakes.
  final class Box {
    var problem: (any Error)?
    var answer: (([DefaultSnapshot]) throws -> [DefaultSnapshot])?
    var identify: ((_ store: String, _ temporary: PersistentIdentifier) throws -> PersistentIdentifier)?
  }
}
