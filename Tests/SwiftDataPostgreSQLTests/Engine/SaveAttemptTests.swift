import ManagedModel
import PostgreSQL
import PostgreSQLTestSupport
import StoreRequests
import TestSupport
import Testing

@testable import PostgreSQLStore

/// How often a save begins, and how many statements it has.
@Suite("The attempts of a save over a server", TestServer.condition)
struct SaveAttemptTests {
  private static let account = EntityDescription(
    name: "Account", properties: [.attribute("name", .string), .attribute("amount", .integer64)],
    uniquenessConstraints: [["name"]])

  private func attempts(_ statements: [String]) -> Int { statements.filter { $0.hasPrefix("BEGIN") }.count }

  private func update(_ store: EngineStore, _ objects: [ObjectKey], _ values: [[String: StoreValue]]) -> ChangeSet {
    var changes = ChangeSet()
    changes.updates = zip(objects, values).map { object, values in
      ChangeSet.Update(
        object: object, version: nil,
        columns: values.keys.sorted().map { ColumnSelection(entityName: "Account", propertyName: $0) },
        changedProperties: values.keys.sorted(), source: StoreValuesRow(values: values))
    }
    return changes
  }

  @Test("A save sees what others commit meanwhile, whatever the default isolation of the database is")
  func isolation() throws {
    let store = try EngineStore(
      [Self.account], addressSuffix: "&options=-c%20default_transaction_isolation%3Drepeatable%5C%20read")
    try store.insert("Account", [["name": .text("a")]])
    let schema = store.schema
    let statements = try store.statements {
      _ = try store.interrupting("SET last_transaction = last_transaction + 1") { other in
        try other.execute("UPDATE \(schema)._store SET last_transaction = last_transaction + 1")
      } _: {
        try store.insert("Account", [["name": .text("b")]])
      }
    }
    #expect(attempts(statements) == 1)
    #expect(try store.store.lastTransaction() == 3)
  }

  @Test("A save that another transaction ends is repeated until the deadline, not a few times only")
  func deadline() throws {
    let store = try EngineStore([Self.account])
    try store.connect().execute(
      """
      CREATE SEQUENCE \(store.schema).attempts;
      CREATE FUNCTION \(store.schema).refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
        IF nextval('\(store.schema).attempts') <= 9 THEN RAISE 'conflict' USING ERRCODE = '40001'; END IF;
        RETURN NEW;
      END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON \(store.schema).account FOR EACH ROW EXECUTE FUNCTION \(store.schema).refuse()
      """)
    let statements = try store.statements { _ = try store.insert("Account", [["name": .text("a")]]) }
    #expect(attempts(statements) == 10)
  }

  @Test("A value that another row has is refused at once, also in a save that inserts")
  func clash() throws {
    let store = try EngineStore([Self.account])
    let made = try store.insert("Account", [["name": .text("a")], ["name": .text("b")]]).inserted.map(\.object)
    var changes = update(store, [made[0]], [["name": .text("b")]])
    changes.insertions = [
      ChangeSet.Insertion(
        entity: made[0].entity, columns: [ColumnSelection(entityName: "Account", propertyName: "name")],
        source: StoreValuesRow(values: ["name": .text("c")]))
    ]
    var error: (any Error)?
    let statements = store.statements { do { _ = try store.store.save(changes) } catch let found { error = found } }
    guard case SaveError.notUnique(_, let properties, let clashes)? = error else {
      Issue.record("another error: \(String(describing: error))")
      return
    }
    #expect(properties == ["name"] && clashes.map(\.row) == [.update(made[0])])
    #expect(attempts(statements) == 1)
  }

  @Test("A row that somebody inserts meanwhile is overwritten by the next attempt")
  func race() throws {
    let store = try EngineStore([Self.account])
    let schema = store.schema
    var merged = 0
    let statements = try store.statements {
      merged = try store.interrupting("INSERT INTO \"\(schema)\".\"account\"") { other in
        try other.execute("INSERT INTO \(schema).account (name, amount) VALUES ('a', 1)")
      } _: {
        try store.insert("Account", [["name": .text("a"), "amount": .integer(2)]])
      }.merged.count
    }
    #expect(merged == 1 && attempts(statements) == 2)
    #expect(try store.connect().run("SELECT amount FROM \(schema).account").integer(0, 0) == 2)
  }

