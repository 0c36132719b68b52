package import CoreDataStore
import ErrorReporting
import Foundation
import ManagedModel
import SQLite
package import StoreRequests

/// One `SELECT` over a store. Entities are views with their own names (see ``ExportSchema``).
///
/// Nothing can be written: the connection is read-only, and the authorizer refuses every other action.
package final class StoreQuery {
  private let lease: ReadLease
  private let statement: Statement
  private let views: [(name: Identifier, select: String)]
  private let names: ExportSchema
  /// The objects that could not keep their name of the model, with their new names.
  package let renamings: [(what: String, name: String)]
  /// The texts that were read with U+FFFD in place of bytes that are not UTF-8.
  package private(set) var repairedTexts = RepairedTexts()
  private var rowCount = 0

  /// Prepares a statement. ``next()`` reads its rows.
  ///
  /// - Throws: ``StoreQueryError`` for a statement that is invalid or not allowed; `SQLiteError`.
  package init(_ sql: String, on store: PersistentStore) throws {
    lease = try store.lease()
    let connection = lease.connection
    var taken: [String] = []
    do {
      try lease.checkModel()
      let tables = try connection.prepare("SELECT name FROM sqlite_master")
      while try tables.step() { taken.append(tables.text(0) ?? "") }
    } catch let error as SQLiteError {
      throw StoreError(path: store.url?.path, error)
    }
    let schema = try ExportSchema(store.storedTables, taken: taken)
    renamings = schema.renamings
    views =
      try schema.entities.map { ($0.name, try schema.select($0.columns, of: $0)) }
      + schema.joins.map { ($0.name, schema.select($0)) }
    do {
      try ExportSQL.register(on: connection)
      try connection.setPragma("temp_store", "MEMORY")
      try connection.setPragma("query_only", "OFF")
      for (name, select) in views { try connection.execute("CREATE TEMP VIEW \(name.quoted) AS \(select)") }
      try connection.setPragma("query_only", "ON")
      try connection.authorize(Self.isAllowed)
      statement = try connection.prepare(sql)
    } catch {
      let offset = connection.errorOffset
      Self.leave(connection, views.map(\.name))
      guard let error = error as? SQLiteError else { throw error }
      throw StoreQueryError(error, in: sql, offset: offset, schema)
    }
    names = schema
  }

  deinit {
    statement.reset()
    Self.leave(lease.connection, views.map(\.name))
  }

  /// Restores the connection's former state.
  private static func leave(_ connection: Connection, _ views: [Identifier]) {
    try? connection.authorize(nil)
    _ = try? connection.setPragma("query_only", "OFF")
    for view in views { try? connection.execute("DROP VIEW IF EXISTS temp.\(view.quoted)") }
    _ = try? connection.setPragma("query_only", "ON")
  }

  /// The names of the result's columns.
  package var columns: [String] { (0..<statement.columnCount).map { statement.columnName($0) } }

  /// The next row's values; `nil` at the end.
  ///
  /// - Throws: ``StoreQueryError``.
  package func next() throws -> [StoreValue]? {
    do {
      guard try statement.step() else { return nil }
    } catch let error as SQLiteError {
      throw StoreQueryError(error, in: statement.sql, offset: nil, names)
    }
    rowCount += 1
    var reader = RowReader(statement, startingAt: 0)
    return (0..<statement.columnCount).map { column in
      let value = reader.value()
      if case .text(let text) = value, statement.isRepaired(text, column) {
        repairedTexts.add { (statement.columnName(column), "row \(rowCount)") }
      }
      return value
    }
  }

  /// Makes ``next()`` throw. It may be called from any thread.
  package var interruption: @Sendable () -> Void {
    let connection = lease.connection
    return { connection.interrupt() }
  }

  /// Pragmas that only read, and whether their argument is the name of a table or index.
  private static let pragmas: [String: Bool] = [
    "table_info": true, "table_xinfo": true, "table_list": true, "index_list": true, "index_info": true,
    "index_xinfo": true, "foreign_key_list": true, "database_list": false, "function_list": false,
    "collation_list": false, "module_list": false, "pragma_list": false, "compile_options": false,
    "page_count": false, "page_size": false, "freelist_count": false, "user_version": false, "application_id": false,
    "schema_version": false, "encoding": false, "auto_vacuum": false, "journal_mode": false, "data_version": false,
    "integrity_check": true, "quick_check": true, "foreign_key_check": true,
  ]

  @Sendable private static func isAllowed(_ action: Connection.Action) -> Bool {
    switch action {
    case .reading: true
    case .function(let name): !["load_extension", "fts3_tokenizer"].contains(name.lowercased())
    case .pragma(let name, let argument):
      pragmas[name.lowercased()].map { takesName in takesName || argument == nil } ?? false
    case .other: false
    }
  }
}

/// The reason why a store cannot run a statement.
package struct StoreQueryError: ReportableError, Sendable {
  package let problem: String
  package let remedy: String?
  /// From 1, in characters; `nil` if SQLite does not state it.
  package let line: Int?
  package let column: Int?
  package var place: String? { textPlace(line: line, column: column) }

  init(_ error: SQLiteError, in sql: String, offset: Int?, _ schema: ExportSchema) {
    let isOfWriting = [.authorization, .readOnly].contains(error.code) || Self.isOfWriting(error.message)
    switch error.code {
    case _ where isOfWriting:
      problem = "only reading is allowed"
      remedy = "write a SELECT, or a PRAGMA that only reads"
    case .misuse:
      problem = error.message
      remedy = "give one statement"
    case .interrupt:
      problem = "the query was ended"
      remedy = "fetch fewer columns, or add a limit"
    case _ where error.message.hasPrefix("no such"):
      problem = error.message + suggestion(Self.nearest(error.message, schema))
      remedy = "entities are tables, and their properties columns; SELECT name, sql FROM temp.sqlite_master lists them"
    default:
      problem = error.message
      remedy = "correct the statement"
    }
    guard let offset else {
      line = nil
      column = nil
      return
    }
    let lines = String(decoding: sql.utf8.prefix(offset), as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    line = lines.count
    column = (lines.last?.unicodeScalars.count ?? 0) + 1
  }
}

extension StoreQueryError {
  /// SQLite reports writes to views, and forbidden functions, in its message only.
  private static func isOfWriting(_ message: String) -> Bool {
    message.hasPrefix("cannot modify") || message.hasPrefix("not authorized")
  }

  /// The nearest existing name for a name that SQLite does not find.
  private static func nearest(_ message: String, _ schema: ExportSchema) -> String? {
    for (beginning, names) in [
      ("no such table: ", schema.entities.map(\.name.name) + schema.joins.map(\.name.name)),
      ("no such column: ", schema.entities.flatMap { [$0.key.name] + $0.columns.map(\.name.name) }),
    ] where message.hasPrefix(beginning) {
      let name = message.dropFirst(beginning.count).split(separator: ".").last.map(String.init) ?? ""
      return nearestName(to: name, in: names)
    }
    return nil
  }
}
