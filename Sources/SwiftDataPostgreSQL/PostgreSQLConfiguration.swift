internal import Foundation
package import ManagedModel
internal import PostgreSQL
internal import PostgreSQLStore
package import StoreRequests
public import SwiftData

/// The place and options of a store in a PostgreSQL database.
///
///     let configuration = PostgreSQLConfiguration("postgresql://app@db.example/library")
///     let container = try ModelContainer(for: Book.self, configurations: configuration)
///
/// The address is a URL, or keywords and values, as `libpq` takes them; parts that it leaves out come from the environment
/// (`PGHOST`, `PGPASSWORD`, …) and from `~/.pgpass`. The tables are made when the store is first opened: one for each hierarchy of
/// classes, with the names of classes and properties in small letters and underscores.
///
/// Dates are kept to the microsecond, decimal numbers with all their digits, and strings without NUL characters. Not in Apple's
/// framework.
public struct PostgreSQLConfiguration: Sendable {
  /// The configuration's name; "default" unless given.
  public let name: String
  /// The entities that the store keeps; `nil` for the entities that no other configuration of the container has.
  public var schema: Schema?
  /// The address of the database; it may contain a password.
  public let address: String
  /// Whether changes may be saved.
  public let allowsSave: Bool
  /// The schema of the database that has the tables; made if it does not exist.
  public let databaseSchema: String
  /// How tables and columns are named.
  public let naming: Naming
  /// The largest number of connections that requests have at a time; at least 2, of which one always serves reads.
  ///
  /// More connections come on top. A container that follows the saves of others has one, and a migration has up to two until its indexes
  /// are made. Fetches from `readAddress` have as many again.
  public let connectionLimit: Int
  /// The seconds that an attempt to connect, and the wait for a free connection, may take. A number below 1 counts as 1, and a number beyond a
  /// year as a year.
  public let deadline: Double

  /// Whether each connection has a session of the server of its own.
  public let sessions: Sessions
  /// The address of a standby of the server, which serves fetches; `nil` if there is none.
  ///
  /// A store reads its own saves and all that it has heard of: while the standby lacks one of them, fetches go to the server itself.
  public let readAddress: String?

  /// How long the store keeps its history; `nil`, the default, keeps it until somebody deletes it.
  ///
  /// As `historyRetention` of a `ModelConfiguration`: old transactions go when the container opens and from time to time after saves,
  /// except those that a reader needs. All programs see one another's readers.
  public var historyRetention: Duration?

  /// How an older store is migrated. A backup is the server's affair: ``validate()`` refuses a place for one.
  public var migration = MigrationOptions()

  /// The rule for the names of tables and columns.
  public enum Naming: Sendable, Hashable {
    /// `publishedOn` is `published_on`.
    case snakeCase
    /// As the classes spell them.
    case asSpelled
  }

  /// Called with each statement before it runs; for benchmarks and tests.
  package var log: (@Sendable (String) -> Void)?

  /// The sessions of the server that connections have.
  public enum Sessions: Sendable, Hashable {
    /// Each connection has its own. A store that finds a pooler before the server asks for saves of others four times a second.
    case own
    /// A pooler, such as PgBouncer in its transaction mode, gives each transaction any of its sessions.
    ///
    /// The store then prepares no statements, and asks for saves of others four times a second, in place of `LISTEN`.
    case shared
  }

