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

  @Test("A new object that gets the identifier of an object deleted in the same save is saved, now and later")
  func reusedIdentifier() throws {
    try save("a")
    let context = ModelContext(container)
    let other = ModelContext(container)
    let held = try #require(try other.fetch(FetchDescriptor<StoredNote>()).first)
    let old = try #require(try context.fetch(FetchDescriptor<StoredNote>()).first)
    let identifier = old.persistentModelID
    configuration.box.identify = { _, _ in identifier }
    context.delete(old)
    let new = StoredNote(text: "b")
    context.insert(new)
    try context.save()
    #expect(new.modelContext === context && new.persistentModelID == identifier && new.text == "b")
    #expect(old.modelContext == nil && old.text == "a")
    #expect(try other.fetch(FetchDescriptor<StoredNote>()).map(\.text) == ["b"] && held.text == "a")
    new.text = "c"
    try context.save()
    #expect(try texts() == ["c"] && context.fetch(FetchDescriptor<StoredNote>()).map(\.text) == ["c"])
  }

  @Test func `A snapshot under the identifier of another object is not taken for that object`() throws {
    for text in ["a", "b"] { try save(text) }
    let context = ModelContext(container)
    let notes = try context.fetch(FetchDescriptor<StoredNote>())
    configuration.box.cached = { rows in
      let swapped = rows.map(\.persistentIdentifier).reversed()
      return Dictionary(uniqueKeysWithValues: zip(swapped, rows))
    }
    for note in notes {
      let same = ModelContext(container).model(for: note.persistentModelID) as? StoredNote
      #expect(same?.text == note.text)
      note.text += "2"
    }
    try context.save()
    #expect(try texts() == ["a2", "b2"] && notes.map(\.text).sorted() == ["a2", "b2"])
  }

  @Test func `A member that a snapshot names twice is one member`() throws {
    let configuration = MistakenConfiguration()
    let container = try ModelContainer(for: Schema(CustomStoreKind.types), configurations: [configuration])
    let context = ModelContext(container)
    let trip = StoredTrip(name: "Alps")
    context.insert(trip)
    try context.save()
    trip.travellers = [StoredTraveller(name: "Ada"), StoredTraveller(name: "Bob")]
    try context.save()
    configuration.box.answer = { rows in
      try rows.map { row in
        var object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(row)) as? [String: Any] ?? [:]
        if let members = object["travellers"] as? [Any] { object["travellers"] = members + members }
        return try JSONDecoder().decode(DefaultSnapshot.self, from: JSONSerialization.data(withJSONObject: object))
      }
    }
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(read.travellers.map(\.name).sorted() == ["Ada", "Bob"])
  }

  @Test(
    "A program gets the error of its own store",
    arguments: [
      DataStoreError.preferInMemoryFilter, .preferInMemorySort, .unsupportedFeature, .invalidPredicate,
    ])
  func unanswered(failure: DataStoreError) throws {
    configuration.box.answer = { _ in throw failure }
    #expect(throws: failure) { try texts() }
    #expect(throws: failure) { try ModelContext(container).fetchCount(FetchDescriptor<StoredNote>()) }
    #expect(throws: failure) { try ModelContext(container).fetchIdentifiers(FetchDescriptor<StoredNote>()) }
    #expect(throws: failure) { try ModelContext(container).enumerate(FetchDescriptor<StoredNote>()) { _ in } }
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

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] { configuration.box.cached?(Array(rows.values)) ?? [:] }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
    for snapshot in request.inserted {
      let temporary = snapshot.persistentIdentifier
      let permanent =
        try configuration.box.identify?(identifier, temporary)
        ?? PersistentIdentifier.identifier(for: identifier, entityName: temporary.entityName, primaryKey: UUID())
      remapped[temporary] = permanent
      rows[permanent] = snapshot.copy(persistentIdentifier: permanent)
    }
    for snapshot in request.updated {
      rows[snapshot.persistentIdentifier] = snapshot.copy(
        persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: remapped)
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
    var cached: (([DefaultSnapshot]) -> [PersistentIdentifier: DefaultSnapshot])?
    var identify: ((_ store: String, _ temporary: PersistentIdentifier) throws -> PersistentIdentifier)?
  }
}
