import Foundation
import ManagedModel
import PostgreSQL
package import StoreRequests

extension ServerStore: SQLEngine {
  /// Runs one statement in a transaction that only reads. The server takes nothing but a query as a cursor.
  package func rows(of query: [SQLPart]) throws -> SQLResult {
    let statement = try QueryText(query, in: layout)
    guard statement.mayRead else { throw SQLProblem.writes }
    do {
      let result = try noticingChanges {
        try pool.readingOneState { connection in
          try connection.run("DECLARE swiftdata_sql NO SCROLL CURSOR FOR \(statement.sql)", statement.parameters)
          let result = try connection.run("FETCH ALL FROM swiftdata_sql")
          try connection.run("CLOSE swiftdata_sql")
          return result
        }
      }
      return try SQLResult(result)
    } catch let error as PostgreSQLError {
      guard let state = error.state, state.isProblemOfStatement else { throw error }
      throw state == .readOnlyTransaction ? .writes : SQLProblem(error.message, remedy: "correct the statement")
    }
  }
}

/// The text of a query, and the values of its placeholders.
private struct QueryText {
  private var text = ""
  private(set) var parameters: [Parameter] = []
  /// The tables of classes that share one with others, by their names in the text.
  private var shared: [(name: Identifier, sql: String)] = []

  init(_ query: [SQLPart], in layout: StoreLayout) throws {
    for part in query {
      switch part {
      case .text(let sql): text += sql
      case .table(let name): text += table(of: try layout.entities.existingEntity(name), in: layout)
      case .key: text += TableLayout.key.description
      case .column(let property, let element, let name):
        text += try Self.column(property, element, of: layout.entities.existingEntity(name), in: layout).description
      case .value(let value, let type):
        parameters.append(try Parameter(value, type))
        text += "$\(parameters.count)"
      }
    }
    // One semicolon may end a statement; the cursor's statement goes on after it.
    while let last = text.last, last.isWhitespace || last == ";" { text.removeLast() }
  }

  /// The query. Tables of classes are common table expressions, because a subquery would need a name of the caller's.
  var sql: String {
    guard !shared.isEmpty else { return text }
    // The tables come before the first word.
    let text = text.withoutLeadingComments
    let tables = shared.map { "\($0.name) AS NOT MATERIALIZED (\($0.sql))" }.joined(separator: ", ")
    // They come before those of the query itself.
    guard let list = text.prefixMatch(of: #/\s*WITH\s+(RECURSIVE\s+)?/#.ignoresCase()) else {
      return "WITH \(tables) \(text)"
    }
    return "\(list.output.0)\(tables), \(text[list.range.upperBound...])"
  }

  /// Whether the first word begins a query. The server then refuses statements that write inside it.
  var mayRead: Bool {
    var rest = text.withoutLeadingComments
    while rest.first == "(" { rest = rest.dropFirst().withoutLeadingComments }
    let word = rest.prefix { $0.isLetter }.uppercased()
    return ["SELECT", "WITH", "VALUES", "TABLE"].contains(word)
  }

  private mutating func table(of entity: StoreEntity, in layout: StoreLayout) -> String {
    let table = layout.table(of: entity)
    guard entity.number != table.root.number else { return table.sql }
    let name = Identifier("SwiftData \(entity.number)")
    if !shared.contains(where: { $0.name == name }) {
      let kinds = entity.kindNumbers.compactMap { layout.entities.entity(numbered: $0)?.name }
      shared.append((name, "SELECT * FROM \(table.sql) WHERE \(TableLayout.kind) IN (\(sqlLiterals(kinds)))"))
    }
    return name.description
  }

  private static func column(
    _ property: String, _ element: [String], of entity: StoreEntity, in layout: StoreLayout
  ) throws -> Identifier {
    if element.isEmpty, case .toOne(let relationship) = try layout.property(property, of: entity) {
      return relationship.key.name
    }
    return try layout.column(property, element: element, of: entity).column.name
  }
}

extension StringProtocol where SubSequence == Substring {
  /// The text from its first character that is neither white space nor in a comment. Block comments nest.
  fileprivate var withoutLeadingComments: Substring {
    var rest = self[startIndex...].drop(while: \.isWhitespace)
    while true {
      if rest.hasPrefix("--") {
        rest = rest.drop { !["\n", "\r", "\r\n"].contains($0) }
      } else if rest.hasPrefix("/*") {
        var depth = 0
        repeat {
          if rest.hasPrefix("/*") {
            depth += 1
            rest = rest.dropFirst(2)
          } else if rest.hasPrefix("*/") {
            depth -= 1
            rest = rest.dropFirst(2)
          } else {
            rest = rest.dropFirst()
          }
        } while depth > 0 && !rest.isEmpty
      } else {
        return rest
      }
      rest = rest.drop(while: \.isWhitespace)
    }
  }
}

extension Parameter {
  /// A value in the form of a column of the server. A number is as wide as it can be, so that it compares with all numbers.
  fileprivate init(_ value: StoreValue, _ type: AttributeType) throws {
    let wide: DataType? =
      switch type {
      case .integer16, .integer32, .integer64: .integer64
      case .float, .double: .double
      default: DataType(type)
      }
    guard let wide else {
      throw SQLProblem("a value has no form over PostgreSQL", remedy: "use a value that one column holds")
    }
    guard value != .null else {
      self.init(wide, nil)
      return
    }
    guard let form = value.form(in: wide) else {
      throw SQLProblem(
        "a value has no form over PostgreSQL", remedy: "take out texts with NUL, and dates that are no moments")
    }
    self.init(wide, form)
  }
}

extension SQLResult {
  fileprivate init(_ result: QueryResult) throws {
    self.init(columns: (0..<result.columnCount).map { result.name($0) })
    for column in columns.indices {
      guard let type = result.type(column) else {
        throw SQLProblem(
          "the column \"\(columns[column])\" has a type that no property has",
          remedy: "cast it, such as CAST(… AS text)")
      }
      if type == .numeric { decimalColumns.insert(column) }
    }
    let values = ServerValues(result)
    while try values.next() { rows.append(columns.indices.map { values.value($0) }) }
  }
}

extension SQLState {
  /// Whether a corrected statement would run: errors of syntax, names, types and values, and writes in a read-only
  /// transaction. A missing right is no such problem.
  fileprivate var isProblemOfStatement: Bool {
    ["42", "22", "0A", "21", "25"].contains(category) && self != .insufficientPrivilege || self == .protocolViolation
  }
}
