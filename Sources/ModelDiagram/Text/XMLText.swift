/// Text as it may stand in XML, between tags or in an attribute's quotation marks.
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

/// A name with everything that would break a line, or that no picture can show, replaced by blanks.
func onOneLine(_ text: String) -> String {
  let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: " "
    default: scalar
    }
  }
  return String(String.UnicodeScalarView(scalars))
}
