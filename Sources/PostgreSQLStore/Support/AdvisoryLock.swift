import PostgreSQL

/// Advisory locks, named by texts. They end with their transaction.
enum AdvisoryLock {
  /// The number of a lock in SQL. Two locks with one number only wait for one another.
  static func number(_ name: String) -> String { "hashtextextended(\(sqlLiteral(name)), 0)" }

  /// The statement that takes the lock which all saves to a store share while they run. A save after a deadlock has it for itself, and so
  /// has a migration.
  ///
  /// Saves lock rows in many orders: of updates, upserts, delete rules, partners of one-to-one relationships, places in lists, derived
  /// attributes. Two of them may wait for one another, and the server ends one after a second. The next attempt runs alone, so that it
  /// meets no other save. All saves change the store's row at their end in any case, so they end one after another.
  static func ofSaves(in schema: Identifier, isExclusive: Bool) -> String {
    "SELECT pg_advisory_xact_lock\(isExclusive ? "" : "_shared")(\(number("SwiftData saves \(schema.name)")))"
  }
}
