import ErrorReporting

/// The values of an address by keyword. Messages show only the database, the host, the port, the user and the service.
///
/// An unencoded `/` or `@` in a password lets the client library take a part of the password for one of these. So a message shows
/// them only if all of them have plain characters.
///
/// The other values are hidden in messages. A value stays if its keyword is known to hold no secret, and if it has plain characters:
/// `?sslmode=disable?password=…` makes the rest of the address a value of `sslmode`.
struct AddressParts: Sendable, Hashable {
  /// The values that messages may show; `nil` if a value may have a part of a password.
  private let shown: [String: String]?
  /// The values that may be secret, or have a part of a password.
  private let hidden: Set<String>

  /// The keywords whose values messages may show, with the punctuation that a plain value may have.
  private static let plain = [
    "dbname": "-_. ", "host": "-_./:,%", "hostaddr": ".:,%", "port": ",", "user": "-_.@+", "service": "-_.",
  ]

  /// The other keywords whose values are no secrets. Keywords of later client libraries are not among them until they are known.
  private static let harmless: Set = [
    "application_name", "channel_binding", "client_encoding", "connect_timeout", "fallback_application_name",
    "gssdelegation", "gssencmode", "gsslib", "keepalives", "keepalives_count", "keepalives_idle", "keepalives_interval",
    "krbsrvname", "load_balance_hosts", "max_protocol_version", "min_protocol_version", "replication", "require_auth",
    "requirepeer", "ssl_max_protocol_version", "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression",
    "sslcrl", "sslcrldir", "sslmode", "sslnegotiation", "sslrootcert", "sslsni", "target_session_attrs",
    "tcp_user_timeout",
  ]

  /// - Parameter defaults: the client library's values for keywords that the address omits.
  init(_ values: [String: String], defaults: [String: String] = [:]) {
    let candidates = values.filter { Self.plain[$0.key] != nil && !$0.value.isEmpty }
    var others = defaults.filter { Self.plain[$0.key] != nil && Self.isPlain($0.value, $0.key) && !$0.value.isEmpty }
    // The connection goes to the numeric address, whatever host the environment names.
    if candidates["hostaddr"] != nil { others["host"] = nil }
    shown =
      candidates.allSatisfy { Self.isPlain($0.value, $0.key) }
      ? candidates.merging(others) { given, _ in given } : nil
    hidden = Set(
      values.filter { keyword, value in
        let isPublic = Self.harmless.contains(keyword) && Self.isPlain(value, keyword)
        return Self.plain[keyword] == nil && !isPublic && !value.isEmpty
      }.values)
  }

  private static func isPlain(_ value: String, _ keyword: String) -> Bool {
    let punctuation = (plain[keyword] ?? "-_./,!").unicodeScalars
    // The socket of an abstract name begins with @.
    let rest = keyword == "host" && value.hasPrefix("@") ? value.dropFirst() : value[...]
    return rest.unicodeScalars.allSatisfy { scalar in
      let isWord = keyword == "port" ? ("0"..."9").contains(scalar) : scalar.properties.isAlphabetic
      return isWord || ("0"..."9").contains(scalar) || punctuation.contains(scalar)
    }
  }

  var description: String {
    guard let shown else { return "the database" }
    let service = shown["service"].map { "of the service \($0)" }
    let host = (shown["host"] ?? shown["hostaddr"]).map { $0.contains(":") ? "[\($0)]" : $0 }
    let place = host.map { "on \($0)" } ?? service ?? "on the default host"
    let unnamed = service == nil ? "the user's database" : "the database"
    let database = shown["dbname"].map { "database \($0.contains(" ") ? quoted($0) : $0)" } ?? unnamed
    return "\(database) \(place)\(shown["port"].map { ":\($0)" } ?? "")\(shown["user"].map { " as \($0)" } ?? "")"
  }

  /// A message about a connection without hidden values.
  func withoutSecrets(_ message: String) -> String {
    guard shown != nil else {
      return "could not connect; a part of the address has a character that separates parts, "
        + "such as @, / or a space: write it percent-encoded in a URL (%40, %2F, %20), or in quotation marks"
    }
    var result = ""
    for (index, piece) in message.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      let isQuoted = index.isMultiple(of: 2) == false
      let isSecret = isQuoted && hidden.contains { piece.contains($0) }
      result += (index == 0 ? "" : "\"") + (isSecret ? "…" : String(piece))
    }
    // A server that speaks another language may have other quotation marks.
    for secret in hidden where secret.count > 2 { result = result.replacing(secret, with: "…") }
    return result
  }

  /// A message about an address that has no valid form: the client library quotes all parts of the address.
  static func withoutQuotations(_ message: String) -> String {
    let marks = "\"'“”„«»‹›‘’「」"
    guard let first = message.firstIndex(where: marks.contains), let last = message.lastIndex(where: marks.contains)
    else { return message }
    return message[..<first] + "…" + message[message.index(after: last)...]
  }
}
