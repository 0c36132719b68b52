internal import CoreDataStore
internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// Reads the history of one store as transactions with typed changes.
final class StoreHistory {
  let store: OpenStore
  let engine: any HistoryEngine
  /// By entity number: the key paths of the class's properties, by their stored names.
  private var keyPaths: [Int32: [String: AnyKeyPath]] = [:]

  /// - Returns: `nil` for a store whose engine keeps no history.
  init?(_ store: OpenStore) {
    guard let engine = store.engine as? any HistoryEngine else { return nil }
    self.store = store
    self.engine = engine
  }

  /// Passes the transactions of a request to a closure until it returns `false`.
  ///
  /// - Throws: ``SwiftDataError/storeFailure``, and errors of the closure.
  func forEach(_ request: HistoryRequest, _ body: (DefaultHistoryTransaction) throws -> Bool) throws {
    let rows: any HistoryRows = try reporting { try engine.history(request) }
    defer { rows.close() }
    while let transaction = try reporting({ try rows.next() }) {
      var changes: [HistoryChange] = []
      while let change = try reporting({ try rows.nextChange() }) {
        if let typed = typed(change) { changes.append(typed) }
      }
      let identifier = engine.identifier
      let published = DefaultHistoryTransaction(
        timestamp: transaction.date, changes: changes, token: DefaultHistoryToken([identifier: transaction.number]),
        transactionIdentifier: transaction.number, storeIdentifier: identifier,
        bundleIdentifier: transaction.bundleIdentifier ?? "", processIdentifier: transaction.processName ?? "",
        author: transaction.author)
      guard try body(published) else { return }
    }
  }

  func reporting<Result>(_ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw SwiftDataError(storeError: error) }
  }

  // MARK: Changes

  /// A change with the class of its object; `nil` if the schema has no class for the object.
  private func typed(_ change: StoreRequests.HistoryChange) -> HistoryChange? {
    guard let binding = store.binding(change.object.entity), let identifier = store.identifier(of: change.object) else {
      return nil
    }
    return typed(change, identifier, binding.type, binding)
  }

  private func typed<Model: PersistentModel>(
    _ change: StoreRequests.HistoryChange, _ identifier: PersistentIdentifier, _ type: Model.Type,
    _ binding: EntityBinding
  ) -> HistoryChange {
    switch change.kind {
    case .insert:
      return .insert(
        DefaultHistoryInsert<Model>(
          changeIdentifier: change.number, transactionIdentifier: change.transaction,
          changedPersistentIdentifier: identifier))
    case .update:
      let known = keyPaths(of: binding)
      return .update(
        DefaultHistoryUpdate<Model>(
          changeIdentifier: change.number, transactionIdentifier: change.transaction,
          changedPersistentIdentifier: identifier,
          updatedAttributes: (change.changedProperties ?? []).compactMap { known[$0] }.map { rooted($0) }))
    case .delete:
      return .delete(
        DefaultHistoryDelete<Model>(
          changeIdentifier: change.number, transactionIdentifier: change.transaction,
          changedPersistentIdentifier: identifier,
          tombstone: HistoryTombstone(
            TombstoneRow.values(change.tombstone, store.entities.entity(named: binding.name), binding))))
    }
  }

  private func keyPaths(of binding: EntityBinding) -> [String: AnyKeyPath] {
    if let known = keyPaths[binding.tag] { return known }
    let properties = ModelClass.of(binding.type).properties.map { ($0.persistentName, $0.keyPath) }
    let made = Dictionary(properties, uniquingKeysWith: { first, _ in first })
    keyPaths[binding.tag] = made
    return made
  }

  /// A property's key path as a key path of the model; key paths are immutable, so it is `Sendable`.
  ///
  /// The key path of an inherited property has the superclass as its root. It reads objects of the model as well.
  private func rooted<Model: PersistentModel>(_ keyPath: AnyKeyPath) -> any PartialKeyPath<Model> & Sendable {
    unsafeBitCast(keyPath, to: (any PartialKeyPath<Model> & Sendable).self)
  }
}

/// The columns of a tombstone, which an object reads as it reads a row.
private final class TombstoneRow: RowValues {
  private let values: [StoreValue]

  private init(_ values: [StoreValue]) { self.values = values }

  func value(_ column: Int) -> StoreValue { values.indices.contains(column) ? values[column] : .null }

  /// The values of a tombstone by the key paths of their attributes, in the order of the attributes' names.
  ///
  /// A blank object of the class reads the columns, so that enumerations, structures and transformed values arrive as in a fetch.
  static func values(
    _ tombstone: [String: StoreValue], _ entity: StoreEntity?, _ binding: EntityBinding
  ) -> [(keyPath: AnyKeyPath, value: any Sendable)] {
    guard !tombstone.isEmpty, let entity else { return [] }
    var columns: [StoreValue] = []
    var starts: [String: Int] = [:]
    for case .attribute(let attribute) in entity.properties {
      let keys = attribute.tombstoneKeys
      guard keys.contains(where: { tombstone[$0] != nil }) else { continue }
      starts[attribute.description.name] = columns.count
      columns += keys.map { tombstone[$0] ?? .null }
    }
    let names = starts.keys.sorted()
    let places = binding.readOrder.map { property in
      binding.properties[property].hasColumns ? starts[binding.properties[property].name] ?? -1 : -1
    }
    let object = binding.makeBlank(in: _ModelPlace())
    let row = TombstoneRow(columns)
    var reader = _RowReader(RowReader(row), places: places)
    reader.start(at: 0)
    object._$read(from: &reader)
    let model = ModelClass.of(binding.type)
    return names.compactMap { name in
      guard let index = binding.index(of: name), let property = model.property(at: index) else { return nil }
      var taker = AttributeTaker()
      object._$visit(index, &taker)
      // Attributes hold plain values; every one was decoded for this tombstone alone.
      return taker.value.map { (property.keyPath, unsafeBitCast($0 as Any, to: (any Sendable).self)) }
    }
  }
}

/// Copies the value of an attribute; `nil` if the storage is empty or the value is `nil`.
private struct AttributeTaker: _PropertyVisitor {
  var value: Any?

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    value = storage.value.flatMap { unwrap($0) }
  }

  mutating func visit<Destination>(_ storage: inout _ToOneStorage<Destination>) {}
  mutating func visit<Destination>(_ storage: inout _ToManyStorage<Destination>) {}
}
