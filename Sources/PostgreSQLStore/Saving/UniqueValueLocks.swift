import PostgreSQL

/// The locks by which saves that insert equal unique values wait for one another.
///
/// The server compares unique values at the commit. By then one of these saves has locked the store's row, for which the others wait,
/// while it waits for them. The server finds this deadlock after a second, and ends one save of many. With the locks, the second save
/// waits before it looks for the value. It then finds the row of the first one.
enum UniqueValueLocks {
  /// The server has room for some 64 locks of each connection. A save of more values takes none.
  static let valueLimit = 32
  /// The bytes of a value that name its lock. Values with one beginning only wait for one another.
  private static let nameLength = 200

  /// Takes the locks with the next statement, in an order that all saves have.
  static func take(_ values: [UniqueValues], in schema: Identifier, over connection: Connection) throws {
    guard !values.isEmpty, values.count <= valueLimit else { return }
    let names = Set(
      values.map { value in
        let digits = value.bytes.prefix(nameLength).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        return "SwiftData value \(schema.name) \(value.constraint.name) \(digits)"
      })
    // The server evaluates them one after another.
    let locks = names.sorted().map { "pg_advisory_xact_lock(\(AdvisoryLock.number($0)))" }
    try connection.runWithNext("SELECT " + locks.joined(separator: ", "))
  }
}
