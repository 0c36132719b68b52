import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import TestSupport
import Testing

/// A PostgreSQL store without classes, whose statements a test sees before they run.
struct EngineStore {
  let temporary: TemporaryStore
  let store: ServerStore
  let schema: String
  private let statements: Statements

  private final class Statements: Sendable {
    let seen = Mutex<[String]>([])
    let handler = Mutex<(@Sendable (String) -> Void)?>(nil)
  }

  /// - Parameter suffix: further parts of the address of the server.
  init(_ entities: [EntityDescription], schema: String? = nil, addressSuffix suffix: String = "") throws {
    temporary = try TemporaryStore()
    let statements = Statements()
    self.statements = statements
    var options = ServerOptions()
    self.schema = schema ?? temporary.databaseSchema
    options.schema = self.schema
    store = try ServerStore.open(
      try #require(TestServer.shared).address + suffix, options: options, model: ModelDescription(entities: entities)
    ) { sql in
      statements.seen.withLock { $0.append(sql) }
      statements.handler.withLock { $0 }?(sql)
    }
  }

  /// The statements that a closure runs.
  func statements(of body: () throws -> Void) rethrows -> [String] {
    statements.seen.withLock { $0 = [] }
    try body()
    return statements.seen.withLock { $0 }
  }

  /// Runs a closure; before the first statement with some words, it runs another closure with a connection of its own.
  func interrupting<Result>(
    _ words: String, by other: @escaping @Sendable (Connection) throws -> Void, _ body: () throws -> Result
  ) throws -> Result {
    let connection = try #require(TestServer.shared).connect()
    nonisolated(unsafe) let unshared = connection
    let isDone = Mutex(false)
    let failure = Mutex<(any Error)?>(nil)
    statements.handler.withLock { handler in
      handler = { sql in
        guard sql.contains(words),
          isDone.withLock({ done in
            defer { done = true }
            return !done
          })
        else { return }
        do { try other(unshared) } catch { failure.withLock { $0 = error } }
      }
    }
    defer { statements.handler.withLock { $0 = nil } }
    let result = try body()
    if let error = failure.withLock({ $0 }) { throw error }
    #expect(isDone.withLock { $0 }, "no statement has the words \(words)")
    return result
  }

  func entity(_ name: String) throws -> StoreEntity { try #require(store.entities.entity(named: name)) }

  /// Inserts rows of plain values.
  @discardableResult
  func insert(_ name: String, _ rows: [[String: StoreValue]]) throws -> SaveResult {
    var changes = ChangeSet()
    let entity = try entity(name)
    changes.insertions = rows.map { values in
      ChangeSet.Insertion(
        entity: entity.number,
        columns: values.keys.sorted().map { ColumnSelection(entityName: name, propertyName: $0) },
        source: StoreValuesRow(values: values))
    }
    return try store.save(changes)
  }

  func connect() throws -> Connection { try #require(TestServer.shared).connect() }
}

extension PropertyDescription {
  static func attribute(_ name: String, _ type: AttributeType, isOptional: Bool = true) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: isOptional))
  }
}
