import ErrorReporting

/// The reason why the server, or the connection to it, failed a request. Contains no password and no stored value.
package struct PostgreSQLError: ReportableError, Sendable, Hashable {
  /// The five characters of the server's error code; `nil` if the server could not be asked.
  package let state: SQLState?
  /// The server's or the client library's message.
  package let message: String
  /// The database and the host.
  package let database: String
  /// The statement that failed; `nil` for a connection.
  package let statement: String?
  /// The schema, the table, the column and the constraint that an invalid row violates, if the server names them.
  package let schema: String?
  package let table: String?
  package let column: String?
  package let constraint: String?
  /// The function of the server that found the error, which has the same name in every language.
  package let routine: String?
  /// Whether the connection was lost, or could not be made.
  package let isConnectionLost: Bool
  /// The way out, if it does not follow from the code.
  package private(set) var advice: String?

  package init(
    state: SQLState? = nil, message: String, database: String, statement: String? = nil, schema: String? = nil,
    table: String? = nil, column: String? = nil, constraint: String? = nil, routine: String? = nil,
    isConnectionLost: Bool = false, advice: String? = nil
  ) {
    self.state = state
    self.message = message
    self.database = database
    self.statement = statement
    self.schema = schema
    self.table = table
    self.column = column
    self.constraint = constraint
    self.routine = routine
    self.isConnectionLost = isConnectionLost
    self.advice = advice
  }

  /// The error with another way out.
  package func advising(_ advice: String) -> PostgreSQLError {
    var error = self
    error.advice = advice
    return error
  }

  package var problem: String {
    let code = state.map { " (\($0.code))" } ?? ""
    let text = statement.map { " — while executing \(onOneLine($0, limit: 200))" } ?? ""
    return "\(database): \(onOneLine(message))\(code)\(text)"
  }

  package var remedy: String? {
    if let advice { return advice }
    // The server has refused the connection, or ended it on purpose.
    if let state, state.isServersWill { return state.remedy }
    if isConnectionLost { return "check that the server runs and that the address is right, and try again" }
    return state?.remedy
  }
}

/// An error code of the server (PostgreSQL documentation, appendix A).
package struct SQLState: Sendable, Hashable, ExpressibleByStringLiteral {
  package let code: String

  package init(_ code: String) { self.code = code }
  package init(stringLiteral value: String) { self.init(value) }

  package static let uniqueViolation: SQLState = "23505"
  package static let foreignKeyViolation: SQLState = "23503"
  package static let notNullViolation: SQLState = "23502"
  package static let checkViolation: SQLState = "23514"
  package static let serializationFailure: SQLState = "40001"
  package static let deadlock: SQLState = "40P01"
  package static let invalidParameterValue: SQLState = "22023"
  /// The server ends all connections, or does not accept any yet: `admin_shutdown`, `crash_shutdown`, `cannot_connect_now`.
  package static let shutdowns: Set<SQLState> = ["57P01", "57P02", "57P03"]
  /// A value, a row or a table is larger than the server allows.
  package static let programLimitExceeded: SQLState = "54000"
  package static let insufficientPrivilege: SQLState = "42501"
  package static let protocolViolation: SQLState = "08P01"
  package static let featureNotSupported: SQLState = "0A000"
  /// The server, or the database, takes no changes.
  package static let readOnlyTransaction: SQLState = "25006"
  /// The time limit of a statement has passed, or somebody has cancelled it.
  package static let queryCanceled: SQLState = "57014"
  package static let numericValueOutOfRange: SQLState = "22003"
  package static let lockNotAvailable: SQLState = "55P03"
  package static let tooManyConnections: SQLState = "53300"
  /// A transaction was idle, or lasted, longer than the server allows. The server has ended the connection.
  package static let idleInTransactionTimeout: SQLState = "25P03"
  package static let transactionTimeout: SQLState = "25P04"
  /// Others depend on what a statement drops.
  package static let dependentObjects: SQLState = "2BP01"

  /// The classes of errors by which a server refuses a connection: the user, the database, a right, too many connections.
  private static let refusals: Set<String> = ["28", "3D", "42", "53"]

  /// Whether the server itself refused or ended the connection. Then the address leads to a server.
  fileprivate var isServersWill: Bool {
    Self.refusals.contains(category) || Self.shutdowns.contains(self) || self == .idleInTransactionTimeout
      || self == .transactionTimeout
  }

  /// Whether the same transaction may succeed if it is tried again.
  package var isTransient: Bool { self == .serializationFailure || self == .deadlock }

  /// Whether others depend on what a statement drops, or on a column that it changes.
  package var isOfDependents: Bool { self == .dependentObjects || self == .featureNotSupported }

  /// The two characters of the class of errors.
  package var category: String { String(code.prefix(2)) }

  var remedy: String? {
    switch self {
    case .readOnlyTransaction:
      return
        "let the address lead to the primary server, for example with target_session_attrs=read-write, or end the database's default_transaction_read_only"
    case .lockNotAvailable:
      return "try again: another transaction holds the rows, or raise the server's lock_timeout for this user"
    case .queryCanceled:
      return
        "if nobody has cancelled the statement, fetch less at a time, or raise the server's statement_timeout for this user"
    case .idleInTransactionTimeout:
      return "let the transaction wait less, or raise the server's idle_in_transaction_session_timeout for this user"
    case .transactionTimeout:
      return "let the transaction do less, or raise the server's transaction_timeout for this user"
    default: break
    }
    return switch category {
    // Another session has, or lacks, the prepared statement.
    case "26",
      "42" where code == "26000" || code == "42P05":
      "if a connection pooler stands before the server, give the configuration sessions: .shared"
    case "28": "check the user's name and password, and the server's pg_hba.conf"
    case "3D": "create the database, or correct its name in the address"
    case "40": "try again: other transactions used the same rows at the same time"
    case _ where self == .insufficientPrivilege: "grant the user the right to do this"
    // The table, the column or its type is not what the store expects, or what it was when the statement was prepared.
    case _ where ["0A000", "42P01", "42703", "42804", "42883"].contains(code):
      "if somebody has changed the table, undo the change; if a program has migrated the store, open it again"
    // A table is a type of its name, too.
    case "42" where code == "42P07" || code == "42710":
      "rename what has the name in the schema, or the entity or relationship that the new table is named after; the server itself gives names like “book_pkey” and “book__id_seq” to parts of the table “book”"
    case "23" where code == "23502":
      "if somebody has added a required column to the table, give it a default, or drop it"
    case _ where self == .tooManyConnections: "end other programs' connections, or raise the server's max_connections"
    case "23" where code == "23503":
      "if somebody has added a foreign key, give it ON DELETE CASCADE or SET NULL, or drop it"
    case "23" where code == "23505":
      "if somebody has added a uniqueness constraint, drop it, or change one of the two rows"
    case "53": "free the server's resources, and try again"
    case "54" where code == "54001": "make the condition smaller, or raise the server's max_stack_depth"
    case "54" where code == "54011":
      "give the class, or the classes that inherit from one another, fewer properties: they share a table, and columns that were dropped count too"
    case "54":
      "shorten the values that an index or a uniqueness constraint has, or give the class fewer properties: a row has about 8 KB, beside long texts and data"
    case "57": "try again when the server accepts requests"
    default: nil
    }
  }
}
