import SQLite
import StoreRequests

/// Writes a change set to the store, inside a transaction that the caller begins and ends (CD-6).
///
/// The order is fixed: the save assigns keys, deletes rows, updates rows and inserts rows. Then it writes pairs,
/// virtual keys and order, lets both keys of one-to-one relationships agree, and finally writes the counters. The save
/// collects the conflicts of all rows before it throws.
struct SaveTransaction {
  let connection: Connection
  let layout: StoreLayout
  /// The changes that the save writes now: the whole save, or one part of it.
  private(set) var changes: ChangeSet
  /// The keys of the insertions, by their index, if the caller has already assigned them.
  private(set) var givenKeys: [Int64]?
  var keys: KeyAllocator
  var history: HistoryWriter
  let files: ExternalDataWriter
  /// Whether triggers of other programs may skip rows without an error. A save then looks for rows that it did not write.
  let maySkipRows: Bool
  /// The plan for each insertion, by its index.
  var plan: [PlannedInsertion] = []
  var overwrites = Overwrites()
  /// Whether the save has cleared the unique values of the rows that this part of the save has not yet written.
  var isUnwrittenFree = false
  /// Clears unique values of rows that later parts of the save overwrite.
  ///
  /// Calls its argument with each row and the columns that a later part is certain to write. `nil` if no part
  /// follows, or after the unique values have been cleared.
  var freeLaterParts: ((_ free: (ObjectKey, [ColumnSelection]) throws -> Void) throws -> Void)?
  var conflicts: [SaveError.Conflict] = []
  var result = SaveResult()
  /// Rows whose foreign key the save has written, and which may lack a place among their new owner's objects.
  var unordered = UnorderedRows()
  /// The last places in the orders to which this part of the save has added.
  var lastPlaces = LastPlaces()
  /// The rows that this save has updated, including earlier parts of the save: the version of each row grows once.
  var updatedRows: Set<ObjectKey> = []
  /// Rows that the save has inserted with keys outside the range that it hands out.
  var insertedOutOfTurn: Set<ObjectKey> = []
  /// The rows of the save's batch changes; `nil` if it has none.
  var batches: BatchWriter?
  private let writes: WriteStatements
  private static let statementLimit = 128
  private var statements: [WriteShape: (WriteStatement, Statement)] = [:]
  private var lastWrite: (shape: WriteShape, write: WriteStatement, statement: Statement)?

  init(
    _ changes: ChangeSet, connection: Connection, layout: StoreLayout, historyForm: HistoryForm,
    files: ExternalDataWriter, maySkipRows: Bool, writes: WriteStatements = WriteStatements()
  ) {
    self.changes = changes
    self.writes = writes
    self.files = files
    self.maySkipRows = maySkipRows
    self.connection = connection
    self.layout = layout
    keys = KeyAllocator(connection)
    history = HistoryWriter(
      connection, form: historyForm,
      origin: HistoryWriter.Origin(author: changes.author, contextName: changes.contextName), layout: layout)
  }

  /// Writes the whole change set.
  ///
  /// - Throws: ``SaveError``, ``QueryError``, `SQLiteError`, or an error of a source; the caller then rolls back.
  mutating func run() throws -> SaveResult {
    try writeBatches()
    try writeRows()
    try alignPartners()
    try finish()
    return result
  }

  /// Writes a part of a save, whose insertions already have keys.
  ///
  /// So a long save need not be in memory as a whole.
  /// - Throws: the errors of ``run()``.
  mutating func write(_ part: ChangeSet, keys: [Int64]) throws -> SaveResult {
    changes = part
    givenKeys = keys
    plan = []
    overwrites = Overwrites()
    isUnwrittenFree = false
    conflicts = []
    result = SaveResult()
    unordered = UnorderedRows()
    lastPlaces = LastPlaces()
    try writeRows()
    return result
  }

  private mutating func writeRows() throws {
    try planInsertions()
    try deleteRows()
    try updateRows()
    guard conflicts.isEmpty else { throw SaveError.conflicts(conflicts) }
    try insertRows()
    for change in changes.relationshipChanges { try removeMembers(change) }
    for change in changes.relationshipChanges { try addMembers(change) }
    for change in changes.relationshipChanges { try orderMembers(change) }
    try appendUnordered()
  }

  /// Ends a save: records the insertions and writes the key counters.
  mutating func finish() throws {
    try recordInsertions()
    try history.finish(keys: &keys, batches: batches?.tables ?? [])
    try batches?.finish()
    try keys.finish()
    result.transaction = history.transaction
  }

