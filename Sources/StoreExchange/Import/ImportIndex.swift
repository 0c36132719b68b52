import SQLite
import StoreRequests

/// An index of the whole file on disk, made before the first object is written: the row of each line, and the owners
/// that to-many relationships state.
final class ImportIndex {
  private let connection: Connection

  struct Entry {
    let line: Int
    let object: ObjectKey
    /// Whether the import makes the row.
    let isNew: Bool
  }

  init() throws {
    connection = try Connection.temporary()
    try connection.setPragma("synchronous", "OFF")
    try connection.setPragma("locking_mode", "EXCLUSIVE")
    try connection.execute(
      """
      CREATE TABLE object (line INTEGER PRIMARY KEY, label TEXT, hierarchy INTEGER, entity INTEGER, key INTEGER, new INTEGER);
      CREATE UNIQUE INDEX object_label ON object (label);
      CREATE UNIQUE INDEX object_key ON object (hierarchy, key);
      CREATE TABLE claim (label TEXT, property TEXT, owner INTEGER, PRIMARY KEY (label, property)) WITHOUT ROWID;
      CREATE TABLE rewritten (line INTEGER, entity INTEGER, key INTEGER, property TEXT, PRIMARY KEY (line, property))
      WITHOUT ROWID;
      CREATE TABLE noted (entity INTEGER, key INTEGER, line INTEGER, PRIMARY KEY (entity, key)) WITHOUT ROWID;
      CREATE TABLE emptied (entity INTEGER, key INTEGER, property TEXT, line INTEGER, PRIMARY KEY (entity, key, property))
      WITHOUT ROWID;
      BEGIN
      """)
  }

  deinit { connection.close() }

  /// Records a line, with its key if the key is known already.
  ///
  /// - Returns: the earlier line with the same label or key, and whether the labels are the same; nothing is recorded then.
  func add(line: Int, label: String?, entity: StoreEntity, key: Int64?, isNew: Bool) throws -> (
    line: Int, isLabel: Bool
  )? {
    let insert = try connection.statement("INSERT OR IGNORE INTO object VALUES (?, ?, ?, ?, ?, ?)")
    try insert.bind(Int64(line), at: 1)
    if let label { try insert.bind(label, at: 2) }
    try insert.bind(Int64(entity.hierarchy), at: 3)
    try insert.bind(Int64(entity.number), at: 4)
    if let key { try insert.bind(key, at: 5) }
    try insert.bind(isNew ? 1 : 0 as Int64, at: 6)
    try insert.run()
    if connection.changes > 0 { return nil }
    if let label, let earlier = try self.entry(label: label) { return (earlier.line, true) }
    let find = try connection.statement("SELECT line FROM object WHERE hierarchy = ? AND key = ?")
    defer { find.reset() }
    try find.bind(Int64(entity.hierarchy), at: 1)
    try find.bind(key ?? 0, at: 2)
    return try find.step() ? (Int(find.integer(0)), false) : (line, false)
  }

  /// Assigns a key to every line without one.
  func assignKeys(_ next: (_ entity: Int32) throws -> Int64) throws {
    let find = try connection.prepare(
      "SELECT line, entity FROM object WHERE key IS NULL AND line > ? ORDER BY line LIMIT 1000")
    let set = try connection.prepare("UPDATE object SET key = ? WHERE line = ?")
    var last: Int64 = 0
    while true {
      var lines: [(line: Int64, entity: Int32)] = []
      try find.bind(last, at: 1)
      while try find.step() { lines.append((find.integer(0), Int32(truncatingIfNeeded: find.integer(1)))) }
      find.reset()
      guard let end = lines.last else { return }
      for (line, entity) in lines {
        try set.bind(try next(entity), at: 1)
        try set.bind(line, at: 2)
        try set.run()
      }
      last = end.line
    }
  }

  func entry(label: String) throws -> Entry? {
    let find = try connection.statement("SELECT line, entity, key, new FROM object WHERE label = ?")
    try find.bind(label, at: 1)
    return try entry(find)
  }

  func entry(line: Int) throws -> Entry? {
    let find = try connection.statement("SELECT line, entity, key, new FROM object WHERE line = ?")
    try find.bind(Int64(line), at: 1)
    return try entry(find)
  }

  private func entry(_ find: Statement) throws -> Entry? {
    defer { find.reset() }
    guard try find.step() else { return nil }
    return Entry(
      line: Int(find.integer(0)),
      object: ObjectKey(entity: Int32(truncatingIfNeeded: find.integer(1)), key: find.integer(2)),
      isNew: find.integer(3) != 0)
  }

