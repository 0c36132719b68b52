import Foundation
import ManagedModel
import SQLite
package import StoreRequests

/// Reads a store's history from the disk: one transaction at a time, and the changes of each transaction.
///
/// One query returns all transactions, so that they come from one state of the store. The cursor keeps no transaction
/// or change that it has returned. It holds a connection until the caller has read the last transaction, calls
/// ``close()`` or releases the cursor. One thread at a time uses a cursor.
package final class HistoryCursor: HistoryRows {
  private let lease: ReadLease?
  private let statement: Statement?
  private let layout: StoreLayout
  private let tombstones: Int
  private var bitmaps: [Int32: ChangeBitmap] = [:]
  /// Whether the statement's current row is one that the cursor has not yet returned.
  private var hasRow = false
  private var isOpen: Bool
  /// The number of the transaction that the cursor returned last.
  private var current: Int64?
  /// The texts that are not UTF-8 in what the cursor returned last: parts of a transaction, or attributes of a deleted object.
  package private(set) var repairedTexts: [String] = []

  init(_ lease: ReadLease, _ statement: Statement, layout: StoreLayout, tombstones: Int) throws {
    self.lease = lease
    self.statement = statement
    self.layout = layout
    self.tombstones = tombstones
    isOpen = true
    try advance()
  }

  /// Makes an empty cursor, for a store that keeps no history.
  init(layout: StoreLayout) {
    lease = nil
    statement = nil
    self.layout = layout
    tombstones = 0
    isOpen = false
  }

  deinit { close() }

  /// Moves to the next transaction and returns it, or returns `nil` after the last transaction.
  ///
  /// Skips the changes of the previous transaction that the caller has not read.
  /// - Throws: `SQLiteError`. An error closes the cursor.
  package func next() throws -> HistoryTransaction? {
    while let statement, hasRow, statement.integer(0) == current { try advance() }
    guard let statement, hasRow else { return nil }
    repairedTexts = []
    func text(_ column: Int, _ name: String) -> String? {
      let text = statement.text(column)
      if let text, statement.isRepaired(text, column) { repairedTexts.append(name) }
      return text
    }
    let transaction = HistoryTransaction(
      number: statement.integer(0), date: Date(timeIntervalSinceReferenceDate: statement.double(1)),
      author: text(2, "author"), bundleIdentifier: text(3, "bundle"), contextName: text(4, "context"),
      processName: text(5, "process"))
    current = transaction.number
    return transaction
  }

  /// Returns the next change of the current transaction, in the order of recording, or `nil` after the last change.
  ///
  /// Skips changes of unknown kinds.
  /// - Throws: `SQLiteError`. An error closes the cursor.
  package func nextChange() throws -> HistoryChange? {
    while let statement, hasRow, statement.integer(0) == current {
      repairedTexts = []
      let change = change(statement)
      try advance()
      if let change { return change }
    }
    return nil
  }

  /// Gives the connection back, even if unread transactions remain.
  package func close() {
    guard isOpen else { return }
    isOpen = false
    hasRow = false
    statement?.reset()
    lease?.end()
  }

  private func advance() throws {
    guard isOpen, let lease, let statement else { return }
    do { hasRow = try lease.reporting { try statement.step() } } catch {
      close()
      throw error
    }
    if !hasRow { close() }
  }

  private func change(_ statement: Statement) -> HistoryChange? {
    // A transaction without changes still has one result row. A damaged store may have changes that name no kind.
    guard !statement.isNull(6), !statement.isNull(7),
      let kind = HistoryChange.Kind(rawValue: statement.integer(7))
    else { return nil }
    let object = ObjectKey(entity: Int32(clamping: statement.integer(8)), key: statement.integer(9))
    let entity = layout.entity(numbered: Int(object.entity))
    return HistoryChange(
      number: statement.integer(6), transaction: statement.integer(0), kind: kind, object: object,
      changedProperties: kind == .update ? entity.flatMap { changedProperties($0, statement) } : nil,
      tombstone: kind == .delete ? entity.map { tombstone($0, statement) } ?? [:] : [:])
  }

  private func changedProperties(_ entity: EntityLayout, _ statement: Statement) -> [String]? {
    var reader = RowReader(statement, startingAt: 10)
    guard case .blob(let bits) = reader.value() else { return nil }
    let bitmap = bitmaps[Int32(entity.number)] ?? ChangeBitmap(entity)
    bitmaps[Int32(entity.number)] = bitmap
    return bitmap.properties(in: bits)
  }

  private func tombstone(_ entity: EntityLayout, _ statement: Statement) -> [String: StoreValue] {
    var values: [String: StoreValue] = [:]
    for (index, attribute) in entity.tombstoneAttributes.prefix(tombstones).enumerated() {
      var reader = RowReader(statement, startingAt: 11 + index)
      let value = reader.value()
      if attribute.columns.count > 1 {
        if case .blob(let list) = value {
          values.merge(TombstoneElements.values(of: attribute, in: list), uniquingKeysWith: { $1 })
        }
      } else if value != .null {
        values[attribute.description.name] = value
      }
      if case .text(let text) = value, statement.isRepaired(text, 11 + index) {
        repairedTexts.append(attribute.description.name)
      }
    }
    return values
  }
}
