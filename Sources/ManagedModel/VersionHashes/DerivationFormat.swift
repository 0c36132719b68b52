extension AttributeDescription.Derivation {
  /// The expression in `NSExpression`'s format, as it is hashed: `pages.@count` becomes `count:(pages)` (VH-7).
  ///
  /// `nil` for anything but a key path, a key path's `@count`, a function of one key path and a function of nothing.
  package var expressionFormat: String? {
    switch PredicateParser.expression(expression) {
    case .keyPath(of: .evaluatedObject, let path)?:
      if path.hasSuffix(".@count") {
        let counted = String(path.dropLast(".@count".count))
        return isKeyPath(counted) ? "count:(\(counted))" : nil
      }
      return isKeyPath(path) ? path : nil
    case .function(let name, let arguments)?:
      guard let first = arguments.first else { return isName(name) ? "\(name)()" : nil }
      guard arguments.count == 1, case .keyPath(of: .evaluatedObject, let path) = first, isKeyPath(path),
        name.hasSuffix(":"), isName(String(name.dropLast()))
      else { return nil }
      return "\(name)(\(path))"
    default: return nil
    }
  }

  private func isKeyPath(_ text: String) -> Bool {
    text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isName(String($0)) }
  }

  /// Whether the format writes the name without quotation: it has no operators and no spaces.
  private func isName(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, !("0"..."9" ~= first) else { return false }
    // A decomposed letter has its mark as a scalar of its own.
    return text.unicodeScalars.allSatisfy {
      $0 == "_" || $0.properties.isAlphabetic || $0.properties.numericType != nil
        || [.nonspacingMark, .spacingMark, .enclosingMark].contains($0.properties.generalCategory)
    }
  }
}
