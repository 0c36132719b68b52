import CPostgreSQL
import Foundation

/// Owns a connection of the client library. Everything above it is safe.
final class RawConnection {
  let pointer: OpaquePointer
  let address: ServerAddress

  /// Connects to a server.
  ///
  /// - Parameter deadline: the seconds after which an attempt ends, unless the address has a `connect_timeout`.
  /// - Throws: ``PostgreSQLError``
  init(_ address: ServerAddress, deadline: Int) throws {
    self.address = address
    // The address overrides the options before it. The options after it override the address.
    let options =
      [("connect_timeout", "\(deadline)"), ("fallback_application_name", "SwiftData")] + Self.liveness
      + [("dbname", address.text), ("client_encoding", "UTF8")]
    let keywords = options.map { strdup($0.0) }
    let values = options.map { strdup($0.1) }
    defer { for text in keywords + values { free(text) } }
    // Both lists end with a null pointer.
    let keywordList: [UnsafePointer<CChar>?] = keywords.map { UnsafePointer($0) } + [nil]
    let valueList: [UnsafePointer<CChar>?] = values.map { UnsafePointer($0) } + [nil]
    let opened = PQconnectdbParams(keywordList, valueList, 1)
    guard let opened else {
      throw PostgreSQLError(message: "not enough memory", database: "\(address)", isConnectionLost: true)
    }
    pointer = opened
    cpostgresql_ignore_notices(opened)
    if let refusal = Self.refusal(by: opened) {
      // All stored properties are set, so the destructor closes the connection.
      throw PostgreSQLError(
        state: refusal.state, message: address.withoutSecrets(refusal.message), database: "\(address)",
        isConnectionLost: true)
    }
    // The code of a session that the server ends is only in the verbose form of its last message.
    PQsetErrorVerbosity(opened, PQERRORS_VERBOSE)
  }

  deinit { PQfinish(pointer) }

  /// Ends a connection whose other side is silent for about a minute. The operating system alone waits for a quarter of an hour when it has
  /// sent something, and for two hours otherwise.
  private static let liveness = [
    ("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3"), ("tcp_user_timeout", "60000"),
  ]

  var isUsable: Bool { !isBroken && PQstatus(pointer) == CONNECTION_OK }

  /// The client library itself has failed a statement. After a failed write it calls the connection good until the next read.
  private var isBroken = false

  var isInTransaction: Bool { PQtransactionStatus(pointer) != PQTRANS_IDLE }

  /// The reason why a connection was not made; `nil` if it was.
  ///
  /// The client library gives no error code. The English words of frequent refusals tell it, else a second attempt with verbose messages.
  private static func refusal(by connection: OpaquePointer) -> (state: SQLState?, message: String)? {
    if PQstatus(connection) == CONNECTION_OK { return nil }
    let message = String(cString: PQerrorMessage(connection))
    let state = state(inConnectionMessage: message)
    guard state == nil, VerboseMessage.isServers(message) else { return (state, message) }
    PQsetErrorVerbosity(connection, PQERRORS_VERBOSE)
    PQreset(connection)
    if PQstatus(connection) == CONNECTION_OK { return nil }
    let verbose = VerboseMessage(String(cString: PQerrorMessage(connection)))
    return (verbose.state, verbose.text)
  }

  private static func state(inConnectionMessage message: String) -> SQLState? {
    let refusals: [(words: String, state: SQLState)] = [
      ("authentication failed", "28000"), ("no pg_hba.conf entry", "28000"), ("no password supplied", "28000"),
      ("is not permitted to log in", "28000"), ("permission denied for database", "42501"),
      ("too many c", "53300"), ("remaining connection slots are reserved", "53300"),
    ]
    return refusals.first { message.contains($0.words) }?.state
  }

  /// What the client library last said.
  var lastMessage: VerboseMessage { VerboseMessage(String(cString: PQerrorMessage(pointer))) }

  /// The error for a statement that has no result.
  func problem(_ statement: String) -> PostgreSQLError {
    let last = lastMessage
    return PostgreSQLError(
      state: last.state, message: last.text, database: "\(address)", statement: statement, isConnectionLost: !isUsable)
  }

  /// The result of a statement.
  ///
  /// - Throws: ``PostgreSQLError`` for a result that is none, or an error.
  func checked(_ result: OpaquePointer?, _ statement: String) throws -> QueryResult {
    guard let result else { throw problem(statement) }
    let status = PQresultStatus(result)
    switch status {
    case PGRES_COMMAND_OK, PGRES_TUPLES_OK: return QueryResult(result)
    default: break
    }
    defer { PQclear(result) }
    func field(_ code: Character) -> String? {
      PQresultErrorField(result, Int32(code.asciiValue ?? 0)).map { String(cString: $0) }
    }
    let state = field("C").map { SQLState($0) }
    if state == nil { isBroken = true }
    // A statement that asks for more parameters than it has is a violation of the protocol, too.
    let isStatement = state == .protocolViolation && field("V") == "ERROR"
    let last = lastMessage
    var message = field("M") ?? last.text
    // Only the details name the views and triggers. Details of other errors have values.
    if state?.isOfDependents == true, let detail = field("D") { message += ": \(detail)" }
    throw PostgreSQLError(
      state: state ?? last.state, message: message, database: "\(address)", statement: statement,
      schema: field("s"), table: field("t"), column: field("c"), constraint: field("n"), routine: field("R"),
      isConnectionLost: !isUsable
        || !isStatement
          && state.map { $0.category == "08" || SQLState.shutdowns.contains($0) } == true
    )
  }
}
