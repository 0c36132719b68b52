import PostgreSQL

/// The channel that tells of the committed saves of a store. Channels belong to a database, so the name has the schema.
///
/// The server cuts the names of channels as it cuts all names, and refuses longer ones in notifications.
enum NotificationChannel {
  static func name(schema: String) -> String { Identifier(shortening: "swiftdata:" + schema).name }
}
