extension AttributeDescription.Derivation {
  /// The expression in `NSExpression`'s format, as it is hashed: `pages.@count` becomes `count:(pages)` (VH-7).
  ///
  /// `nil` for anything but a key path, a key path's `@count`, a function of one key path and a function of nothing.
  package var expressionFormat: String? {
    let text = expression.trimmingSpaces
    if text.hasSuffix(")"), let opening = text.firstIndex(of: "(") {
      let function = String(text[..<opening])
      let argument = String(text[text.index(after: opening)...].dropLast()).trimmingSpaces
      if argument.isEmpty { return isName(function) ? "\(function)()" : nil }
      guard function.hasSuffix(":"), isName(String(function.dropLast())), isKeyPath(argument) else { return nil }
      return "\(function)(\(argument))"
    }
    if text.hasSuffix(".@count") {
      let path = String(text.dropLast(".@count".count))
      return isKeyPath(path) ? "count:(\(path))" : nil
    }
    return isKeyPath(text) ? text : nil
  }

  private func isKeyPath(_ text: String) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isName(String($0)) }
  }

  /// Whether the format writes the name without quotation: it has no operators and no spaces.
  private func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, !("0"..."9" ~= first) else { return false }
    return text.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
    }
  }
}

extension String {
  fileprivate var trimmingSpaces: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
