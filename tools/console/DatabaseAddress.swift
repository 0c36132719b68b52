import Foundation

/// Addresses of databases on a command line. They may contain passwords, so that no message shows them.
package enum DatabaseAddress {
  /// Whether a text names a database, not a file: it begins with the scheme of a URL. A wrong scheme is the database's to refuse, since
  /// messages show paths, and an address may contain a password.
  package static func isAddress(_ text: String) -> Bool { scheme(in: text)?.lowerBound == text.startIndex }

  /// A message about a command line without the addresses in its arguments.
  package static func hidingAddresses(in message: String, of arguments: some Sequence<String>) -> String {
    arguments.reduce(message) { message, argument in
      guard let scheme = scheme(in: argument) else { return message }
      return message.replacingOccurrences(of: argument[scheme.lowerBound...], with: argument[scheme] + "…")
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