  /// Runs a closure when a save has found its row, and has not written it.
  private final class Interruption: RowSource {
    private let row: StoreValuesRow
    private var body: (() throws -> Void)?
    private(set) var failure: (any Error)?

    init(_ values: [String: StoreValue], _ body: @escaping () throws -> Void) {
      row = StoreValuesRow(values: values)
      self.body = body
    }

    func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
      try row.bind(columns, into: &binder)
    }

    func assign(_ object: ObjectKey, wasMerged: Bool) {
      defer { body = nil }
      do { try body?() } catch { failure = error }
    }
  }

  private func accounts(_ count: Int, amount: Int64) -> [[String: StoreValue]] {
    (0..<count).map { ["amount": .integer(amount), "name": .text("\($0)")] }
  }

  /// Upserts accounts; another program comes in between their search and their change.
  private func upsert(
    _ count: Int, into store: EngineStore, by other: @escaping () throws -> Void
  ) throws -> (merged: Int, statements: [String]) {
    _ = try store.insert("Account", accounts(count, amount: 0))
    let values = accounts(count, amount: 2)
    let interruption = Interruption(values[0], other)
    let entity = try store.entity("Account").number
    var changes = ChangeSet()
    changes.insertions = values.enumerated().map { index, values in
      ChangeSet.Insertion(
        entity: entity,
        columns: ["amount", "name"].map { ColumnSelection(entityName: "Account", propertyName: $0) },
        source: index == 0 ? interruption : StoreValuesRow(values: values))
    }
    var merged = 0
    let statements = try store.statements { merged = try store.store.save(changes).merged.count }
    if let failure = interruption.failure { throw failure }
    return (merged, statements)
  }

  @Test("Rows that many insertions overwrite are locked only after somebody has changed or deleted one meanwhile")
  func changedMeanwhile() throws {
    let store = try EngineStore([Self.account])
    let (schema, count) = (store.schema, SaveStrategy.lockedRows)
    let other = try store.connect()
    let (merged, statements) = try upsert(count, into: store) {
      try other.execute(
        """
        UPDATE \(schema).account SET amount = 5, _version = _version + 1 WHERE name = '7';
        DELETE FROM \(schema).account WHERE name = '9'
        """)
    }
    #expect(merged == count - 1 && attempts(statements) == 2)
    #expect(statements.count { $0.contains("FOR NO KEY UPDATE") } == 1)
    let rows = try store.connect().run(
      "SELECT (SELECT count(*) FROM \(schema).account WHERE amount = 2), _version FROM \(schema).account "
        + "WHERE name = '7'")
    #expect(rows.integer(0, 0) == Int64(count) && rows.integer(0, 1) == 3)
  }

  @Test("A row that one of a few insertions overwrites is locked when it is found")
  func lockedRow() throws {
    let store = try EngineStore([Self.account])
    let other = try store.connect()
    try other.execute("SET lock_timeout = 20")
    var refusal: SQLState?
    let (merged, statements) = try upsert(2, into: store) {
      do { try other.execute("UPDATE \(store.schema).account SET amount = 5") } catch let error as PostgreSQLError {
        refusal = error.state
      }
    }
    #expect(refusal == .lockNotAvailable && merged == 2 && attempts(statements) == 1)
  }

  @Test("A save does not block foreign keys to rows that it updates, also if it deletes other rows of the table")
  func foreignKeyOfUpdated() throws {
    let store = try EngineStore([Self.account])
    let made = try store.insert("Account", accounts(3, amount: 1)).inserted.map(\.object)
    var changes = update(store, Array(made[..<2]), [["amount": .integer(7)], ["amount": .integer(7)]])
    changes.deletions = [.init(object: made[2], version: nil)]
    let schema = store.schema
    _ = try store.interrupting("DELETE FROM \"\(schema)\".\"account\"") { other in
      try other.execute("SET lock_timeout = 1000")
      // The check of a foreign key takes this lock.
      _ = try other.run("SELECT 1 FROM \(schema).account WHERE _id = $1 FOR KEY SHARE", [.integer(made[0].key)])
    } _: {
      try store.store.save(changes)
    }
    #expect(try store.column("SELECT amount::text FROM $account ORDER BY 1") == ["7", "7"])
  }

  /// Changes that insert accounts, each with the key of a deleted row.
  private func insertion(_ store: EngineStore, formerKeys: [Int64]) throws -> ChangeSet {
    var changes = ChangeSet()
    let entity = try store.entity("Account").number
    changes.insertions = formerKeys.map { key in
      ChangeSet.Insertion(
        entity: entity, columns: [ColumnSelection(entityName: "Account", propertyName: "amount")],
        source: StoreValuesRow(values: ["amount": .integer(key)]), formerKey: key)
    }
    return changes
  }

  @Test("A row has the key of its deleted row again, unless a row has it or the sequence did not hand it out")
  func formerKeys() throws {
    let store = try EngineStore([Self.account])
    let made = try store.insert("Account", (0..<3).map { ["name": .text("\($0)")] }).inserted.map(\.object)
    var changes = ChangeSet()
    changes.deletions = [.init(object: made[1], version: nil)]
    _ = try store.store.save(changes)
    let keys = try store.store.save(
      insertion(store, formerKeys: [made[1].key, made[1].key, made[0].key, 1_000_000, 0])
    ).inserted.map(\.object.key)
    #expect(keys[0] == made[1].key)
    #expect(Set(keys).count == 5 && !keys.dropFirst().contains { $0 <= made[2].key || $0 == 1_000_000 })
  }

  @Test("If somebody takes the key of a deleted row meanwhile, the next attempt takes another key")
  func formerKeyRace() throws {
    let store = try EngineStore([Self.account])
    let schema = store.schema
    let made = try store.insert("Account", [["name": .text("a")]]).inserted.map(\.object)
    var changes = ChangeSet()
    changes.deletions = [.init(object: made[0], version: nil)]
    _ = try store.store.save(changes)
    let key = made[0].key
    changes = try insertion(store, formerKeys: [key])
    var keys: [Int64] = []
    let statements = try store.statements {
      keys = try store.interrupting("INSERT INTO \"\(schema)\".\"account\"") { other in
        try other.execute("INSERT INTO \(schema).account (_id, name) VALUES (\(key), 'b')")
      } _: {
        try store.store.save(changes)
      }.inserted.map(\.object.key)
    }
    #expect(keys.count == 1 && keys != [key] && attempts(statements) == 2)
    #expect(try store.connect().run("SELECT count(*) FROM \(schema).account").integer(0, 0) == 2)
  }

  @Test("The rows whose unique values a save changes are read by one statement")
  func uniqueUpdates() throws {
    let store = try EngineStore([Self.account])
    let count = 60
    let made = try store.insert("Account", (0..<count).map { ["name": .text("\($0)")] }).inserted.map(\.object)
    var changes = update(store, made, (0..<count).map { ["name": .text("\(($0 + 1) % count)")] })
    // One insertion takes the value that an updated row gets, another the value of no row.
    changes.insertions = ["0", "new"].map { name in
      ChangeSet.Insertion(
        entity: made[0].entity,
        columns: ["name", "amount"].map { ColumnSelection(entityName: "Account", propertyName: $0) },
        source: StoreValuesRow(values: ["name": .text(name), "amount": .integer(7)]))
    }
    var merged: [ObjectKey] = []
    let statements = try store.statements { merged = try store.store.save(changes).merged.map(\.object) }
    #expect(merged == [made[count - 1]])
    #expect(statements.count < 15, "\(statements.count)")
    #expect(try store.column("SELECT name FROM $account WHERE amount = 7 ORDER BY 1") == ["0", "new"])
  }

  @Test("History is deleted also after the server has closed idle connections")
  func deletionAfterLostConnection() throws {
    let store = try EngineStore([Self.account])
    for name in ["a", "b", "c"] { try store.insert("Account", [["name": .text(name)]]) }
    func cut() throws {
      _ = try store.connect().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND query LIKE $1",
        [.text("%\(store.schema)%")])
    }
    // The last statement of the connections names the schema.
    #expect(try store.store.firstTransaction() == 1)
    try cut()
    try store.store.deleteHistory(transactions: [1])
    #expect(try store.store.firstTransaction() == 2)
    try cut()
    try store.store.deleteHistory(HistoryRequest())
    #expect(try store.store.firstTransaction() == nil)
  }
}
