import SQLite

/// Hands out primary keys from `Z_PRIMARYKEY.Z_MAX` of root entities (CD-6), inside the transaction that writes the rows.
///
/// Each counter is read once, on first need, and written once, at the end; it never goes down.
struct KeyAllocator {
  private let connection: Connection
  private var counters: [Counter] = []
  /// The index of the counter used last, which the next key mostly needs too.
  private var current = 0

  private struct Counter {
    let number: Int
    var name: String
    /// The last key handed out, and the key before the first.
    var last: Int64
    let start: Int64
    /// Keys of deleted rows that this transaction inserts again; all are at most `start`.
    var taken: Set<Int64> = []
    /// Whether `Z_PRIMARYKEY` has the row.
    let exists: Bool
  }

  init(_ connection: Connection) { self.connection = connection }

  /// The next key of a counter.
  ///
  /// - Parameter name: the counter's name, to create a missing counter (history, CD-1.2); without a name, a missing counter is an error.
  mutating func next(_ number: Int, table: Identifier, entityName: String, makes name: String? = nil) throws -> Int64 {
    try advance(number, by: 1, table: table, entityName: entityName, makes: name).lowerBound
  }

  /// The next `count` keys of a counter.
  mutating func advance(_ number: Int, by count: Int, table: Identifier, entityName: String, makes name: String? = nil)
    throws -> Range<Int64>
  {
    if !counters.indices.contains(current) || counters[current].number != number {
      if let known = counters.firstIndex(where: { $0.number == number }) {
        current = known
      } else {
        counters.append(try read(number, table: table, entityName: entityName, makes: name))
        current = counters.count - 1
      }
    }
    let last = counters[current].last
    let (end, overflow) = last.addingReportingOverflow(Int64(count))
    guard !overflow, end < Int64.max else { throw DamagedCounter.outOfKeys(entity: entityName) }
    counters[current].last = end
    return (last + 1)..<(end + 1)
  }

  /// Marks a key that the caller chose, and all smaller keys, as handed out.
  mutating func reserve(_ key: Int64, _ number: Int, table: Identifier, entityName: String) throws {
    let last = try advance(number, by: 0, table: table, entityName: entityName).lowerBound - 1
    if key > last, let count = Int(exactly: key - last) {
      _ = try advance(number, by: count, table: table, entityName: entityName)
    }
  }

  /// Takes a key that an earlier transaction handed out, for a row that comes back.
  ///
  /// - Returns: `false` if no earlier transaction handed out the key, or if this one has taken it. The caller checks that no row has it.
  mutating func take(_ key: Int64, _ number: Int, table: Identifier, entityName: String) throws -> Bool {
    _ = try advance(number, by: 0, table: table, entityName: entityName)
    guard key > 0, key <= counters[current].start else { return false }
    return counters[current].taken.insert(key).inserted
  }

  /// The keys that a counter handed out in this transaction; `nil` if none.
  func allocated(_ number: Int) -> ClosedRange<Int64>? {
    guard let counter = counters.first(where: { $0.number == number }), counter.last > counter.start else { return nil }
    return (counter.start + 1)...counter.last
  }

  /// Writes the counters that were used, ordered by their numbers.
  ///
  /// - Throws: ``SaveError/ignoredBooks(table:triggers:)``, `SQLiteError`
  func finish() throws {
    for counter in counters.sorted(by: { $0.number < $1.number }) where counter.last > counter.start {
      if counter.exists {
        let statement = try connection.statement(SaveStatement.setMaximumKey)
        try statement.bind(counter.last, at: 1)
        try statement.bind(Int64(counter.number), at: 2)
        try statement.run()
      } else {
        let statement = try connection.statement(SaveStatement.insertMaximumKey)
        try statement.bind(Int64(counter.number), at: 1)
        try statement.bind(counter.name, at: 2)
        try statement.bind(counter.last, at: 3)
        try statement.run()
      }
      try connection.requireWritten(1, to: "Z_PRIMARYKEY")
    }
  }

  private func read(_ number: Int, table: Identifier, entityName: String, makes name: String?) throws -> Counter {
    let statement = try connection.statement(SaveStatement.maximumKeys(of: table, number: number))
    defer { statement.reset() }
    if try statement.step() {
      let last = max(statement.integer(0), statement.integer(1), 0)
      return Counter(number: number, name: entityName, last: last, start: last, exists: true)
    }
    guard let name else { throw DamagedCounter.noKeyCounter(entity: entityName) }
    let last = max(try connection.integer(SaveStatement.maximumKey(of: table)) ?? 0, 0)
    return Counter(number: number, name: name, last: last, start: last, exists: false)
  }
}