  // MARK: Claims

  /// Records that the object of a line holds another object in the inverse of this property.
  ///
  /// - Returns: the line of an object that holds it already.
  func claim(_ label: String, _ property: String, owner line: Int) throws -> Int? {
    let insert = try connection.statement("INSERT OR IGNORE INTO claim VALUES (?, ?, ?)")
    try insert.bind(label, at: 1)
    try insert.bind(property, at: 2)
    try insert.bind(Int64(line), at: 3)
    try insert.run()
    if connection.changes > 0 { return nil }
    let earlier = try owner(of: label, property)
    return earlier == line ? nil : earlier
  }

  /// The line of the object that holds this object.
  func owner(of label: String, _ property: String) throws -> Int? {
    let find = try connection.statement("SELECT owner FROM claim WHERE label = ? AND property = ?")
    defer { find.reset() }
    try find.bind(label, at: 1)
    try find.bind(property, at: 2)
    return try find.step() ? Int(find.integer(0)) : nil
  }

  /// The objects that later lines hold: their labels, the property that leads to the owner, and the owner's key.
  func eachClaim(
    after line: Int, _ body: (_ label: String, _ property: String, _ owner: Int64) throws -> Void
  ) throws {
    let find = try connection.prepare(
      "SELECT c.label, c.property, o.key FROM claim c JOIN object o ON o.line = c.owner WHERE c.owner > ?")
    try find.bind(Int64(line), at: 1)
    while try find.step() { try body(find.text(0) ?? "", find.text(1) ?? "", find.integer(2)) }
  }

  // MARK: Unique values

  /// Records that a line overwrites a unique property of an existing row.
  func noteRewritten(_ property: String, of object: ObjectKey, line: Int) throws {
    let insert = try connection.statement("INSERT OR IGNORE INTO rewritten VALUES (?, ?, ?, ?)")
    try insert.bind(Int64(line), at: 1)
    try insert.bind(Int64(object.entity), at: 2)
    try insert.bind(object.key, at: 3)
    try insert.bind(property, at: 4)
    try insert.run()
  }

  /// The unique properties that later lines overwrite, with their rows.
  func eachRewritten(
    after line: Int, _ body: (_ object: ObjectKey, _ property: String) throws -> Void
  ) throws {
    let find = try connection.prepare("SELECT entity, key, property FROM rewritten WHERE line > ?")
    try find.bind(Int64(line), at: 1)
    while try find.step() {
      try body(
        ObjectKey(entity: Int32(truncatingIfNeeded: find.integer(0)), key: find.integer(1)), find.text(2) ?? "")
    }
  }

  // MARK: Objects whose relationships are counted

  /// Records an object whose relationships a line changes. The first line stays.
  func note(_ object: ObjectKey, line: Int) throws {
    let insert = try connection.statement("INSERT OR IGNORE INTO noted VALUES (?, ?, ?)")
    try insert.bind(Int64(object.entity), at: 1)
    try insert.bind(object.key, at: 2)
    try insert.bind(Int64(line), at: 3)
    try insert.run()
  }

  func eachNoted(_ body: (_ object: ObjectKey, _ line: Int) throws -> Void) throws {
    let find = try connection.prepare("SELECT entity, key, line FROM noted ORDER BY line")
    while try find.step() {
      try body(
        ObjectKey(entity: Int32(truncatingIfNeeded: find.integer(0)), key: find.integer(1)), Int(find.integer(2)))
    }
  }

  // MARK: Emptied relationships

  /// Records a to-one relationship that a line has emptied. The last line stays.
  func noteEmptied(_ property: String, of object: ObjectKey, line: Int) throws {
    let insert = try connection.statement("INSERT OR REPLACE INTO emptied VALUES (?, ?, ?, ?)")
    try insert.bind(Int64(object.entity), at: 1)
    try insert.bind(object.key, at: 2)
    try insert.bind(property, at: 3)
    try insert.bind(Int64(line), at: 4)
    try insert.run()
  }

  func eachEmptied(_ body: (_ object: ObjectKey, _ property: String, _ line: Int) throws -> Void) throws {
    let find = try connection.prepare("SELECT entity, key, property, line FROM emptied ORDER BY line, entity, key")
    while try find.step() {
      try body(
        ObjectKey(entity: Int32(truncatingIfNeeded: find.integer(0)), key: find.integer(1)), find.text(2) ?? "",
        Int(find.integer(3)))
    }
  }
}
