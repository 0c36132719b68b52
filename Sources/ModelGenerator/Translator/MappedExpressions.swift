import ManagedModel

/// Writes value expressions as Swift, and the conversions that an assignment needs.
enum MappedExpressions {
  private static let integers: Set<String> = ["Int", "Int16", "Int32", "Int64"]
  private static let reals: Set<String> = ["Double", "Float"]

  /// The value of an expression; `nil` if Swift has no such expression for these types.
  /// - Parameter wanted: the type of the destination, which decides on the form of a constant.
  static func value(_ value: MappedValue, _ row: inout MappedRow, wanted: TypeReference) -> SwiftValue? {
    switch value {
    case .source(let path): return row.value(at: path)
    case .constant(let tree): return constant(tree, wanted: wanted)
    case .rows: return nil
    case .letterCase(let isUpper, let inner):
      guard let text = self.value(inner, &row, wanted: wanted), text.type.name == "String", !text.type.isArray else {
        return nil
      }
      let call = "\(text.type.isOptional ? "?" : "").\(isUpper ? "uppercased" : "lowercased")()"
      return SwiftValue(text: text.text + call, type: text.type)
    case .arithmetic(let symbol, let left, let right): return arithmetic(symbol, left, right, &row, wanted: wanted)
    }
  }

  private static func arithmetic(
    _ symbol: String, _ left: MappedValue, _ right: MappedValue, _ row: inout MappedRow, wanted: TypeReference
  ) -> SwiftValue? {
    func isConstant(_ value: MappedValue) -> Bool { if case .constant = value { true } else { false } }
    var type = wanted
    type.isOptional = false
    // The operand that is no constant decides on the type of the other one.
    let guide = isConstant(left) ? right : left
    guard let first = value(guide, &row, wanted: type), !first.type.isArray else { return nil }
    type.name = first.type.name
    guard integers.contains(type.name) || reals.contains(type.name) || type.name == "Decimal" else { return nil }
    guard let one = isConstant(left) ? value(left, &row, wanted: type) : first,
      let other = isConstant(left) ? first : value(right, &row, wanted: type),
      one.type.name == other.type.name || isConstant(left) || isConstant(right)
    else { return nil }
    if integers.contains(type.name), symbol != "+", symbol != "-", symbol != "*" { return nil }
    let operation = integers.contains(type.name) ? "&\(symbol)" : symbol
    switch (one.type.isOptional, other.type.isOptional) {
    case (false, false): return SwiftValue(text: "(\(one.text) \(operation) \(other.text))", type: type)
    case (true, false):
      type.isOptional = true
      return SwiftValue(text: "\(one.text).map { $0 \(operation) \(other.text) }", type: type)
    case (false, true):
      type.isOptional = true
      return SwiftValue(text: "\(other.text).map { \(one.text) \(operation) $0 }", type: type)
    case (true, true): return nil
    }
  }

  private static func constant(_ tree: ExpressionTree, wanted: TypeReference) -> SwiftValue? {
    guard !wanted.isArray else { return nil }
    var type = wanted
    type.isOptional = false
    let isNumber = integers.contains(type.name) || reals.contains(type.name) || type.name == "Decimal"
    switch tree {
    case .null where wanted.isOptional: return SwiftValue(text: "nil", type: wanted)
    case .integer(let number) where isNumber:
      let bounds: ClosedRange<Int64> =
        type.name == "Int16"
        ? Int64(Int16.min)...Int64(Int16.max)
        : type.name == "Int32" ? Int64(Int32.min)...Int64(Int32.max) : .min ... .max
      guard bounds.contains(number) else { return nil }
      return SwiftValue(text: ExpressionRenderer.render(.integer(number)), type: type)
    case .integer(let number) where type.name == "Bool": return SwiftValue(text: "\(number != 0)", type: type)
    case .boolean(let flag) where type.name == "Bool": return SwiftValue(text: "\(flag)", type: type)
    case .boolean(let flag) where isNumber: return SwiftValue(text: flag ? "1" : "0", type: type)
    case .real(let number) where reals.contains(type.name) && number.isFinite:
      return SwiftValue(text: ExpressionRenderer.render(.floatingPoint(number)), type: type)
    case .string(let text) where type.name == "String":
      return SwiftValue(text: ExpressionRenderer.render(.string(text)), type: type)
    case .date(let seconds) where type.name == "Date" && seconds.isFinite:
      return SwiftValue(text: "Date(timeIntervalSinceReferenceDate: \(seconds))", type: type)
    default: return nil
    }
  }

  /// The statement that sets a property; `nil` if no conversion of the types is known.
  static func assignment(_ target: String, _ type: TypeReference, from value: SwiftValue) -> String? {
    guard value.type.isArray == type.isArray else { return nil }
    if value.type.name == type.name {
      return value.type.isOptional && !type.isOptional
        ? "if let value = \(value.text) { \(target) = value }" : "\(target) = \(value.text)"
    }
    guard !type.isArray, let conversion = conversion(from: value.type.name, to: type.name) else { return nil }
    switch (value.type.isOptional, conversion.mayFail) {
    case (false, false): return "\(target) = \(conversion.apply(value.text))"
    case (true, false): return "if let value = \(value.text) { \(target) = \(conversion.apply("value")) }"
    case (false, true): return "if let value = \(conversion.apply(value.text)) { \(target) = value }"
    case (true, true):
      return "if let old = \(value.text), let value = \(conversion.apply("old")) { \(target) = value }"
    }
  }

  private static func conversion(
    from source: String, to target: String
  ) -> (mayFail: Bool, apply: (String) -> String)? {
    let isNumber = { integers.contains($0) || reals.contains($0) }
    switch (source, target) {
    case let (from, to) where integers.contains(from) && reals.contains(to): return (false, { "\(to)(\($0))" })
    case ("Float", "Double"), ("Double", "Float"): return (false, { "\(target)(\($0))" })
    // Core Data cuts the fraction off.
    case let (from, to) where reals.contains(from) && integers.contains(to):
      return (true, { "\(to)(exactly: \($0).rounded(.towardZero))" })
    case let (from, to) where isNumber(from) && integers.contains(to): return (true, { "\(to)(exactly: \($0))" })
    case let (from, "Decimal") where isNumber(from): return (false, { "Decimal(\($0))" })
    case let (from, "Bool") where integers.contains(from): return (false, { "\($0) != 0" })
    case let ("Bool", to) where isNumber(to): return (false, { "\($0) ? 1 : 0" })
    case let (from, "String") where isNumber(from) || from == "Bool": return (false, { "String(\($0))" })
    case let ("String", to) where isNumber(to): return (true, { "\(to)(\($0))" })
    case ("String", "UUID"): return (true, { "UUID(uuidString: \($0))" })
    case ("UUID", "String"): return (false, { "\($0).uuidString" })
    case ("String", "URL"): return (true, { "URL(string: \($0))" })
    case ("URL", "String"): return (false, { "\($0).absoluteString" })
    default: return nil
    }
  }
}
