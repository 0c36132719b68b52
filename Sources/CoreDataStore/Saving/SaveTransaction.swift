import SQLite
import StoreRequests

/// One save: turns a change set into rows, inside a transaction that its caller has begun and ends (CD-6).
///
/// The order is fixed: keys are assigned, then rows go, change and come, then pairs, virtual keys and order, then the
/// counters. Conflicts are collected over all rows before anything is given up.
struct SaveTransaction {
  let connection: Connection
  let layout: StoreLayout
  /// What is written now: all of the save, or a part of it.
  private(set) var changes: ChangeSet
  /// Keys that the insertions are to have, by their index, where they were handed out before.
  private(set) var givenKeys: [Int64]?
  var keys: KeyAllocator
  var history: HistoryWriter
  let files: ExternalDataWriter
  /// What becomes of each insertion, by its index.
  var plan: [PlannedInsertion] = []
  var overwrites = Overwrites()
  /// Whether the unique values of the rows that this part of the save has yet to write have been cleared.
  var isUnwrittenFree = false
  /// Clears unique values of rows that later parts of the save overwrite: calls its argument with each row and the columns
  /// that are sure to be written. `nil` where no part follows, or once they have been cleared.
  var freeLaterParts: ((_ free: (ObjectKey, [ColumnSelection]) throws -> Void) throws -> Void)?
  var conflicts: [SaveError.Conflict] = []
  var result = SaveResult()
  /// Rows whose foreign key was written, and which may lack a place among their new owner's objects.
  var unordered = UnorderedRows()
  /// The rows that this save has updated, in earlier parts of it as well: the version of each grows once.
  var updatedRows: Set<ObjectKey> = []
  /// Rows that were inserted with keys that others chose.
  var insertedOutOfTurn: Set<ObjectKey> = []
  private var statements: [StatementKey: (WriteStatement, Statement)] = [:]

  private struct StatementKey: Hashable {
    let kind: Int
    let entity: Int32
    let columns: [ColumnSelection]
  }

  init(
    _ changes: ChangeSet, connection: Connection, layout: StoreLayout, historyForm: HistoryForm,
    files: ExternalDataWriter
  ) {
    self.changes = changes
    self.files = files
    self.connection = connection
    self.layout = layout
    keys = KeyAllocator(connection)
    history = HistoryWriter(
      connection, form: historyForm,
      origin: HistoryWriter.Origin(author: changes.author, contextName: changes.contextName), layout: layout)
  }

  /// Writes everything.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, `SQLiteError`, or what a source throws; the caller then rolls back.
  mutating func run() throws -> SaveResult {
    try writeRows()
    try finish()
    return result
  }

  /// Writes a part of a save, whose insertions have been given keys: so that a long save need not be in memory as a whole.
  ///
  /// - Throws: as ``run()``.
  mutating func write(_ part: ChangeSet, keys: [Int64]) throws -> SaveResult {
    changes = part
    givenKeys = keys
    plan = []
    overwrites = Overwrites()
    isUnwrittenFree = false
    conflicts = []
    result = SaveResult()
    unordered = UnorderedRows()
    try writeRows()
    return result
  }

  private mutating func writeRows() throws {
    try planInsertions()
    try deleteRows()
    try updateRows()
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    try insertRows()
    for change in changes.relationshipChanges { try apply(change) }
    try appendUnordered()
  }

  /// Ends a save: records what was inserted, and how far the keys have gone.
  mutating func finish() throws {
    try recordInsertions()
    try history.finish(keys: &keys)
    try keys.finish()
    result.transaction = history.transaction
  }

  /// One history statement per table, over the range of keys that this save handed out.
  private mutating func recordInsertions() throws {
    for table in layout.tables {
      guard let inserted = keys.allocated(table.rootNumber) else { continue }
      try history.inserted(inserted, into: table.name, keys: &keys)
    }
  }

  // MARK: Statements

  enum WriteKind {
    case insert
    case update(bumpsVersion: Bool, checksVersion: Bool)

    fileprivate var number: Int {
      switch self {
      case .insert: 0
      case .update(let bumps, let checks): 1 + (bumps ? 1 : 0) + (checks ? 2 : 0)
      }
    }
  }

  /// The statement that writes rows of one shape; prepared once per save.
  mutating func statement(_ kind: WriteKind, _ entity: EntityLayout, _ columns: [ColumnSelection]) throws
    -> (WriteStatement, Statement)
  {
    let key = StatementKey(kind: kind.number, entity: Int32(entity.number), columns: columns)
    if let known = statements[key] { return known }
    let write =
      switch kind {
      case .insert: try WriteStatement.insert(entity, columns: columns, in: layout)
      case .update(let bumps, let checks):
        try WriteStatement.update(entity, columns: columns, bumpsVersion: bumps, checksVersion: checks, in: layout)
      }
    let prepared = (write, try connection.statement(write.sql))
    statements[key] = prepared
    return prepared
  }

  /// Lets a source bind its part of a statement, and makes sure that it bound all of it.
  func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to statement: Statement, width: Int, entity: EntityLayout
  ) throws {
    try RowBinder.bind(source, columns, to: statement, width: width, entity: entity)
  }

  /// Runs a statement that writes values; a violated constraint is told in the model's words.
  func write(_ statement: Statement, entity: EntityLayout) throws {
    do {
      try statement.run()
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.uniqueConstraint {
      throw UniquenessConstraint.violation(error, of: entity, in: layout)
    }
  }

  /// `Z_OPT` of a row; `nil` if there is no such row.
  func version(of key: Int64, _ entity: EntityLayout) throws -> Int64? {
    let statement = try connection.statement(SaveStatement.version(entity))
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Runs a statement of keys only.
  func run(_ sql: String, _ keys: Int64...) throws {
    let statement = try connection.statement(sql)
    for (index, key) in keys.enumerated() { try statement.bind(key, at: index + 1) }
    try statement.run()
  }

  /// The row a reference means, whether it was there before or is inserted by this save.
  func object(_ reference: ChangeSet.Reference) throws -> ObjectKey {
    switch reference {
    case .existing(let object): return object
    case .inserted(let index):
      guard plan.indices.contains(index) else {
        throw SaveError.invalidReference(index: index, count: plan.count)
      }
      return plan[index].object
    }
  }
}
