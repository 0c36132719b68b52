import Foundation

/// A message of the client library in its verbose form, which has the server's error code, whatever language the server speaks:
///
///     FATAL:  28P01: password authentication failed for user "app"
///     LOCATION:  auth_failed, auth.c:337
struct VerboseMessage {
  /// The last code in the message; `nil` if the server has given none.
  let state: SQLState?
  /// The message without codes and places in the server's source code.
  let text: String

  init(_ message: String) {
    var state: SQLState?
    var lines: [String] = []
    for line in message.split(separator: "\n", omittingEmptySubsequences: false) where !Self.isPlace(line) {
      guard let mark = line.range(of: Self.mark), let code = Self.code(after: line[mark.upperBound...]) else {
        lines.append(String(line))
        continue
      }
      state = SQLState(String(code))
      lines.append(String(line[..<mark.upperBound]) + line[code.endIndex...].dropFirst(2))
    }
    self.state = state
    text = lines.joined(separator: "\n")
  }

  /// Whether a server has answered: the client library writes these characters after the severity of a server's message only.
  static func isServers(_ message: String) -> Bool { message.contains(mark) }

  private static let mark = ":  "

  /// The five characters before a colon and a space.
  private static func code(after rest: Substring) -> Substring? {
    let code = rest.prefix(5)
    guard code.utf8.count == 5, code.utf8.allSatisfy({ isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")) ~= $0 }),
      rest[code.endIndex...].hasPrefix(": ")
    else { return nil }
    return code
  }

  /// Whether a line ends with a function, a file and a line's number: `auth_failed, auth.c:337`.
  private static func isPlace(_ line: Substring) -> Bool {
    guard let colon = line.lastIndex(of: ":"), let comma = line[..<colon].range(of: ", ", options: .backwards) else {
      return false
    }
    let (number, file) = (line[colon...].dropFirst(), line[comma.upperBound..<colon])
    return !number.isEmpty && number.utf8.allSatisfy(isDigit) && file.contains(".") && !file.contains(" ")
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")) ~= byte }
}
