import ErrorReporting
import Foundation
import PostgreSQL
package import StoreRequests

extension ServerStore: HistoryEngine {
  /// Transactions with their changes, of one state of the store. Cost: two queries in a transaction.
  package func history(_ request: HistoryRequest) throws -> ServerHistory {
    var query = HistoryQuery(request, in: layout)
    let sql = query.transactions
    // Somebody may delete the changes of a transaction between the two queries.
    return try pool.readingOneState { connection in
      let transactions = try connection.run(sql, query.parameters)
      let numbers = (0..<transactions.rowCount).map { transactions.integer($0, 0) }
      let changes = numbers.isEmpty ? nil : try connection.run(query.changes, query.parameters(of: numbers))
      return ServerHistory(transactions, changes, entities)
    }
  }

  package func lastTransaction() throws -> Int64? {
    let last = try number("SELECT last_transaction FROM \(layout.qualified(StoreDefinitions.store))")
    // Who knows of a transaction expects to read it.
    if let last { replica?.require(last) }
    return last
  }

  package func firstTransaction() throws -> Int64? {
    try number("SELECT min(number) FROM \(layout.qualified(StoreDefinitions.transactions))")
  }

  package func historyGap() throws -> Int64? {
    try pool.reading { connection in
      guard try connection.hasTable(StoreDefinitions.gap, in: layout.schema.name) else { return nil }
      let result = try connection.run("SELECT max(transaction) FROM \(layout.qualified(StoreDefinitions.gap))")
      return result.isNull(0, 0) ? nil : result.integer(0, 0)
    }
  }

  private func number(_ sql: String) throws -> Int64? {
    try pool.reading { connection in
      let result = try connection.run(sql)
      return result.rowCount == 0 || result.isNull(0, 0) ? nil : result.integer(0, 0)
    }
  }

  package func deleteHistory(_ request: HistoryRequest) throws {
    var query = HistoryQuery(request, in: layout)
    let sql = query.transactions
    try deleteTransactions("IN (SELECT number FROM (\(sql)) t)", query.parameters)
  }

  package func deleteHistory(transactions: [Int64]) throws {
    try deleteTransactions("= ANY ($1)", [.integers(transactions)])
  }

  /// Deletes transactions with their changes, and notes it if earlier ones are left. A second attempt deletes no others, so a lost
  /// connection does no harm.
  private func deleteTransactions(_ numbers: String, _ parameters: [Parameter]) throws {
    try requireWriting()
    let transactions = layout.qualified(StoreDefinitions.transactions)
    try pool.repeating { connection in
      let removed = try connection.run(
        "WITH removed AS (DELETE FROM \(transactions) WHERE number \(numbers) RETURNING number) SELECT max(number) FROM removed",
        parameters)
      guard !removed.isNull(0, 0) else { return }
      let last = Parameter.integer(removed.integer(0, 0))
      let earlier = try connection.run("SELECT 1 FROM \(transactions) WHERE number < $1 LIMIT 1", [last])
      if earlier.rowCount > 0 { try noteRemoval(through: last, connection) }
    }
  }

  /// Notes that transactions have been removed while earlier ones stayed.
  private func noteRemoval(through last: Parameter, _ connection: Connection) throws {
    guard try connection.hasTable(StoreDefinitions.gap, in: layout.schema.name) else {
      throw StoreProblem(
        "\(pool.address): the schema \(quoted(layout.schema.name)) has no table of the history's gap, which stores of earlier versions lack: only the oldest transactions can be deleted",
        remedy: "open the store for writing once, as a user who may make tables in the schema")
    }
    let gap = layout.qualified(StoreDefinitions.gap)
    try connection.run("DELETE FROM \(gap) WHERE transaction < $1", [last])
    try connection.run(
      "INSERT INTO \(gap) (transaction) SELECT $1::bigint WHERE NOT EXISTS (SELECT 1 FROM \(gap) WHERE transaction >= $1)",
      [last])
  }

  func requireWriting() throws {
    guard isReadOnly else { return }
    throw StoreProblem("\(pool.address): the store is open for reading only", remedy: "open it with allowsSave: true")
  }
}

/// The statements of a history request.
private struct HistoryQuery {
  private(set) var parameters: [Parameter] = []
  private let request: HistoryRequest
  private let layout: StoreLayout

  init(_ request: HistoryRequest, in layout: StoreLayout) {
    self.request = request
    self.layout = layout
  }

  private var entityNames: [String]? {
    request.entities.map { numbers in
      numbers.sorted().compactMap { layout.entities.entity(numbered: $0)?.name }
    }
  }

