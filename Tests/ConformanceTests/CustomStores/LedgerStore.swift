import Foundation
import SwiftData

/// A store in memory that keeps a history of its own form. Stores of one configuration share their content.
final class LedgerStore: DataStore, HistoryProviding {
  typealias Configuration = LedgerConfiguration
  typealias Snapshot = DefaultSnapshot

  let configuration: LedgerConfiguration
  var identifier: String { configuration.ledger.identifier }
  let schema: Schema
  private var rows: [PersistentIdentifier: DefaultSnapshot] {
    get { configuration.ledger.rows }
    set { configuration.ledger.rows = newValue }
  }
  private var entries: [LedgerEntry] {
    get { configuration.ledger.entries }
    set { configuration.ledger.entries = newValue }
  }

  init(_ configuration: LedgerConfiguration, migrationPlan: (any SchemaMigrationPlan.Type)?) throws {
    self.configuration = configuration
    schema = configuration.schema ?? Schema()
  }

  func fetch<T: PersistentModel>(
    _ request: DataStoreFetchRequest<T>
  ) throws -> DataStoreFetchResult<T, DefaultSnapshot> {
    if request.descriptor.predicate != nil { throw DataStoreError.preferInMemoryFilter }
    if !request.descriptor.sortBy.isEmpty { throw DataStoreError.preferInMemorySort }
    return DataStoreFetchResult(
      descriptor: request.descriptor, fetchedSnapshots: rows.sorted { $0.key < $1.key }.map(\.value))
  }

  func save(
    _ request: DataStoreSaveChangesRequest<DefaultSnapshot>
  ) throws -> DataStoreSaveChangesResult<DefaultSnapshot> {
    var changes: [HistoryChange] = []
    var remapped: [PersistentIdentifier: PersistentIdentifier] = [:]
    func change(_ identifier: PersistentIdentifier) -> LedgerChange {
      LedgerChange(
        changeIdentifier: "\(entries.count + 1).\(changes.count + 1)", transactionIdentifier: entries.count + 1,
        changedPersistentIdentifier: identifier, tombstone: HistoryTombstone([\.title: "gone"]))
    }
    for snapshot in request.deleted { rows[snapshot.persistentIdentifier] = nil }
    for snapshot in request.inserted {
      let permanent =
        try configuration.ledger.reused
        ?? PersistentIdentifier.identifier(
          for: identifier, entityName: snapshot.persistentIdentifier.entityName,
          primaryKey: "\(entries.count + 1)-\(remapped.count + 1)")
      remapped[snapshot.persistentIdentifier] = permanent
      rows[permanent] = snapshot.copy(persistentIdentifier: permanent, remappedIdentifiers: remapped)
      changes.append(.insert(change(permanent)))
    }
    for snapshot in request.updated {
      rows[snapshot.persistentIdentifier] = snapshot
      changes.append(.update(change(snapshot.persistentIdentifier)))
    }
    for snapshot in request.deleted {
      changes.append(.delete(change(snapshot.persistentIdentifier)))
    }
    entries.append(
      LedgerEntry(
        timestamp: Date(timeIntervalSinceReferenceDate: Double(entries.count)), changes: changes,
        token: LedgerToken(id: entries.count + 1), transactionIdentifier: entries.count + 1,
        storeIdentifier: identifier, author: request.editingState.author))
    return DataStoreSaveChangesResult(
      for: identifier, remappedIdentifiers: remapped, historyToken: entries.last?.token)
  }

  func erase() throws { rows = [:] }

  static var historyType: LedgerEntry.Type { LedgerEntry.self }

  func fetchHistory(_ descriptor: HistoryDescriptor<LedgerEntry>) throws -> [LedgerEntry] {
    if configuration.ledger.isSlow { Thread.sleep(forTimeInterval: 0.002) }
    let found = try entries.filter { try descriptor.predicate?.evaluate($0) ?? true }.sorted(using: descriptor.sortBy)
    return descriptor.fetchLimit == 0 ? found : Array(found.prefix(Int(descriptor.fetchLimit)))
  }

  func deleteHistory(_ descriptor: HistoryDescriptor<LedgerEntry>) throws {
    let found = Set(try fetchHistory(descriptor))
    entries.removeAll(where: found.contains)
  }
}

struct LedgerConfiguration: DataStoreConfiguration {
  typealias Store = LedgerStore

  var name = "ledger"
  var schema: Schema?
  var ledger = Ledger()

  /// The content of the store.
  final class Ledger {
    let identifier: String
    var rows: [PersistentIdentifier: DefaultSnapshot] = [:]
    var entries: [LedgerEntry] = []
    /// Whether reading the history takes two milliseconds.
    var isSlow = false
    /// The identifier that a new object gets.
    var reused: PersistentIdentifier?

    init(identifier: String = "ledger-\(UUID().uuidString)") { self.identifier = identifier }
  }

  static func == (left: Self, right: Self) -> Bool { left.ledger === right.ledger }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(ledger)) }
}

@Model final class LedgerItem {
  var title: String
  init(title: String) { self.title = title }
}

struct LedgerToken: HistoryToken {
  let id: Int
  var tokenValue: Int? { id }
  static func < (left: Self, right: Self) -> Bool { left.id < right.id }
}

struct LedgerEntry: HistoryTransaction {
  let timestamp: Date
  let changes: [HistoryChange]
  let token: LedgerToken
  let transactionIdentifier: Int
  let storeIdentifier: String
  let author: String?
  var id: Int { transactionIdentifier }

  static func == (left: Self, right: Self) -> Bool { left.id == right.id }
  func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

struct LedgerChange: HistoryInsert, HistoryUpdate, HistoryDelete {
  typealias Model = LedgerItem

  let changeIdentifier: String
  let transactionIdentifier: Int
  let changedPersistentIdentifier: PersistentIdentifier
  let tombstone: HistoryTombstone<LedgerItem>
  var updatedAttributes: [any PartialKeyPath<LedgerItem> & Sendable] { [\.title] }
}
