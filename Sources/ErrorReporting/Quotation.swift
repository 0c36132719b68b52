/// Quotes a name from a model or a store for a message: in quotation marks, on one line, of bounded length.
///
/// Names are untrusted. Control characters and quotation marks are written as escapes, and a name of more than 80
/// characters is cut.
package func quoted(_ name: String) -> String {
  var text = "“"
  for (position, scalar) in name.unicodeScalars.enumerated() {
    if position == 80 {
      text += "…"
      break
    }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
      text += escape(scalar)
    default:
      if scalar == "“" || scalar == "”" || scalar == "\\" { text += "\\" }
      text.unicodeScalars.append(scalar)
    }
  }
  return text + "”"
}

/// Quotes a path as a whole, and writes control characters as escapes.
package func quotedPath(_ path: String) -> String {
  "“" + path.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? escape($0) : String($0) }.joined() + "”"
}

/// `\u{1b}`
private func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }

/// ` (did you mean “nearest”?)`, or nothing.
package func suggestion(_ nearest: String?) -> String {
  nearest.map { " (did you mean \(quoted($0))?)" } ?? ""
}
