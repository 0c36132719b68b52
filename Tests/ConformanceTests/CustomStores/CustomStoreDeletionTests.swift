import Foundation
import SwiftData
import Testing

@Model class StoredRemark {
  var text: String
  var rank: Int
  init(_ text: String, _ rank: Int) {
    self.text = text
    self.rank = rank
  }
}

@Model final class StoredReminder: StoredRemark {}

/// A store over SwiftData's own one, with a record of what it was asked.
final class PassingStore: DataStore, DataStoreBatching {
  typealias Configuration = PassingConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: PassingConfiguration
  let schema: Schema
  private let base: DefaultStore
  var identifier: String { base.identifier }

  init(_ configuration: PassingConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
    base = try DefaultStore(ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    configuration.log.fetches += 1
    return try base.fetch(request)
  }

  func fetchIdentifiers<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> [PersistentIdentifier] {
    let found = try base.fetchIdentifiers(request)
    return try configuration.log.identifiers?(found) ?? found
  }

  func fetchCount<T: PersistentModel>(_ request: DataStoreFetchRequest<T>) throws -> Int {
    try configuration.log.count ?? base.fetchCount(request)
  }

  func cachedSnapshots(
    for persistentIdentifiers: [PersistentIdentifier], editingState: EditingState
  ) throws -> [PersistentIdentifier: DefaultSnapshot] {
    try base.cachedSnapshots(for: persistentIdentifiers, editingState: editingState)
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    configuration.log.deletedBySave += request.deleted.count
    return try base.save(request)
  }

  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    if let failure = configuration.log.failure { throw failure }
    configuration.log.deletions.append("\(T.self) \(request.predicate != nil) \(request.includeSubclasses)")
    configuration.log.author = request.editingState.author
    try base.delete(request)
  }
}

struct PassingConfiguration: DataStoreConfiguration {
  typealias Store = PassingStore

  var name = "passing"
  var schema: Schema?
  let log = Log()

  final class Log {
    var fetches = 0
    var deletions: [String] = []
    var deletedBySave = 0
    var author: String?
    var failure: (any Error)?
    /// Changes the answer to a request for identifiers.
    var identifiers: (([PersistentIdentifier]) throws -> [PersistentIdentifier])?
    /// The answer to a request for a count.
    var count: Int?
  }

  static func == (left: Self, right: Self) -> Bool { left.log === right.log }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(log)) }
}

@Suite("Deleting by a predicate over a custom store that conforms to DataStoreBatching")
struct CustomStoreDeletionTests {
  let configuration = PassingConfiguration()
  let container: ModelContainer
  let context: ModelContext
  var log: PassingConfiguration.Log { configuration.log }

  init() throws {
    let types: [any PersistentModel.Type] = [
      StoredRemark.self, StoredReminder.self, StoredTrip.self, StoredStop.self, StoredHotelStop.self,
      StoredTraveller.self,
    ]
    container = try ModelContainer(for: Schema(types), configurations: [configuration])
    context = ModelContext(container)
    for rank in 1...4 { context.insert(StoredRemark("n\(rank)", rank)) }
    context.insert(StoredReminder("r", 1))
    try context.save()
  }

