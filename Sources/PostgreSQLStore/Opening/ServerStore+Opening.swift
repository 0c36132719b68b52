import ErrorReporting
import Foundation
package import ManagedModel
import PostgreSQL
import StoreRequests

extension ServerStore {
  /// Opens the store of a database's schema; makes its tables if the schema has none.
  ///
  /// - Parameter log: called with each statement before it runs; for tests and logs.
  /// - Throws: ``OtherModelError`` for a store of another version; ``StoreProblem``; ``PostgreSQLError`` from the server.
  package static func open(
    _ address: String, options: ServerOptions, model: ModelDescription, log: (@Sendable (String) -> Void)? = nil
  ) throws -> ServerStore {
    let address = try ServerAddress(address)
    try options.check(address)
    let pool = ConnectionPool(
      address, size: options.connectionLimit, deadline: options.deadline,
      preparesStatements: !options.sharesSessions, log: log, onStatementEnd: ServerLog.onStatementEnd)
    let (store, layout) = try pool.withConnection { connection in
      try StoreOpening(connection: connection, model: model, options: options).run()
    }
    return ServerStore(
      identifier: store.identifier, version: store.version, layout: layout, pool: pool, isReadOnly: options.isReadOnly,
      sharesSessions: options.sharesSessions, replica: try options.replica(of: store.identifier, log: log))
  }
}

extension ServerOptions {
  /// The copy that the options name; `nil` if they name none. It may be away now.
  ///
  /// - Throws: ``StoreProblem`` if it has another store.
  func replica(of identifier: UUID, log: (@Sendable (String) -> Void)?) throws -> Replica? {
    guard let readAddress else { return nil }
    let pool = ConnectionPool(
      try ServerAddress(readAddress), size: connectionLimit, deadline: deadline, preparesStatements: !sharesSessions,
      // Fetches go to the server meanwhile.
      waitsForServer: false, log: log, onStatementEnd: ServerLog.onStatementEnd)
    let replica = Replica(
      pool, table: "\(Identifier(schema)).\(StoreDefinitions.store)", sharesSessions: sharesSessions)
    do {
      // A new store may not have come to the copy yet.
      let found = try pool.withConnection { try StoreRecords(connection: $0, options: self).read() }
      guard found == nil || found?.identifier == identifier else {
        throw StoreProblem(
          "\(pool.address): the schema \(quoted(schema)) has another store than the server that saves go to",
          remedy: "let readAddress name a standby of that server")
      }
    } catch let error as PostgreSQLError where error.isConnectionLost {
      replica.rest()
    }
    return replica
  }
}

/// Finds, checks or makes the tables of a store.
private struct StoreOpening {
  let connection: Connection
  let model: ModelDescription
  let options: ServerOptions

  private var records: StoreRecords { StoreRecords(connection: connection, options: options) }

  func run() throws -> (StoreRecord, StoreLayout) {
    try records.checkServer()
    if let found = try existingStore() { return found }
    guard !options.isReadOnly else {
      throw problem("the schema \(quoted(options.schema)) has no store", remedy: "open it for writing once")
    }
    return try connection.transaction(with: .unlimited) {
      // Two programs may open a new store at the same time.
      try records.lock()
      if let found = try existingStore() { return found }
      let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
      return (try records.making { try makeStore(layout) }, layout)
    }
  }

  private func problem(_ text: String, remedy: String) -> StoreProblem {
    StoreProblem("\(connection.address): \(text)", remedy: remedy)
  }

  /// `nil` if there is none.
  private func existingStore() throws -> (StoreRecord, StoreLayout)? {
    guard let record = try records.read() else { return nil }
    let layout = try LayoutBuilder.layout(
      try storedModel(try records.hashes()), schema: options.schema, rule: options.naming)
    try records.checkColumns(layout)
    if !options.isReadOnly {
      try records.followRenaming(layout)
      // The store can be used without them. The next program that opens it tries again.
      ServerLog.reporting("\(connection.address): completing the store of the schema \(quoted(options.schema))") {
        let isCompleted = try records.addMissingDefinitions(layout)
        if isCompleted || !record.pending.isEmpty { try PendingDefinitions(connection, options).make() }
      }
    }
    return (record, layout)
  }

  /// The model, with the entities that the store has besides.
  private func storedModel(_ stored: VersionHashes) throws -> ModelDescription {
    let hashes = try VersionHashes(model)
    let differing = hashes.differingEntities(from: stored).filter { hashes[$0] != nil }
    if differing.isEmpty, let other = try records.currentModel() {
      let whole = (hashes == stored ? model : model.keepingOtherEntities(of: other)).keepingContents(
        of: other, isReadOnly: options.isReadOnly)
      // A reader does without the present delete rules and indexes.
      if try VersionHashes(whole) == stored, try options.isReadOnly || records.definesSameTables(whole, as: other) {
        return whole
      }
    }
    let names = differing.isEmpty ? hashes.hashes.keys.sorted() : differing
    let error = problem(
      "the schema \(quoted(options.schema)) has the tables of another version of the model; these entities differ: "
        + abbreviatedList(names.map(quoted)),
      remedy: "open it with the classes that made it, or open it for writing, so that it is migrated")
    throw OtherModelError(error)
  }

  private func makeStore(_ layout: StoreLayout) throws -> StoreRecord {
    try records.checkNames(of: layout)
    try records.makeSchema()
    let names = layout.tables.map(\.name) + layout.joinTables.map(\.name)
    for name in names where try records.exists(name) {
      throw problem(
        "the schema \(quoted(options.schema)) already has a table \(quoted(name.name)), which no SwiftData store made",
        remedy: "choose another schema, or rename the table")
    }
    try records.checkTypes(of: layout)
    for statement in StoreDefinitions(layout: layout).statements { try connection.execute(statement) }
    return try records.insert(model)
  }
}
