import ErrorReporting

/// Escapes text for XML, between tags or in a quoted attribute.
enum XMLText {
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in onOneLine(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
