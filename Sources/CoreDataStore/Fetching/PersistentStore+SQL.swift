import Foundation
import SQLite
package import StoreRequests

extension PersistentStore: SQLEngine {
  package func table(of entityName: String) throws -> String {
    let entity = try layout.existingEntity(entityName)
    guard entity.superentityName != nil else { return entity.table.description }
    return "(SELECT * FROM \(entity.table) WHERE Z_ENT \(SQLText.numbersTest(entity.kindNumbers)))"
  }

  package func column(of property: String, element: [String], entityName: String) throws -> String {
    let entity = try layout.existingEntity(entityName)
    if element.isEmpty, case .toOne(let relationship) = try layout.property(property, of: entity) {
      return relationship.key.description
    }
    return try layout.attributeColumn(property, element: element, of: entity).name.description
  }

  /// Runs one statement on a connection for reading; in memory, on the only connection.
  package func rows(of sql: String, _ values: [StoreValue]) throws -> (columns: [String], rows: [[StoreValue]]) {
    let lease = try lease()
    defer { lease.end() }
    let connection = lease.connection
    do {
      try lease.checkModel()
      let statement = try connection.prepareReading(sql)
      guard statement.isReadOnly else { throw SQLProblem.writes }
      guard statement.parameterCount == values.count else {
        throw SQLProblem(
          "it has \(statement.parameterCount) placeholders and \(values.count) values",
          remedy: "interpolate each value, and write no placeholder")
      }
      for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
      defer { statement.reset() }
      var rows: [[StoreValue]] = []
      while try statement.step() {
        var reader = RowReader(statement, startingAt: 0)
        rows.append((0..<statement.columnCount).map { _ in reader.value() })
      }
      return ((0..<statement.columnCount).map { statement.columnName($0) }, rows)
    } catch let error as SQLiteError {
      if [.authorization, .readOnly].contains(error.code) || error.message.hasPrefix("not authorized") {
        throw SQLProblem.writes
      }
      if error.comesFromOutside { throw StoreError(path: url?.path, error) }
      throw SQLProblem(error.message, remedy: "correct the statement")
    }
  }
}

extension SQLProblem {
  fileprivate static let writes = SQLProblem(
    "only reading is allowed", remedy: "write a SELECT, and change objects through the context")
}

extension Connection {
  /// Prepares a statement, all actions of which must read. Also refuses transactions, pragmas and attached files.
  fileprivate func prepareReading(_ sql: String) throws -> Statement {
    try authorize { action in
      switch action {
      case .reading: true
      case .function(let name): !["load_extension", "fts3_tokenizer"].contains(name.lowercased())
      case .pragma, .other: false
      }
    }
    defer { try? authorize(nil) }
    return try prepare(sql)
  }
}
