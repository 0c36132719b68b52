import Foundation

/// Addresses of databases on a command line. They may contain passwords, so that no message shows them.
package enum DatabaseAddress {
  private static let schemes = ["postgresql://", "postgres://"]

  /// Whether a text names a database, not a file.
  package static func isAddress(_ text: String) -> Bool { schemes.contains(where: text.hasPrefix) }

  /// A message about a command line without the addresses in its arguments.
  package static func hidingAddresses(in message: String, of arguments: some Sequence<String>) -> String {
    var result = message
    for argument in arguments {
      for scheme in schemes {
        guard let address = argument.range(of: scheme).map({ String(argument[$0.lowerBound...]) }) else { continue }
        result = result.replacingOccurrences(of: address, with: scheme + "…")
      }
    }
    return result
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
