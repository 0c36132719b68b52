internal import CoreDataStore
internal import Foundation
internal import StoreRequests

/// The columns that a decoded type reads of a row. The type asks for its columns when it decodes a first row, which has
/// all columns. The other rows have only the columns that the type asked for.
///
/// If a later row asks for another column, the pass over the rows is discarded, and the next pass reads that column too.
final class ProjectionPlan {
  /// Ends the decoding of a row that needs a column that the pass does not read.
  struct NeedsColumns: Error {}

  /// A value of a row under a key, which spells the way from the fetched row.
  struct Column {
    let key: String
    let expression: FetchExpression
    let reader: (inout _RowReader) throws -> Any?
  }

  let store: OpenStore
  private(set) var columns: [Column] = []
  private var indexes: [String: Int] = [:]
  private var used: Set<String> = []
  /// Whether a pass learns the columns from one row.
  private(set) var isLearning = true
  /// Whether the present pass has met a column that it does not read.
  private(set) var isIncomplete = false
  /// Whether a value must be read from objects.
  private(set) var needsObjects = false
  private var values: [Any?] = []

  init(_ store: OpenStore, of row: (ProjectionPlan) -> ProjectedRow) {
    self.store = store
    add(row(self).columns)
  }

  /// Begins a pass, which reads all columns known so far.
  func begin() { isIncomplete = false }

  /// Leaves out the columns that the type did not ask for.
  func endLearning() {
    isLearning = false
    let asked = columns.filter { used.contains($0.key) }
    (columns, indexes) = ([], [:])
    add(asked)
  }

  func read(_ row: inout _RowReader) throws {
    values.removeAll(keepingCapacity: true)
    for column in columns { values.append(try column.reader(&row)) }
  }

  /// The value of a column of the present row.
  ///
  /// - Throws: ``NeedsColumns`` if the pass does not read the column; ``ValueNeedsObject`` if no column has the value.
  func value(_ key: String, of row: ProjectedRow) throws -> Any? {
    used.insert(key)
    if let index = indexes[key], index < values.count { return values[index] }
    isIncomplete = true
    let found = row.columns
    guard let column = found.first(where: { $0.key == key }) else { throw requireObjects() }
    add(isLearning ? found : [column])
    throw NeedsColumns()
  }

  private func add(_ found: [Column]) {
    for column in found where indexes.updateValue(columns.count, forKey: column.key) == nil { columns.append(column) }
  }

  /// Ends the pass: only objects have a value.
  func requireObjects() -> ValueNeedsObject {
    needsObjects = true
    return ValueNeedsObject()
  }
}
