import PostgreSQL

/// The advisory locks of saves. They end with their transaction, and they go to the server with the next statement, so they cost no
/// round trip.
enum AdvisoryLock {
  /// The lock that all saves to a store share while they run. A save after a deadlock has it for itself, and so has a migration.
  ///
  /// Saves lock rows in many orders: of updates, upserts, delete rules, partners of one-to-one relationships, places in lists, derived
  /// attributes. Two of them may wait for one another, and the server ends one after a second. The next attempt runs alone, so that it
  /// meets no other save. All saves change the store's row at their end in any case, so they end one after another.
  static func ofSaves(in schema: Identifier, isExclusive: Bool) -> String {
    "SELECT pg_advisory_xact_lock\(isExclusive ? "" : "_shared")(\(key(["saves", schema.name])))"
  }

  /// A number that programs on all machines compute alike (FNV-1a). Two locks with one number only wait for one another.
  static func key(_ texts: [String], _ bytes: [UInt8] = []) -> Int64 {
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    for text in texts {
      text.utf8.forEach(add)
      add(0)
    }
    bytes.forEach(add)
    // SQL has no literal for the least number.
    return Int64(hash &>> 1)
  }
}
