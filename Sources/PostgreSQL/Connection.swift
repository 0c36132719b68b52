import CPostgreSQL
import Foundation

/// A connection to a server. Belongs to one thread at a time.
package final class Connection {
  let raw: RawConnection
  /// Whether a statement runs whose result nobody has read. Another one would drop it.
  private var isWaiting = false
  /// Statements that are sent with the next one: the `BEGIN` of a transaction first.
  private var pending: [String] = []
  private var isBeginPending = false
  /// The names of prepared statements; a statement that was run once has none yet.
  private var statements: [StatementKey: String?] = [:]
  private var statementCount = 0

  /// The server prepares a statement for the types of its parameters.
  private struct StatementKey: Hashable {
    let sql: String
    let types: [UInt32]
  }

  /// Statements are prepared when they run for the second time, at most this many.
  private static let statementLimit = 256
  /// Whether a statement that runs again is prepared. A pooler that shares sessions lets another client find the prepared statement.
  private let preparesStatements: Bool
  /// Called with each statement before it runs.
  package var log: (@Sendable (String) -> Void)?
  /// Called with each statement and its values after it has run, or failed.
  package var onStatementEnd: (@Sendable (_ sql: String, _ parameters: [Parameter], _ duration: Duration) -> Void)?
  /// What the connection's user knows of its session.
  package var mark: Int64?

  /// The largest total size of a statement's values: 1 GB, the server's limit for a message, less room for the rest of it.
  package static let largestStatement = 0x3ff0_0000

  /// Connects to a server.
  ///
  /// - Parameters:
  ///   - deadline: the seconds after which an attempt ends, unless the address has a `connect_timeout`.
  ///   - preparesStatements: `false` for a session that ends with each transaction.
  /// - Throws: ``PostgreSQLError``
  package init(_ address: ServerAddress, deadline: Int = 10, preparesStatements: Bool = true) throws {
    self.preparesStatements = preparesStatements
    raw = try RawConnection(address, deadline: deadline)
  }

  package var address: ServerAddress { raw.address }

  package var isUsable: Bool { raw.isUsable }

  package var isInTransaction: Bool { isBeginPending || raw.isInTransaction }

  /// Whether the server has answered the statement that began the last transaction.
  package private(set) var beginWasAnswered = false

  /// Whether a pooler answers instead of the server. A pooler reports another process number than the server. Cost: one query.
  package func isBehindPooler() throws -> Bool {
    try run("SELECT pg_backend_pid()::bigint").integer(0, 0) != Int64(PQbackendPID(raw.pointer))
  }

  /// The version of the server: 150004 for 15.4.
  package var serverVersion: Int { Int(PQserverVersion(raw.pointer)) }

  /// The user of the session.
  package var user: String { PQuser(raw.pointer).map { String(cString: $0) } ?? "" }

  /// The name of the database.
  package var database: String { PQdb(raw.pointer).map { String(cString: $0) } ?? "" }

  /// The encoding of the database's texts, and other settings that the server reports.
  package func setting(_ name: String) -> String? {
    PQparameterStatus(raw.pointer, name).map { String(cString: $0) }
  }

  /// Runs statements without placeholders, separated by semicolons, and returns the last result, in text form.
  ///
  /// - Throws: ``PostgreSQLError``
  @discardableResult
  package func execute(_ sql: String) throws -> QueryResult {
    try check(sql)
    try sendPending()
    return try timing(sql) { try raw.checked(PQexec(raw.pointer, sql), sql) }
  }

  /// Runs one statement; its result is in binary form.
  ///
  /// A statement that runs again is prepared, and only its name and parameters are sent from then on.
  /// - Throws: ``PostgreSQLError``
  @discardableResult
  package func run(_ sql: String, _ parameters: [Parameter] = []) throws -> QueryResult {
    try check(sql, parameters)
    return try timing(sql, parameters) {
      try runPrepared(sql, parameters) { name in try answer(to: sql, parameters, name: name) }
    }
  }

  /// Runs one statement, and a closure while the server works: it makes the values of the next statement, for example.
  ///
  /// - Parameter body: does not use the connection.
  /// - Throws: ``PostgreSQLError``; the closure's error, after the statement has ended.
  package func run<Value>(
    _ sql: String, _ parameters: [Parameter], while body: () throws -> Value
  ) throws -> (result: QueryResult, value: Value) {
    try check(sql, parameters)
    return try timing(sql, parameters) {
      try runPrepared(sql, parameters) { name in try send(sql, parameters, name: name) }
      isWaiting = true
      let value = Result(catching: body)
      isWaiting = false
      let result = Result { try receive(sql) }
      return (result: try result.get(), value: try value.get())
    }
  }

  private func timing<Result>(
    _ sql: String, _ parameters: [Parameter] = [], _ body: () throws -> Result
  ) rethrows -> Result {
    guard let onStatementEnd else { return try body() }
    let start = ContinuousClock.now
    defer { onStatementEnd(sql, parameters, ContinuousClock.now - start) }
    return try body()
  }

  /// Calls a closure with the name of a prepared statement; with `nil` for a statement that is not prepared.
  private func runPrepared<Result>(
    _ sql: String, _ parameters: [Parameter], _ body: (_ name: String?) throws -> Result
  ) throws -> Result {
    guard preparesStatements else { return try body(nil) }
    let key = StatementKey(sql: sql, types: parameters.map(\.type))
    guard let known = statements[key] else {
      if statements.count >= Self.statementLimit {
        try sendPending()
        statements.removeAll()
        _ = try raw.checked(PQexec(raw.pointer, "DEALLOCATE ALL"), "DEALLOCATE ALL")
      }
      statements[key] = .some(nil)
      return try body(nil)
    }
    return try body(known ?? prepare(key))
  }

  /// Forgets all prepared statements: after a change of tables their results may have other types.
  package func forgetStatements() throws {
    guard preparesStatements else { return }
    statements.removeAll()
    try execute("DEALLOCATE ALL")
  }

  private func prepare(_ key: StatementKey) throws -> String {
    try sendPending()
    statementCount += 1
    let name = "s\(statementCount)"
    _ = try raw.checked(PQprepare(raw.pointer, name, key.sql, Int32(clamping: key.types.count), key.types), key.sql)
    statements[key] = name
    return name
  }

  private static func size(of parameters: [Parameter]) -> Int { parameters.reduce(0) { $0 + ($1.bytes?.count ?? 0) } }

  /// Logs a statement. Refuses it if another statement runs, and if it has a NUL, at which the client library would cut it.
  private func check(_ sql: String, _ parameters: [Parameter] = []) throws {
    guard !isWaiting else {
      throw PostgreSQLError(
        message: "another statement of the connection has not ended", database: "\(address)", statement: sql)
    }
    guard !sql.hasNUL else {
      throw PostgreSQLError(
        message: "a statement, or a name in it, has a NUL character (U+0000)", database: "\(address)",
        statement: sql.withoutNUL)
    }
    // A larger message would make the server close the connection, and the save would be repeated.
    guard Self.size(of: parameters) <= Self.largestStatement, parameters.count <= Int(UInt16.max) else {
      throw PostgreSQLError(
        message: "a statement has more values than the protocol can carry: at most \(UInt16.max), of 1 GB together",
        database: "\(address)", statement: sql, advice: "give it fewer or smaller values, and keep large ones in files")
    }
    log?(sql)
  }

  private func answer(to sql: String, _ parameters: [Parameter], name: String?) throws -> QueryResult {
    if !pending.isEmpty {
      try send(sql, parameters, name: name)
      return try receive(sql)
    }
    let result = withValues(of: parameters) { count, types, values, lengths, formats in
      if let name {
        PQexecPrepared(raw.pointer, name, count, values, lengths, formats, 1)
      } else {
        PQexecParams(raw.pointer, sql, count, types, values, lengths, formats, 1)
      }
    }
    return try raw.checked(result, sql)
  }

  /// Sends a statement, after the pending ones and in one message with them.
  private func send(_ sql: String, _ parameters: [Parameter], name: String?) throws {
    do {
      for statement in pending { try enterPipeline(with: statement) }
      let isSent = withValues(of: parameters) { count, types, values, lengths, formats in
        if let name {
          PQsendQueryPrepared(raw.pointer, name, count, values, lengths, formats, 1)
        } else {
          PQsendQueryParams(raw.pointer, sql, count, types, values, lengths, formats, 1)
        }
      }
      guard isSent == 1, pending.isEmpty || PQpipelineSync(raw.pointer) == 1 else { throw raw.problem(sql) }
    } catch {
      if !pending.isEmpty {
        endPipeline()
        dropPending()
      }
      throw error
    }
  }

  /// Waits for the result of a sent statement. An error of a statement that was sent with it comes first.
  private func receive(_ sql: String) throws -> QueryResult {
    guard !pending.isEmpty else { return try nextResult(sql) }
    defer { leavePipeline() }
    try takePending { statement in
      // The answers come together, and the time is the statement's.
      defer { onStatementEnd?(statement, [], .zero) }
      _ = try nextResult(statement)
    }
    return try nextResult(sql)
  }

  /// Calls a closure with the pending statements, which are no longer pending then.
  private func takePending(_ body: (String) throws -> Void) throws {
    let (statements, isBegin) = (pending, isBeginPending)
    dropPending()
    for statement in statements {
      try body(statement)
      if isBegin { beginWasAnswered = true }
    }
  }

  /// The result of the next statement.
  private func nextResult(_ sql: String) throws -> QueryResult {
    let first = PQgetResult(raw.pointer)
    let result = Result { try raw.checked(first, sql) }
    // A null pointer ends the results of a statement.
    if first != nil { while let more = PQgetResult(raw.pointer) { PQclear(more) } }
    return try result.get()
  }

  /// Sends the pending statements alone.
  private func sendPending() throws {
    try takePending { statement in
      _ = try timing(statement) { try raw.checked(PQexec(raw.pointer, statement), statement) }
    }
  }

  /// Calls a closure with parameters as the client library takes them.
  private func withValues<Result>(
    of parameters: [Parameter],
    _ body: (
      _ count: Int32, _ types: [UInt32], _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
    ) -> Result
  ) -> Result {
    // One block of memory for all values; each placeholder has a pointer into it.
    let size = Self.size(of: parameters)
    let types = parameters.map(\.type)
    let lengths = parameters.map { Int32($0.bytes?.count ?? 0) }
    let formats = [Int32](repeating: 1, count: parameters.count)
    let block = UnsafeMutableRawBufferPointer.allocate(byteCount: max(size, 1), alignment: 8)
    defer { block.deallocate() }
    var values: [UnsafePointer<CChar>?] = []
    values.reserveCapacity(parameters.count)
    var offset = 0
    for parameter in parameters {
      guard let bytes = parameter.bytes, let base = block.baseAddress else {
        values.append(nil)
        continue
      }
      let start = base + offset
      bytes.withUnsafeBytes { source in
        if let from = source.baseAddress { start.copyMemory(from: from, byteCount: source.count) }
      }
      values.append(UnsafePointer(start.assumingMemoryBound(to: CChar.self)))
      offset += bytes.count
    }
    return body(Int32(parameters.count), types, values, lengths, formats)
  }
}

