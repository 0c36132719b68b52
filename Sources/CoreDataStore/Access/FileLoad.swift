package import Foundation
package import ManagedModel
import SQLite
package import StoreRequests

/// Writes the rows of another store into a new store, with the keys that they had.
final class FileLoad: RowLoad {
  private let save: PartialSave
  private let layout: StoreLayout
  let entities: EntityTable

  fileprivate init(_ save: PartialSave, _ store: PersistentStore) {
    self.save = save
    layout = store.layout
    entities = store.entities
  }

  /// A decimal number as Core Data's columns hold it, with the nearest double's digits; any other value as it is.
  func stored(_ value: StoreValue, as type: AttributeType) -> StoreValue {
    guard type == .decimal, case .text = value, let number = value.allDigits else { return value }
    return (try? RowBinder.stored(number)) ?? value
  }

  func reserve(_ key: Int64, of root: StoreEntity) throws {
    try save.reserve(key, of: root)
  }

  func write(_ part: ChangeSet, keys: [Int64]) throws {
    var part = part
    part.duplicates = .fail
    _ = try save.write(part, keys: keys)
    try keepTimes(part, keys)
  }

  /// Writes the times of the last changes that the rows had: the save has computed new ones.
  private func keepTimes(_ part: ChangeSet, _ keys: [Int64]) throws {
    for (insertion, key) in zip(part.insertions, keys) {
      for column in try layout.existingEntity(insertion.entity).columnsOfTimes {
        let selection = ColumnSelection(entityName: column.entityName, propertyName: column.property)
        guard insertion.columns.contains(selection) else { continue }
        let sink = ValueSink()
        var binder = RowBinder(sink, startingAt: 1)
        try insertion.source.bind([selection], into: &binder)
        let statement = try save.transaction.connection.statement(
          "UPDATE \(column.table) SET \(column.name) = ?1 WHERE Z_PK = ?2")
        defer { statement.reset() }
        try statement.bind(sink.values.first ?? .null, at: 1)
        try statement.bind(key, at: 2)
        _ = try statement.step()
      }
    }
  }
}

extension StoreCopy {
  /// Makes a store of the rows that a closure writes. It takes its place when it is complete: if the closure throws, or the process is
  /// killed, the place is as it was.
  ///
  /// - Parameters:
  ///   - replaces: whether a store at the place is replaced; programs that have it open see its old or its new content.
  ///   - identifier: the identifier of the new store.
  /// - Throws: ``StoreError``, ``StoreCopyError``, ``SaveError``; the errors of `body`.
  package static func make(
    at url: URL, replaces: Bool = false, model: ModelDescription, identifier: UUID, _ body: (any RowLoad) throws -> Void
  ) throws -> Report {
    try make(at: url, replaces: replaces) { draft in
      let store = try PersistentStore.open(
        at: draft, options: StoreOptions(identifier: identifier), model: model)
      defer { store.close() }
      _ = try store.saveInParts(author: nil) { try body(FileLoad($0, store)) }
    }
  }
}
