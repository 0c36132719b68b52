import Foundation

/// Addresses of databases on a command line. They may contain passwords, so that no message shows them.
package enum DatabaseAddress {
  /// Whether a text names a database, not a file: it begins with the scheme of a URL, or with a keyword and `=`. A wrong scheme is the
  /// database's to refuse, since messages show paths, and an address may contain a password.
  package static func isAddress(_ text: String) -> Bool {
    scheme(in: text)?.lowerBound == text.startIndex || keyword(in: text[...]) != nil
  }

  /// A message about a command line without the addresses in its arguments.
  package static func hidingAddresses(in message: String, of arguments: some Sequence<String>) -> String {
    arguments.reduce(message) { message, argument in
      guard let shown = keywordOfAddress(in: argument) ?? scheme(in: argument) else { return message }
      return message.replacingOccurrences(of: argument[shown.lowerBound...], with: argument[shown] + "…")
    }
  }

  /// The first scheme of a URL in a text, such as `postgresql://`; not that of a file.
  private static func scheme(in text: String) -> Range<String.Index>? {
    for mark in text.ranges(of: "://") {
      let before = text[..<mark.lowerBound]
      let start = before.lastIndex { !$0.isASCII || !($0.isLetter || $0.isNumber || "+.".contains($0)) }
      let name = start.map { before[before.index(after: $0)...] } ?? before
      if !name.isEmpty, name.lowercased() != "file" { return name.startIndex..<mark.upperBound }
    }
    return nil
  }

  /// The keyword and the `=` at the beginning of an argument, or of the value of an option such as `--to=`.
  private static func keywordOfAddress(in argument: String) -> Range<String.Index>? {
    guard argument.hasPrefix("-"), let equals = argument.firstIndex(of: "=") else { return keyword(in: argument[...]) }
    return keyword(in: argument[argument.index(after: equals)...])
  }

  /// The keyword and the `=` at the beginning of a text, such as `host=`.
  private static func keyword(in text: Substring) -> Range<String.Index>? {
    guard let equals = text.firstIndex(of: "="),
      keywords.contains(text[..<equals].trimmingCharacters(in: .whitespacesAndNewlines))
    else { return nil }
    return text.startIndex..<text.index(after: equals)
  }

  /// The keywords of `libpq` (PostgreSQL documentation, "Parameter Key Words").
  private static let keywords: Set<String> = [
    "host", "hostaddr", "port", "dbname", "user", "password", "passfile", "require_auth", "channel_binding",
    "connect_timeout", "client_encoding", "options", "application_name", "fallback_application_name", "keepalives",
    "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout", "replication", "gssencmode",
    "sslmode", "requiressl", "sslnegotiation", "sslcompression", "sslcert", "sslkey", "sslkeylogfile", "sslpassword",
    "sslcertmode", "sslrootcert", "sslcrl", "sslcrldir", "sslsni", "requirepeer", "ssl_min_protocol_version",
    "ssl_max_protocol_version", "min_protocol_version", "max_protocol_version", "krbsrvname", "gsslib",
    "gssdelegation", "scram_client_key", "scram_server_key", "service", "servicefile", "target_session_attrs",
    "load_balance_hosts", "oauth_issuer", "oauth_client_id", "oauth_client_secret", "oauth_scope",
  ]

  /// Ends the program with the parser's message about the command line if the message shows an address; returns otherwise.
  ///
  /// The address is hidden, and the message is printed as the parser prints it.
  package static func endIfShown(in message: String, status: Int32) {
    let hidden = hidingAddresses(in: message, of: CommandLine.arguments)
    guard hidden != message else { return }
    try? FileHandle.standardError.write(contentsOf: Data((hidden + "\n").utf8))
    exit(status)
  }
}