  private mutating func placeholder(_ parameter: Parameter) -> String {
    parameters.append(parameter)
    return "$\(parameters.count)"
  }

  /// The rows of the transactions; fills the parameters.
  var transactions: String {
    mutating get {
      var conditions: [String] = []
      if let after = request.after { conditions.append("number > \(placeholder(.integer(after)))") }
      if let through = request.through { conditions.append("number <= \(placeholder(.integer(through)))") }
      if let since = request.since { conditions.append("committed >= \(placeholder(.moment(since)))") }
      if let before = request.before { conditions.append("committed < \(placeholder(.moment(before)))") }
      for (filter, column) in [
        (request.author, "author"), (request.bundleIdentifier, "bundle_identifier"),
        (request.contextName, "context_name"), (request.processName, "process_name"),
      ] {
        switch filter {
        case .any: break
        case .equal(let text):
          conditions.append("\(column) IS NOT DISTINCT FROM \(placeholder(.text(text?.withoutNUL)))")
        case .notEqual(let text):
          conditions.append("\(column) IS DISTINCT FROM \(placeholder(.text(text?.withoutNUL)))")
        }
      }
      if let entityNames {
        conditions.append(
          "EXISTS (SELECT 1 FROM \(layout.qualified(StoreDefinitions.changes)) c WHERE c.transaction = t.number AND c.entity = ANY (\(placeholder(.texts(entityNames)))))"
        )
      }
      let direction = request.isDescending ? " DESC" : ""
      let order = (request.order == .date ? "committed\(direction), " : "") + "number\(direction)"
      let limit = request.limit.map { "\nLIMIT \(placeholder(.integer(Int64(max(0, $0)))))" } ?? ""
      return
        "SELECT number, committed, author, bundle_identifier, context_name, process_name FROM \(layout.qualified(StoreDefinitions.transactions)) t"
        + (conditions.isEmpty ? "" : "\nWHERE \(conditions.joined(separator: " AND "))") + "\nORDER BY \(order)" + limit
    }
  }

  /// The rows of the changes of some transactions.
  var changes: String {
    "SELECT number, transaction, kind, entity, key, array_to_string(properties, \(HistoryWriter.separatorSQL)), tombstone::text "
      + "FROM \(layout.qualified(StoreDefinitions.changes)) WHERE transaction = ANY ($1)"
      + (request.entities == nil ? "" : " AND entity = ANY ($2)") + " ORDER BY number"
  }

  func parameters(of transactions: [Int64]) -> [Parameter] {
    [.integers(transactions)] + (entityNames.map { [.texts($0)] } ?? [])
  }
}

/// The transactions of a history, all of them in memory.
package final class ServerHistory: HistoryRows {
  private let transactions: QueryResult
  private let changes: QueryResult?
  private let entities: EntityTable
  /// The rows of each transaction's changes.
  private var rows: [Int64: [Int]] = [:]
  private var position = -1
  private var rest: ArraySlice<Int> = []

  init(_ transactions: QueryResult, _ changes: QueryResult?, _ entities: EntityTable) {
    self.transactions = transactions
    self.changes = changes
    self.entities = entities
    guard let changes else { return }
    for row in 0..<changes.rowCount { rows[changes.integer(row, 1), default: []].append(row) }
  }

  package func next() throws -> HistoryTransaction? {
    position += 1
    guard position < transactions.rowCount else { return nil }
    let number = transactions.integer(position, 0)
    rest = rows[number]?[...] ?? []
    return HistoryTransaction(
      number: number,
      date: Date(timeIntervalSinceReferenceDate: BinaryForm.seconds(transactions.integer(position, 1))),
      author: transactions.text(position, 2), bundleIdentifier: transactions.text(position, 3),
      contextName: transactions.text(position, 4), processName: transactions.text(position, 5))
  }

  package func nextChange() throws -> HistoryChange? {
    while let row = rest.popFirst(), let changes {
      // Skips changes of entities that the model does not have.
      guard let kind = HistoryChange.Kind(rawValue: changes.integer(row, 2)),
        let entity = changes.text(row, 3).flatMap({ entities.entity(named: $0) })
      else { continue }
      let properties = changes.text(row, 5).map {
        $0.unicodeScalars.split(separator: HistoryWriter.separator).map { String($0) }
      }
      return HistoryChange(
        number: changes.integer(row, 0), transaction: changes.integer(row, 1), kind: kind,
        object: ObjectKey(entity: entity.number, key: changes.integer(row, 4)),
        changedProperties: kind == .update ? properties ?? [] : nil, tombstone: Tombstone.values(changes.text(row, 6)))
    }
    return nil
  }

  package func close() {
    position = transactions.rowCount
    rest = []
  }
}
