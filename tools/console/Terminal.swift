import Foundation

/// The abilities of a stream: only text in pipes and files, colors on a terminal that supports them.
package struct Terminal: Sendable {
  /// Whether a person reads the stream, on a device that understands control sequences.
  package let isInteractive: Bool
  package let hasColors: Bool

  package static let plain = Terminal(isInteractive: false, hasColors: false)
  package static let output = Terminal(descriptor: STDOUT_FILENO, environment: ProcessInfo.processInfo.environment)
  package static let errors = Terminal(descriptor: STDERR_FILENO, environment: ProcessInfo.processInfo.environment)

  package init(isInteractive: Bool, hasColors: Bool) {
    self.isInteractive = isInteractive
    self.hasColors = hasColors
  }

  /// `NO_COLOR` with any text turns colors off (no-color.org). A terminal of type `dumb`, or of no type, has no colors.
  package init(descriptor: Int32, environment: [String: String]) {
    let kind = environment["TERM"] ?? ""
    isInteractive = isatty(descriptor) == 1 && kind != "dumb" && !kind.isEmpty
    hasColors = isInteractive && (environment["NO_COLOR"] ?? "").isEmpty
  }

  /// A style of text; the raw value is its number among the standard control sequences (ECMA-48, SGR).
  package enum Style: Int, Sendable {
    case plain = 0
    case bold = 1
    case red = 31
    case green = 32
    case yellow = 33
    case magenta = 35
    case cyan = 36
  }

  package func styled(_ text: String, _ style: Style) -> String {
    guard hasColors, style != .plain else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