extension Connection {
  /// Sends a statement without placeholders, which the server runs after those that were sent before.
  ///
  /// From the first one until ``endPipeline()``, only this and ``answer(to:)`` may be called.
  /// - Throws: ``PostgreSQLError`` if the connection is lost.
  package func ask(_ sql: String) throws {
    try check(sql)
    try sendPending()
    try enterPipeline(with: sql)
    guard PQsendFlushRequest(raw.pointer) == 1, PQflush(raw.pointer) == 0 else { throw raw.problem(sql) }
  }

  /// Sends a statement without placeholders. Its answer need not come before the next statement is sent.
  private func enterPipeline(with sql: String) throws {
    if PQpipelineStatus(raw.pointer) == PQ_PIPELINE_OFF, PQenterPipelineMode(raw.pointer) != 1 {
      throw raw.problem(sql)
    }
    guard PQsendQueryParams(raw.pointer, sql, 0, nil, nil, nil, nil, 1) == 1 else { throw raw.problem(sql) }
  }

  /// Waits for the result of the first statement that was sent and not answered; it is in binary form.
  ///
  /// - Throws: ``PostgreSQLError``
  package func answer(to sql: String) throws -> QueryResult {
    try timing(sql) {
      let result = PQgetResult(raw.pointer)
      // A null pointer ends the results of each statement.
      if result != nil { _ = PQgetResult(raw.pointer) }
      return try raw.checked(result, sql)
    }
  }

