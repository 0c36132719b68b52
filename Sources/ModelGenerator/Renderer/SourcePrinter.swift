/// Collects lines of source, indents them, and breaks long lines.
struct SourcePrinter {
  private var text = ""
  private var indentation = ""

  /// The greatest width of a line, unless a single word is longer.
  static let maximumWidth = 120

  /// All lines, without empty lines at the end.
  var finishedText: String {
    var result = text[...]
    while result.hasSuffix("\n\n") { result.removeLast() }
    return String(result)
  }

  /// Adds a line. Breaks a long line after a label or an equals sign, as far to the right as fits.
  mutating func line(_ content: String = "") {
    guard !fits(content), let end = lineBreak(in: content) else {
      text += content.isEmpty ? "\n" : indentation + content + "\n"
      return
    }
    text += indentation + content[..<end] + "\n" + indentation + "  " + content[end...].dropFirst() + "\n"
  }

  /// The place to break a long line: after `self.x =`, `var x: T =` or `x:`.
  private func lineBreak(in content: String) -> String.Index? {
    // In bytes: a quotation mark and the scalar after it may be one character.
    let head = content.utf8.prefix { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "(") && $0 != UInt8(ascii: "/") }
    let ends = [": ", " = "].compactMap { sign in
      head.firstRange(of: Array(sign.utf8)).map { head.index(before: $0.upperBound) }
    }
    return ends.last { fits(String(content[..<$0])) } ?? ends.first
  }

  /// Adds a line with an opening brace, the body, and the line with the closing brace.
  mutating func block(_ opening: String, _ body: (inout Self) -> Void) {
    line(opening + " {")
    indented(body)
    line("}")
  }

  mutating func indented(_ body: (inout Self) -> Void) {
    indentation += "  "
    body(&self)
    indentation.removeLast(2)
  }

  /// Adds `opening`, items and `closing` on one line if they fit; otherwise each item has its own line.
  mutating func list(_ opening: String, _ items: [String], _ closing: String, trailingComma: Bool = false) {
    let single = opening + items.joined(separator: ", ") + closing
    guard !fits(single), !items.isEmpty else { return line(single) }
    line(opening)
    indented { printer in
      for (index, item) in items.enumerated() {
        let isLast = index == items.count - 1
        printer.line(item + (!isLast || (trailingComma && items.count > 1) ? "," : ""))
      }
    }
    line(closing)
  }

  func fits(_ content: String) -> Bool {
    let width = Self.maximumWidth - indentation.utf8.count
    // A text never has more characters than bytes, and counting bytes is fast.
    return content.utf8.count <= width || content.count <= width
  }

  /// Adds comment lines, broken between words. No character of a name can end the comment.
  mutating func comment(_ content: String, prefix: String = "// ", continuation: String = "") {
    var current = ""
    for word in Self.printable(content).split(separator: " ") {
      let candidate = current.isEmpty ? String(word) : current + " " + word
      if fits(prefix + candidate) || current.isEmpty {
        current = candidate
      } else {
        line(prefix + current)
        current = continuation + word
      }
    }
    line(prefix + current)
  }

  /// The text with line breaks and invisible characters replaced by spaces.
  private static func printable(_ text: String) -> String {
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: result.append(" ")
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}