  private func texts() throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<StoredRemark>()).map(\.text).sorted()
  }

  @Test("The store gets the request at the save, loads nothing, and objects follow in every context")
  func handedOver() throws {
    let other = ModelContext(container)
    let held = try #require(try other.fetch(FetchDescriptor<StoredRemark>()).first { $0.text == "n1" })
    let own = try #require(try context.fetch(FetchDescriptor<StoredRemark>()).first { $0.text == "n2" })
    let kept = try #require(try context.fetch(FetchDescriptor<StoredRemark>()).first { $0.text == "n4" })
    log.fetches = 0
    context.author = "app"
    try context.delete(model: StoredRemark.self, where: #Predicate { $0.rank < 3 })
    #expect(context.hasChanges && log.deletions.isEmpty)
    nonisolated(unsafe) var deleted: [PersistentIdentifier] = []
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.deletedIdentifiers.rawValue
      deleted = note.userInfo?[key] as? [PersistentIdentifier] ?? []
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let (ownID, heldID) = (own.persistentModelID, held.persistentModelID)
    try context.save()
    #expect(log.deletions == ["StoredRemark true true"] && log.author == "app")
    #expect(log.fetches == 0 && log.deletedBySave == 0 && !context.hasChanges)
    #expect(own.modelContext == nil && own.isDeleted && own.text == "n2" && kept.modelContext === context)
    #expect(deleted.count == 3 && deleted.contains(ownID) && deleted.contains(heldID))
    #expect(try other.fetch(FetchDescriptor<StoredRemark>()).count == 2 && held.modelContext == nil)
    #expect(try texts() == ["n3", "n4"])
  }

  @Test("Without subclasses, only objects of the class itself go")
  func withoutSubclasses() throws {
    let reminder = try #require(try context.fetch(FetchDescriptor<StoredReminder>()).first)
    try context.delete(model: StoredRemark.self, includeSubclasses: false)
    try context.save()
    #expect(log.deletions == ["StoredRemark false false"])
    #expect(try texts() == ["r"] && reminder.modelContext === context)
  }

  @Test("A fetch before the save shows the deletion, and a rollback undoes it")
  func expanded() throws {
    try context.delete(model: StoredRemark.self, where: #Predicate { $0.rank < 3 })
    #expect(try context.fetchCount(FetchDescriptor<StoredRemark>()) == 2)
    context.rollback()
    try context.save()
    #expect(try texts().count == 5)
    try context.delete(model: StoredRemark.self)
    context.rollback()
    try context.save()
    #expect(try texts().count == 5 && log.deletions.isEmpty)
  }

  @Test("With any other change, the save deletes the objects in the store's one request")
  func mixed() throws {
    try context.delete(model: StoredRemark.self, where: #Predicate { $0.rank < 3 })
    context.insert(StoredTraveller(name: "Ada"))
    try context.save()
    #expect(log.deletions.isEmpty && log.deletedBySave == 3)
    #expect(try texts() == ["n3", "n4"])
  }

  @Test("Objects with relationships are deleted one by one, with their delete rules")
  func rules() throws {
    let trip = StoredTrip(name: "Alps")
    context.insert(trip)
    trip.stops.append(StoredStop(title: "pass"))
    try context.save()
    try context.delete(model: StoredTrip.self)
    try context.save()
    #expect(log.deletions.isEmpty && log.deletedBySave == 2)
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<StoredStop>()) == 0)
  }

  @Test("A store that cannot make the deletion is given the objects")
  func refused() throws {
    log.failure = DataStoreError.unsupportedFeature
    try context.delete(model: StoredRemark.self, where: #Predicate { $0.rank < 3 })
    try context.save()
    #expect(log.deletedBySave == 3)
    #expect(try texts() == ["n3", "n4"])
  }

  @Test("Identifiers of another store are refused before anything is deleted; those that are given twice count once")
  func identifiers() throws {
    log.identifiers = { $0 + $0 }
    #expect(try context.fetchIdentifiers(FetchDescriptor<StoredRemark>()).count == 5)
    log.identifiers = { _ in
      [try PersistentIdentifier.identifier(for: "former name", entityName: "StoredRemark", primaryKey: 1)]
    }
    try context.delete(model: StoredRemark.self)
    let fresh = ModelContext(container)
    for request in [{ try context.save() }, { _ = try fresh.fetchIdentifiers(FetchDescriptor<StoredRemark>()) }] {
      let error = #expect(throws: SwiftDataError.storeFailure) { try request() }
      #expect(error?.explanation?.contains("that of the store former name") == true)
    }
    #expect(try texts().count == 5 && log.deletions.isEmpty)
    log.identifiers = nil
    try context.save()
    #expect(try texts().isEmpty)
  }

  @Test("A negative count is no answer: the objects are counted")
  func negativeCount() throws {
    log.count = -1
    #expect(try context.fetchCount(FetchDescriptor<StoredRemark>()) == 5)
  }

  @Test("An error of the store leaves the deletion unsaved")
  func failed() throws {
    struct Refusal: Error {}
    log.failure = Refusal()
    try context.delete(model: StoredRemark.self)
    #expect(throws: Refusal.self) { try context.save() }
    #expect(context.hasChanges && log.deletedBySave == 0)
    log.failure = nil
    try context.save()
    #expect(try texts().isEmpty && log.deletions.count == 1)
  }
}
