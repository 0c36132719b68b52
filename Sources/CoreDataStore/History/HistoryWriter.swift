import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// Records the changes of a save in the history tables, in the same transaction (CD-7).
///
/// The first recorded change also writes the row of the history transaction, so that a save without changes leaves no
/// row. In every real store the insertions of a transaction come first, then its updates, then its deletions. So
/// updates and deletions wait for ``finish(keys:batches:)``.
struct HistoryWriter {
  let connection: Connection
  private var form: HistoryForm
  private let origin: Origin
  let layout: StoreLayout
  /// `ATRANSACTION.Z_PK`; `nil` until the writer records a change.
  private(set) var transaction: Int64?
  /// The bitmap of the last update: successive updates mostly change the same properties of one entity.
  private var lastBitmap: (entity: Int32, properties: [String], bitmap: Data)?
  private var bitmaps: [Int32: ChangeBitmap] = [:]
  private var updates: [(object: ObjectKey, bitmap: Data)] = []
  /// The position of each object in ``updates``: no real transaction has two changes of one object.
  private var updatePositions: [ObjectKey: Int] = [:]
  private var deletions: [(object: ObjectKey, tombstones: [StoreValue])] = []
  /// The query of the tombstones of the last deletion's entity, and their number; without tombstones, no query.
  private var lastTombstones: (entity: ObjectIdentifier, query: Statement?, count: Int)?
  /// The tables with tombstones of this save.
  var tombstoneTables: [TombstoneTable] = []

  /// The writer of a transaction, as history names it.
  struct Origin {
    var author: String?
    var bundleIdentifier: String?
    var contextName: String?
    var processName: String?

    /// Names this process as the writer, on behalf of an author and a context.
    init(author: String?, contextName: String?) {
      self.author = author
      self.contextName = contextName
      processName = ProcessInfo.processInfo.processName
      bundleIdentifier = Bundle.main.bundleIdentifier ?? processName
    }
  }

  init(_ connection: Connection, form: HistoryForm, origin: Origin, layout: StoreLayout) {
    self.layout = layout
    self.connection = connection
    self.form = form
    self.origin = origin
  }

  var isRecording: Bool { form != .none }

  // MARK: Changes

  /// Records the insertion of a table's rows whose keys lie in a range.
  ///
  /// Cost: one statement.
  mutating func inserted(_ rows: ClosedRange<Int64>, into table: Identifier, keys: inout KeyAllocator) throws {
    guard isRecording else { return }
    let transaction = try begin(&keys)
    let changes = try changeKeys(rows.count, &keys)
    let statement = try connection.statement(HistoryStatement.insertions(into: table))
    try statement.bind(rows.lowerBound, at: 1)
    try statement.bind(rows.upperBound, at: 2)
    try statement.bind(changes.lowerBound - rows.lowerBound, at: 3)
    try statement.bind(transaction, at: 4)
    try statement.run()
    guard connection.changes < rows.count else { return }
    // Keys that the caller chose leave gaps between the rows.
    let count = try connection.statement(HistoryStatement.count(in: table))
    defer { count.reset() }
    try count.bind(rows.lowerBound, at: 1)
    try count.bind(rows.upperBound, at: 2)
    if try count.step() { try connection.requireWritten(Int(count.integer(0)), to: HistoryTables.change) }
  }

  /// Notes an update of a row and the properties that changed.
  mutating func updated(_ object: ObjectKey, of entity: EntityLayout, properties: [String]) {
    guard isRecording else { return }
    note(object, bitmap(entity, object.entity, properties))
  }

  /// Notes an update of a row and the bits that the change sets.
  mutating func updated(_ object: ObjectKey, of entity: EntityLayout, slots: [ChangeBitmap.Slot]) {
    guard isRecording else { return }
    note(object, layout(entity, object.entity).bytes(slots))
  }

  /// Tells whether the writer has noted an update of a row.
  func isUpdated(_ object: ObjectKey) -> Bool { updatePositions[object] != nil }

  private mutating func note(_ object: ObjectKey, _ bitmap: Data) {
    if let position = updatePositions[object] {
      updates[position].bitmap = Data(zip(updates[position].bitmap, bitmap).map { $0 | $1 })
    } else {
      updatePositions[object] = updates.count
      updates.append((object, bitmap))
    }
  }

  /// Notes the deletion of a row, with the values of its tombstones.
  ///
  /// The caller calls this before it deletes the row.
  mutating func willDelete(_ object: ObjectKey, of entity: EntityLayout) throws {
    guard isRecording else { return }
    if lastTombstones?.entity != ObjectIdentifier(entity) {
      let count = entity.tombstoneAttributes.count
      let query = count == 0 ? nil : try connection.statement(HistoryStatement.tombstones(of: entity, in: layout))
      lastTombstones = (ObjectIdentifier(entity), query, count)
    }
    var tombstones: [StoreValue] = []
    if let (_, query, count) = lastTombstones, let statement = query {
      defer { statement.reset() }
      try statement.bind(object.key, at: 1)
      guard try statement.step() else { return }
      var reader = RowReader(statement, startingAt: 0)
      for _ in 0..<count { tombstones.append(reader.value()) }
    }
    deletions.append((object, tombstones))
  }

  /// Records the noted updates and deletions, and the changes that batch changes have made.
  ///
  /// The caller has recorded all insertions before. No row is updated both by a batch change and otherwise.
  mutating func finish(keys: inout KeyAllocator, batches: [BatchTable] = []) throws {
    try recordBatches(batches, updates: true, keys: &keys)
    try recordNoted(&keys)
    try recordTombstones(keys: &keys)
    try recordBatches(batches, updates: false, keys: &keys)
  }