  /// A configuration of a database.
  ///
  /// - Parameters:
  ///   - address: such as `postgresql://user@host/database`.
  ///   - name: the name of the configuration; by default "default".
  ///   - schema: the classes of the store; by default those of the container.
  ///   - allowsSave: whether contexts may save into the store.
  ///   - databaseSchema: stores in different schemas of a database know nothing of one another.
  ///   - naming: how tables and columns are named.
  ///   - connectionLimit: the largest number of connections that requests have at a time.
  ///   - deadline: the seconds that an attempt to connect, the wait for a free connection, and the wait for a server that restarts, may take.
  ///   - readAddress: the address of a standby for fetches.
  ///   - sessions: `.shared` behind a pooler that pools transactions.
  ///   - historyRetention: how long the store keeps its history; `nil` keeps all of it.
  public init(
    _ address: String, name: String? = nil, schema: Schema? = nil, allowsSave: Bool = true,
    databaseSchema: String = "public", naming: Naming = .snakeCase, connectionLimit: Int = 8, deadline: Double = 10,
    sessions: Sessions = .own, readAddress: String? = nil, historyRetention: Duration? = nil
  ) {
    self.address = address
    self.name = name ?? "default"
    self.schema = schema
    self.allowsSave = allowsSave
    self.databaseSchema = databaseSchema
    self.naming = naming
    self.connectionLimit = connectionLimit
    self.deadline = deadline
    self.sessions = sessions
    self.readAddress = readAddress
    self.historyRetention = historyRetention
  }
}

extension PostgreSQLConfiguration: EngineConfiguration {
  /// The store of such a configuration.
  public typealias Store = PostgreSQLDataStore

  /// Checks the addresses, the deadline and the migration options. The deadline must not be negative, and `migration.backup`
  /// must be `nil`. Does not connect.
  ///
  /// - Throws: `SwiftDataError.loadIssueModelContainer`
  public func validate() throws {
    guard deadline >= 0 else {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "The deadline of the configuration \"\(name)\" is \(deadline), which is no number of seconds: choose 0 or more."
      )
    }
    guard migration.backup == nil else {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "The configuration \"\(name)\" names a file for a backup, which \(place) does not have: copy the database with pg_dump or the server's own backups, and let migration.backup be nil."
      )
    }
    try check(address, of: "The address")
    if let readAddress { try check(readAddress, of: "The readAddress") }
  }

  private func check(_ address: String, of subject: String) throws {
    do { _ = try ServerAddress(address) } catch {
      throw SwiftDataError.loadIssueModelContainer.explained(
        "\(subject) of the configuration \"\(name)\" cannot be used: \(error)", underlyingError: error)
    }
  }

  package var place: String { (try? ServerAddress(address).description) ?? "a PostgreSQL database" }

  package func openEngine(_ model: ModelDescription) throws -> any StoreEngine {
    try ServerStore.open(address, options: options, model: model, log: log)
  }

  package func migrator() throws -> (any StoreMigrator)? { try ServerMigrator(address, options: options) }

  var options: ServerOptions {
    var options = ServerOptions()
    options.schema = databaseSchema
    options.naming = naming == .snakeCase ? .snakeCase : .asSpelled
    options.connectionLimit = connectionLimit
    options.deadline = deadline
    options.isReadOnly = !allowsSave
    options.sharesSessions = sessions == .shared
    options.readAddress = readAddress
    options.duplicates = migration.uniquenessPolicy.duplicates
    return options
  }
}

extension PostgreSQLConfiguration: Hashable {
  /// Whether two configurations describe one store with the same options.
  public static func == (left: PostgreSQLConfiguration, right: PostgreSQLConfiguration) -> Bool {
    left.name == right.name && left.address == right.address && left.schema == right.schema
      && left.allowsSave == right.allowsSave && left.databaseSchema == right.databaseSchema
      && left.naming == right.naming && left.connectionLimit == right.connectionLimit && left.deadline == right.deadline
      && left.sessions == right.sessions && left.readAddress == right.readAddress
      && left.historyRetention == right.historyRetention
  }

  /// Hashes the name and the place.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(address)
    hasher.combine(databaseSchema)
  }
}

extension PostgreSQLConfiguration: CustomDebugStringConvertible, CustomReflectable {
  /// The name and the place; without the password.
  public var debugDescription: String { "PostgreSQLConfiguration(\(name), \(place))" }

  /// The name and the place; without the password.
  public var customMirror: Mirror { Mirror(self, children: ["name": name, "place": place]) }
}