  /// Drops the answers that nobody has read.
  package func endPipeline() {
    guard PQpipelineStatus(raw.pointer) != PQ_PIPELINE_OFF, PQpipelineSync(raw.pointer) == 1 else { return }
    leavePipeline()
  }

  /// Reads to the end of what was sent.
  private func leavePipeline() {
    var isAtEnd = false
    while !isAtEnd, isUsable {
      guard let result = PQgetResult(raw.pointer) else { continue }
      isAtEnd = PQresultStatus(result) == PGRES_PIPELINE_SYNC
      PQclear(result)
    }
    PQexitPipelineMode(raw.pointer)
  }

  /// Sends a statement without placeholders in one message with the next statement, which saves a round trip unless that one is prepared first. Nobody gets its result.
  package func runWithNext(_ sql: String) throws {
    try check(sql)
    pending.append(sql)
  }

  /// Forgets the statements that have not been sent.
  func dropPending() {
    pending = []
    isBeginPending = false
  }

  /// Runs a closure in a transaction, which it rolls back if the closure throws.
  ///
  /// By default each statement sees what others have committed before it, whatever the default isolation of the database is.
  ///
  /// - Parameters:
  ///   - settings: settings of the transaction.
  ///   - beginsLate: whether `BEGIN` is sent with the first statement of the closure, which saves a round trip. Takes no settings.
  package func transaction<Result>(
    _ statement: String = "BEGIN ISOLATION LEVEL READ COMMITTED", with settings: ServerSettings? = nil,
    beginsLate: Bool = false, _ body: () throws -> Result
  ) throws -> Result {
    beginWasAnswered = false
    do {
      if beginsLate {
        try runWithNext(statement)
        isBeginPending = true
      } else {
        try begin(statement, with: settings)
        beginWasAnswered = true
      }
      let result = try body()
      // A closure without a statement has begun nothing.
      if !isBeginPending { try execute("COMMIT") }
      dropPending()
      return result
    } catch {
      dropPending()
      // After a lost connection the server rolls back by itself.
      if isUsable, isInTransaction { _ = try? execute("ROLLBACK") }
      throw error
    }
  }
}