  private mutating func recordNoted(_ keys: inout KeyAllocator) throws {
    guard !updates.isEmpty || !deletions.isEmpty else { return }
    let transaction = try begin(&keys)
    try makeRoom(forTombstones: deletions.map(\.tombstones.count).max() ?? 0)
    var key = try changeKeys(updates.count + deletions.count, &keys).lowerBound
    func write(_ statement: Statement, _ object: ObjectKey, _ bindRest: (Statement) throws -> Void) throws {
      try statement.bind(key, at: 1)
      try statement.bind(Int64(object.entity), at: 2)
      try statement.bind(object.key, at: 3)
      try statement.bind(transaction, at: 4)
      try bindRest(statement)
      try statement.run()
      try connection.requireWritten(1, to: HistoryTables.change)
      key += 1
    }
    if !updates.isEmpty {
      let statement = try connection.statement(HistoryStatement.update)
      for (object, bitmap) in updates { try write(statement, object) { try $0.bind(bitmap, at: 5) } }
    }
    var last: (count: Int, statement: Statement)?
    for (object, tombstones) in deletions {
      let count = tombstones.count
      let statement =
        if let last, last.count == count {
          last.statement
        } else {
          try connection.statement(HistoryStatement.deletion(tombstoneCount: count))
        }
      last = (count, statement)
      try write(statement, object) { statement in
        for (index, value) in tombstones.enumerated() { try statement.bind(value, at: index + 5) }
      }
    }
    updates = []
    updatePositions = [:]
    deletions = []
  }

  /// Adds the missing tombstone columns.
  ///
  /// The present model may have more tombstones than the model that the table was made for.
  mutating func makeRoom(forTombstones count: Int) throws {
    guard count > form.tombstoneCount else { return }
    for index in form.tombstoneCount..<count { try connection.execute(HistoryStatement.addTombstone(index)) }
    form = form.hasStringTable ? .stringTable(tombstones: count) : .texts(tombstones: count)
  }

  private mutating func bitmap(_ entity: EntityLayout, _ number: Int32, _ properties: [String]) -> Data {
    if let lastBitmap, lastBitmap.entity == number, lastBitmap.properties == properties { return lastBitmap.bitmap }
    let bitmap = layout(entity, number).bytes(properties.flatMap { ChangeBitmap.slots(of: $0, in: entity) })
    lastBitmap = (number, properties, bitmap)
    return bitmap
  }

  private mutating func layout(_ entity: EntityLayout, _ number: Int32) -> ChangeBitmap {
    let layout = bitmaps[number] ?? ChangeBitmap(entity)
    bitmaps[number] = layout
    return layout
  }

  // MARK: The transaction's row

  func changeKeys(_ count: Int, _ keys: inout KeyAllocator) throws -> Range<Int64> {
    try keys.advance(
      HistoryTables.changeNumber, by: count, table: HistoryTables.change, entityName: "CHANGE", makes: "CHANGE")
  }

  mutating func begin(_ keys: inout KeyAllocator) throws -> Int64 {
    if let transaction { return transaction }
    let key = try keys.next(
      HistoryTables.transactionNumber, table: HistoryTables.transaction, entityName: "TRANSACTION", makes: "TRANSACTION"
    )
    let texts = [origin.author, origin.bundleIdentifier, origin.contextName, origin.processName]
    if case .stringTable = form {
      // Real stores of two releases number the process name before the context name, if their first transaction has
      // all four texts.
      var strings = [Int64?](repeating: nil, count: texts.count)
      for index in [0, 1, 3, 2] { strings[index] = try string(texts[index], &keys) }
      let statement = try transactionStatement(key, hasStringTable: true)
      for (index, string) in strings.enumerated() {
        if let string { try statement.bind(string, at: index + 3) }
      }
      try statement.run()
    } else {
      let statement = try transactionStatement(key, hasStringTable: false)
      for (index, text) in texts.enumerated() {
        if let text { try statement.bind(text, at: index + 3) }
      }
      try statement.run()
    }
    try connection.requireWritten(1, to: HistoryTables.transaction)
    transaction = key
    return key
  }

  private func transactionStatement(_ key: Int64, hasStringTable: Bool) throws -> Statement {
    let statement = try connection.statement(HistoryStatement.transaction(hasStringTable: hasStringTable))
    try statement.bind(key, at: 1)
    try statement.bind(Date().timeIntervalSinceReferenceDate, at: 2)
    return statement
  }

  /// Returns the key of a text's row in the string table, and adds the row if it is missing; `nil` for no text.
  private func string(_ text: String?, _ keys: inout KeyAllocator) throws -> Int64? {
    guard let text else { return nil }
    let find = try connection.statement(HistoryStatement.findString)
    defer { find.reset() }
    try find.bind(text, at: 1)
    if try find.step() { return find.integer(0) }
    let key = try keys.next(
      HistoryTables.stringNumber, table: HistoryTables.string, entityName: "TRANSACTIONSTRING",
      makes: "TRANSACTIONSTRING")
    let insert = try connection.statement(HistoryStatement.insertString)
    try insert.bind(key, at: 1)
    try insert.bind(text, at: 2)
    try insert.run()
    try connection.requireWritten(1, to: HistoryTables.string)
    return key
  }
}

extension ChangeBitmap {
  /// Returns the slots of a changed property: its own and its order column's, or its elements' if it is a composite.
  ///
  /// Real stores set the order column's bit together with the key's bit. They set the entity column's bit only if the
  /// entity changed (CD-7).
  static func slots(of property: String, in entity: EntityLayout) -> [Slot] {
    guard case .attribute(let attribute) = entity.property(named: property),
      attribute.description.type == .composite
    else { return [.property(property), .orderColumn(property)] }
    return attribute.columns.map { .element($0.path) }
  }
}
