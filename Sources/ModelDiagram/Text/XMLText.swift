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

/// Replaces characters that would break a line, or that no picture can show, with spaces.
func onOneLine(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: " "
    default: scalar
    }
  }
  return String(String.UnicodeScalarView(scalars))
}
