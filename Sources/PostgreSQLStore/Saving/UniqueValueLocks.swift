import PostgreSQL

/// The locks by which saves that insert equal unique values wait for one another.
///
/// The server compares unique values at the commit. Without these locks, one of several such saves has the lock of the store's row and
/// waits for the others, and they wait for the store's row. The server finds this deadlock after a second, and ends one save of many.
/// With the locks, the second save waits before it looks for the value, and then finds the row of the first one.
enum UniqueValueLocks {
  /// The server has room for some 64 locks of each connection. A save of more values takes none.
  static let valueLimit = 32

  /// Takes the locks with the next statement, in an order that all saves have.
  static func take(_ values: [UniqueValues], in schema: Identifier, over connection: Connection) throws {
    guard !values.isEmpty, values.count <= valueLimit else { return }
    let keys = Set(values.map { AdvisoryLock.key([schema.name, $0.constraint.name], $0.bytes) })
    // The server evaluates them one after another.
    let locks = keys.sorted().map { "pg_advisory_xact_lock(\($0))" }
    try connection.runWithNext("SELECT " + locks.joined(separator: ", "))
  }
}
