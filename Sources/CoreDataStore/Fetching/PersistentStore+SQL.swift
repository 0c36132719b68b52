import Foundation
import ManagedModel
import SQLite
package import StoreRequests

extension PersistentStore: SQLEngine {
  /// Runs one statement on a connection for reading; in memory, on the only connection.
  package func rows(of query: [SQLPart]) throws -> SQLResult {
    var sql = ""
    var values: [StoreValue] = []
    for part in query {
      switch part {
      case .text(let text): sql += text
      case .table(let name): sql += try table(of: name)
      case .key: sql += "Z_PK"
      case .column(let property, let element, let name): sql += try column(of: property, element, name)
      case .value(let value, let type):
        sql += "?"
        // A decimal number as its column holds it (CD-5).
        values.append(type == .decimal ? value.allDigits.map { StoreValue($0) } ?? value : value)
      }
    }
    return try rows(of: sql, values)
  }

  private func table(of entityName: String) throws -> String {
    let entity = try layout.existingEntity(entityName)
    guard entity.superentityName != nil else { return entity.table.description }
    return "(SELECT * FROM \(entity.table) WHERE Z_ENT \(SQLText.numbersTest(entity.kindNumbers)))"
  }

  private func column(of property: String, _ element: [String], _ entityName: String) throws -> String {
    let entity = try layout.existingEntity(entityName)
    if element.isEmpty, case .toOne(let relationship) = try layout.property(property, of: entity) {
      return relationship.key.description
    }
    return try layout.attributeColumn(property, element: element, of: entity).name.description
  }

  private func rows(of sql: String, _ values: [StoreValue]) throws -> SQLResult {
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
      var result = SQLResult(columns: (0..<statement.columnCount).map { statement.columnName($0) })
      while try statement.step() {
        var reader = RowReader(statement, startingAt: 0)
        result.rows.append((0..<statement.columnCount).map { _ in reader.value() })
      }
      return result
    } catch let error as SQLiteError {
      if [.authorization, .readOnly].contains(error.code) || error.message.hasPrefix("not authorized") {
        throw SQLProblem.writes
      }
      if error.comesFromOutside { throw StoreError(path: url?.path, error) }
      throw SQLProblem(error.message, remedy: "correct the statement")
    }
  }
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
