import Foundation
import ManagedModel

/// Writes the value expressions of one property as Swift.
struct MappedExpressions {
  /// The property in messages: `Ware.cents`.
  let property: String
  /// The functions that the texts call.
  private(set) var helpers: Set<MappedStageDeclaration.Helper> = []

  init(property: String) { self.property = property }

  static let integers: Set<String> = ["Int", "Int16", "Int32", "Int64"]
  static let reals: Set<String> = ["Double", "Float"]

  /// The property as a string literal.
  var label: String { ExpressionRenderer.string(property) }

  mutating func use(_ helper: MappedStageDeclaration.Helper) -> String {
    helpers.insert(helper)
    return helper.rawValue
  }

  /// The value of an expression; `nil` if Swift has no such expression for these types.
  /// - Parameter wanted: the type of the destination, which decides on the form of a constant.
  mutating func value(_ value: MappedValue, _ row: inout MappedRow, wanted: TypeReference) -> SwiftValue? {
    switch value {
    case .source(let path): return row.value(at: path)
    case .constant(let tree): return Self.constant(tree, wanted: wanted)
    case .rows: return nil
    case .letterCase(let isUpper, let inner):
      guard let text = self.value(inner, &row, wanted: wanted), text.type.name == "String", !text.type.isArray else {
        return nil
      }
      let call = "\(text.type.isOptional ? "?" : "").\(isUpper ? "uppercased" : "lowercased")()"
      return SwiftValue(text: text.text + call, type: text.type)
    case .arithmetic:
      guard let kind = kind(value, &row) else { return nil }
      return number(value, as: kind, &row)
    }
  }

  // MARK: Arithmetic

  /// The numbers that an expression computes with.
  private enum Kind: String {
    case integer = "Int64"
    case real = "Double"
    case decimal = "Decimal"
  }

  private mutating func kind(_ value: MappedValue, _ row: inout MappedRow) -> Kind? {
    switch value {
    case .constant(.integer), .constant(.boolean): return .integer
    case .constant(.real(let number)): return number.isFinite ? .real : nil
    case .source(let path):
      guard let type = row.value(at: path)?.type, !type.isArray else { return nil }
      if Self.integers.contains(type.name) { return .integer }
      return Self.reals.contains(type.name) ? .real : type.name == "Decimal" ? .decimal : nil
    case .arithmetic(_, let left, let right):
      guard let one = kind(left, &row), let other = kind(right, &row) else { return nil }
      switch (one, other) {
      // NSExpression cuts a quotient of integers towards zero.
      case (.integer, .integer): return .integer
      case (.decimal, .decimal), (.decimal, .integer), (.integer, .decimal): return .decimal
      case (.decimal, .real): if case .constant = right { return .decimal } else { return nil }
      case (.real, .decimal): if case .constant = left { return .decimal } else { return nil }
      case (.real, _), (_, .real): return .real
      }
    case .constant, .rows, .letterCase: return nil
    }
  }

  /// A number that is a constant, a field or computed, as one kind of number.
  private mutating func number(_ value: MappedValue, as kind: Kind, _ row: inout MappedRow) -> SwiftValue? {
    switch value {
    case .constant(let tree): return Self.constant(tree, wanted: TypeReference(name: kind.rawValue))
    case .source(let path):
      guard var field = row.value(at: path) else { return nil }
      if field.type.name != kind.rawValue {
        field.text =
          field.type.isOptional ? "\(field.text).map({ \(kind.rawValue)($0) })" : "\(kind.rawValue)(\(field.text))"
        field.type.name = kind.rawValue
      }
      return field
    case .arithmetic(let symbol, let left, let right):
      // A quotient of integers is cut before more is computed with it.
      let own = symbol == "/" ? self.kind(value, &row) : kind
      guard let own, let one = number(left, as: own, &row), let other = number(right, as: own, &row),
        var result = combine(one, symbol, other, own)
      else { return nil }
      if own != kind {
        result.text =
          result.type.isOptional ? "\(result.text).map({ \(kind.rawValue)($0) })" : "\(kind.rawValue)(\(result.text))"
        result.type.name = kind.rawValue
        result.type.module = kind == .decimal ? "Foundation" : nil
      }
      return result
    case .rows, .letterCase: return nil
    }
  }