  /// Records the insertions with one history statement per table, over the range of keys that this save handed out.
  private mutating func recordInsertions() throws {
    for table in layout.tables {
      guard let inserted = keys.allocated(table.rootNumber) else { continue }
      try history.inserted(inserted, into: table.name, keys: &keys)
    }
  }

  // MARK: Statements

  /// Returns the statement that writes rows of one shape.
  mutating func statement(_ kind: WriteShape.Kind, _ entity: EntityLayout, _ columns: [ColumnSelection]) throws
    -> (WriteStatement, Statement)
  {
    let shape = WriteShape(kind: kind, entity: Int32(entity.number), columns: columns)
    // Successive rows mostly have one shape, and share the array of their columns.
    if let lastWrite, lastWrite.shape == shape { return (lastWrite.write, lastWrite.statement) }
    let (write, statement) = try statements[shape] ?? prepared(shape, entity)
    // Each statement takes some 10 KB, and a class with many properties may have a shape for each row.
    if statements.count >= Self.statementLimit { statements.removeAll(keepingCapacity: true) }
    statements[shape] = (write, statement)
    lastWrite = (shape, write, statement)
    return (write, statement)
  }

  private func prepared(_ shape: WriteShape, _ entity: EntityLayout) throws -> (WriteStatement, Statement) {
    let write = try writes.statement(shape, of: entity, in: layout)
    return (write, try connection.statement(write.sql))
  }

  /// Lets a source bind its part of a statement, and checks that the source has bound every value of this part.
  func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to statement: Statement, width: Int, entity: EntityLayout
  ) throws {
    try RowBinder.bind(source, columns, to: statement, width: width, entity: entity)
  }

  /// Runs a statement that writes values.
  ///
  /// - Throws: for a violated uniqueness constraint an error that names the model's properties; else `SQLiteError`.
  func write(_ statement: Statement, entity: EntityLayout) throws {
    do {
      try statement.run()
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.uniqueConstraint {
      throw UniquenessConstraint.violation(error, of: entity, in: layout)
    }
  }

  /// Checks that the last statement has written its row: a trigger with `RAISE(IGNORE)` skips the row without an error.
  ///
  /// - Throws: ``SaveError/ignored(entity:)``
  func checkIsWritten(_ entity: EntityLayout) throws {
    guard connection.changes > 0 else { throw SaveError.ignored(entity: entity.name) }
  }

  /// Returns `Z_OPT` of a row; `nil` if the table has no such row.
  func version(of key: Int64, _ entity: EntityLayout) throws -> Int64? {
    try version(of: key, connection.statement(SaveStatement.version(entity)))
  }

  /// - Parameter statement: see ``SaveStatement/version(_:)``.
  func version(of key: Int64, _ statement: Statement) throws -> Int64? {
    defer { statement.reset() }
    try statement.bind(key, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Runs a statement whose placeholders are all keys.
  func run(_ sql: String, _ keys: Int64...) throws { try run(sql, keys) }

  private func run(_ sql: String, _ keys: [Int64]) throws {
    let statement = try connection.statement(sql)
    for (index, key) in keys.enumerated() { try statement.bind(key, at: index + 1) }
    try statement.run()
  }

  /// Runs a statement that may change many rows, or none, and whose placeholders are all keys.
  ///
  /// - Parameter entity: the entity that the error names.
  /// - Throws: ``SaveError/ignored(entity:)``
  func run(_ change: RowChange, _ keys: Int64..., of entity: EntityLayout) throws {
    try run(change.sql, keys)
    if maySkipRows { try refuse(change.skipped, keys, entity) }
  }

  /// Checks that a statement for one row has changed it, or that there is nothing to change.
  ///
  /// - Parameter skipped: → a row if there was something to change.
  func checkIsChanged(_ skipped: String, _ keys: Int64..., of entity: EntityLayout) throws {
    if connection.changes == 0 { try refuse(skipped, keys, entity) }
  }

  private func refuse(_ skipped: String, _ keys: [Int64], _ entity: EntityLayout) throws {
    let statement = try connection.statement(skipped)
    defer { statement.reset() }
    for (index, key) in keys.enumerated() { try statement.bind(key, at: index + 1) }
    if try statement.step() { throw SaveError.ignored(entity: entity.name) }
  }

  /// Returns the row that a reference names: an existing row, or a row that this save inserts.
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
