import ErrorReporting
package import Foundation
package import ManagedModel
import PostgreSQL
package import StoreRequests

/// One state of a store in a database, read by cursors for a copy to another engine.
final class ServerSnapshot: TransferSnapshot {
  private let connection: Connection
  private let records: StoreRecords
  private let layout: StoreLayout
  private var cursorCount = 0

  /// The rows that one answer of the server has; few, since some may have big values.
  private static let size = 200

  var entities: EntityTable { layout.entities }

  fileprivate init(_ connection: Connection, _ records: StoreRecords, _ layout: StoreLayout) {
    self.connection = connection
    self.records = records
    self.layout = layout
  }

  func rows(_ request: FetchRequest) throws -> any ObjectRows {
    let entity = try entities.existingEntity(request.entityName)
    let isSole = entity.kindNumbers.count == 1 || !request.includesSubentities
    cursorCount += 1
    let cursor = try RowCursor(
      SelectStatement(.rows, request, in: layout), over: connection, name: Identifier("swiftdata_rows_\(cursorCount)"),
      size: Self.size)
    return ServerRows(
      try cursor.first(), of: layout.table(of: entity), soleEntity: isSole ? entity.number : nil, cursor: cursor)
  }

  func related(
    to relationship: (entityName: String, name: String), owners: [ObjectKey]
  ) throws -> any ObjectRows {
    let entity = try entities.existingEntity(relationship.entityName)
    let toMany = try layout.toMany(relationship.name, of: entity)
    let statement = try SelectStatement.related(toMany, columns: [], in: layout).selecting(owners.map(\.key))
    let table = layout.table(of: try layout.destination(of: toMany.relationship))
    return ServerRows(try connection.run(statement.sql, statement.parameters), of: table, hasOwner: true)
  }

  func lastKey(of root: StoreEntity) throws -> Int64 {
    let table = layout.table(of: root)
    let result = try connection.run(
      "SELECT greatest(\(table.lastSequenceKey), (SELECT max(\(TableLayout.key)) FROM \(table.sql)), 0)"
    )
    return result.integer(0, 0)
  }

  func keysWithoutObject(_ relationship: StoreRelationship, of entity: StoreEntity) throws -> Set<Int64> {
    let toOne = try layout.toOne(relationship.description.name, of: entity)
    let destination = try layout.destination(of: relationship)
    let printer = QueryPrinter(layout)
    let rows = QueryPrinter.Row(alias: "t0", entity: entity)
    let others = QueryPrinter.Row(alias: "d", entity: destination)
    let key = rows.column(toOne.key.name)
    let result = try connection.run(
      """
      SELECT \(rows.key) FROM \(layout.table(of: entity).sql) t0 WHERE \(key) IS NOT NULL\(printer.kindFilter(rows))
        AND NOT EXISTS (SELECT 1 FROM \(layout.table(of: destination).sql) d
          WHERE \(others.key) = \(key)\(printer.kindFilter(others)))
      """)
    return Set((0..<result.rowCount).map { result.integer($0, 0) })
  }

  func hasUnreadableValue(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool { false }

  /// The server refuses such texts.
  func hasRepairedText(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool { false }

  func otherContents() throws -> [String] {
    var contents: [String] = []
    let transactions = try connection.run(
      "SELECT count(*) FROM \(layout.qualified(StoreDefinitions.transactions))"
    ).integer(0, 0)
    if transactions > 0 { contents.append("the history of \(transactions) transaction\(transactions == 1 ? "" : "s")") }
    let searched = try SearchCatalogue(connection: connection, layout: layout).entries(of: layout.tables)
    contents += searched.map { "the search index of \(quoted($0.index.entity.name))" }
    let known = StoreDefinitions.ownTables.union(layout.tables.map(\.name.name) + layout.joinTables.map(\.name.name))
    let others = try records.tableNames().filter { !known.contains($0) }
    if !others.isEmpty { contents.append("tables of no entity: \(abbreviatedList(others.map(quoted)))") }
    return contents
  }
}

extension ServerStore {
  /// Reads one state of a store with the model that it has, for a copy to another engine. Writes nothing.
  ///
  /// - Parameter options: only the schema and the deadline count.
  /// - Throws: ``StoreProblem`` if the schema has no store; ``PostgreSQLError``; the errors of `body`.
  package static func readSnapshot<Result>(
    _ address: String, options: ServerOptions,
    _ body: (any TransferSnapshot, _ model: ModelDescription, _ identifier: UUID) throws -> Result
  ) throws -> Result {
    let address = try ServerAddress(address)
    try options.check(address)
    let connection = try options.connect(address, preparesStatements: false)
    return try connection.transaction(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", with: .unlimited + .allRowsOfCursors
    ) {
      var records = StoreRecords(connection: connection, options: options)
      try records.checkServer()
      guard let record = try records.readOfAnyNaming(), let model = try records.currentModel() else {
        throw records.problem(
          "the schema \(quoted(options.schema)) has no store", remedy: "name the schema that has one")
      }
      var options = options
      options.naming = record.naming
      records = StoreRecords(connection: connection, options: options)
      let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: record.naming)
      try records.checkColumns(layout)
      return try body(ServerSnapshot(connection, records, layout), model, record.identifier)
    }
  }
}

extension ServerStore {
  /// The database, the host and the user of an address, for messages; never its password.
  ///
  /// - Throws: ``PostgreSQLError`` for a text that is no address.
  package static func description(ofAddress address: String) throws -> String { try ServerAddress(address).description }
}