  /// No value if an operand has none, as in SQL.
  private mutating func combine(
    _ one: SwiftValue, _ symbol: String, _ other: SwiftValue, _ kind: Kind
  ) -> SwiftValue? {
    func operation(_ left: String, _ right: String) -> SwiftValue? {
      let type = TypeReference(name: kind.rawValue, module: kind == .decimal ? "Foundation" : nil)
      switch (kind, symbol) {
      case (.integer, "+"), (.integer, "-"), (.integer, "*"), (.integer, "/"):
        let text = "\(use(.computed))(\(left), \"\(symbol)\", \(right), for: \(label))"
        return SwiftValue(text: text, type: type, isThrowing: true)
      case (.real, "/"):
        return SwiftValue(text: "\(use(.quotient))(\(left), \(right), for: \(label))", type: type, isThrowing: true)
      case (.integer, _), (.decimal, "/"): return nil
      default: return SwiftValue(text: "(\(left) \(symbol) \(right))", type: type)
      }
    }
    let result: SwiftValue?
    switch (one.type.isOptional, other.type.isOptional) {
    case (false, false): result = operation(one.text, other.text)
    case (true, false):
      result = operation("$0", other.text).map { enclose("\(one.text).map", "", $0, isThrowing: other.isThrowing) }
    case (false, true):
      result = operation(one.text, "$0").map { enclose("\(other.text).map", "", $0, isThrowing: one.isThrowing) }
    case (true, true):
      result = operation("left", "right").map { inner in
        let mapped = enclose("\(other.text).map", "right in ", inner, isThrowing: false)
        return enclose("\(one.text).flatMap", "left in ", mapped, isThrowing: other.isThrowing)
      }
    }
    guard var result else { return nil }
    if one.isThrowing || other.isThrowing { result.isThrowing = true }
    return result
  }

  /// A call with a closure. Its parentheses keep the closure apart from the body of a statement.
  private func enclose(_ call: String, _ parameter: String, _ body: SwiftValue, isThrowing: Bool) -> SwiftValue {
    var value = body
    value.isThrowing = body.isThrowing || isThrowing
    value.text = "\(call)({ \(parameter)\(value.effect) })"
    value.type.isOptional = true
    return value
  }

  // MARK: Constants

  private static func constant(_ tree: ExpressionTree, wanted: TypeReference) -> SwiftValue? {
    guard !wanted.isArray else { return nil }
    if case .null = tree { return wanted.isOptional ? SwiftValue(text: "nil", type: wanted) : nil }
    var type = wanted
    type.isOptional = false
    return literal(tree, type.name).map { SwiftValue(text: ExpressionRenderer.render($0), type: type) }
  }

  private static func literal(_ tree: ExpressionTree, _ type: String) -> Expression? {
    let isNumber = integers.contains(type) || reals.contains(type) || type == "Decimal"
    switch tree {
    case .boolean(let flag) where type == "Bool": return .boolean(flag)
    case .boolean(let flag) where isNumber: return .integer(flag ? 1 : 0)
    case .integer(let number) where type == "Bool": return .boolean(number != 0)
    case .integer(let number) where isNumber: return fits(number, type) ? .integer(number) : nil
    case .real(let number) where reals.contains(type) && number.isFinite: return .floatingPoint(number)
    case .real(let number) where type == "Decimal" && number.isFinite:
      return Decimal(string: "\(number)").flatMap { AttributeTypes.expression(for: .decimal($0), type: .decimal) }
    case .real(let number) where integers.contains(type):
      return Int64(exactly: number).flatMap { fits($0, type) ? .integer($0) : nil }
    case .string(let text) where type == "String": return .string(text)
    case .string(let text) where type == "URL": return AttributeTypes.expression(for: .uri(text), type: .uri)
    case .date(let seconds) where type == "Date" && seconds.isFinite:
      return AttributeTypes.expression(for: .date(seconds), type: .date)
    default: return nil
    }
  }

  private static func fits(_ number: Int64, _ type: String) -> Bool {
    switch type {
    case "Int16": Int16(exactly: number) != nil
    case "Int32": Int32(exactly: number) != nil
    // Beyond this, a literal of the type is not exact, and the compiler may warn.
    case "Float": abs(number) <= 1 << 24
    case "Double": number.magnitude <= 1 << 53
    default: true
    }
  }
}
