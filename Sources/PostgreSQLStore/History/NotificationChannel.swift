import PostgreSQL

/// The channel that tells of the committed saves of a store. Channels belong to a database, so the name has the schema.
///
/// The server cuts the names of channels as it cuts all names, and refuses longer ones in notifications. A name that is too long
/// ends with a hash, so that two schemas do not share a channel.
enum NotificationChannel {
  private static let start = "swiftdata:"

  static func name(schema: String) -> String {
    let name = start + schema
    guard name.utf8.count > Identifier.longestName else { return name }
    let hash = String(fnv1a(schema), radix: 16)
    return name.prefix(bytes: Identifier.longestName - hash.utf8.count - 1) + ":" + hash
  }

  /// The hash FNV-1a of 64 bits, which is the same in every process.
  private static func fnv1a(_ text: String) -> UInt64 {
    text.utf8.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
  }
}
