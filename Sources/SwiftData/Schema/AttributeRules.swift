internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// The validation rules of one attribute, or of one element of a composite attribute.
struct AttributeRules: @unchecked Sendable {
  private enum Rule {
    case minimum(RuleValue), maximum(RuleValue)
    case length(minimum: Int?, maximum: Int?)
    // `NSRegularExpression` is immutable, though not marked `Sendable`.
    case matches(NSRegularExpression, pattern: String)
    case predicate(PredicateTree, format: String, message: String?)
  }

  private var rules: [Rule] = []
  /// A problem of the rules themselves, such as an invalid pattern; `nil` if there is none.
  private(set) var problem: String?
  /// The rules of a composite's elements.
  private var elements: [(path: [String], rules: AttributeRules)] = []

  /// The rules of a property; `nil` if it has none.
  init?(_ property: ModelClass.Property) {
    self.init(options: property.attribute?.options ?? [])
    let type = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
    if let composite = type as? any CompositeValue.Type { addElements(of: composite, in: []) }
    if rules.isEmpty, elements.isEmpty, problem == nil { return nil }
  }

  private init(options: [Schema.Attribute.Option]) {
    for option in options {
      switch option.kind {
      case .minimum(let value): rules.append(.minimum(value))
      case .maximum(let value): rules.append(.maximum(value))
      case .length(let minimum, let maximum): rules.append(.length(minimum: minimum, maximum: maximum))
      case .matches(let pattern):
        do {
          rules.append(.matches(try AttributeDescription.wholeMatch(of: pattern), pattern: pattern))
        } catch {
          problem = "'\(pattern)' is no regular expression: correct the pattern of .matches(…)"
        }
      case .rule(let format, let message):
        if let tree = PredicateParser.predicate(format) {
          rules.append(.predicate(tree, format: format, message: message))
        } else {
          problem = "'\(format)' is no predicate in NSPredicate's format: correct it"
        }
      default: break
      }
    }
  }

  private mutating func addElements(of composite: any CompositeValue.Type, in outer: [String]) {
    for element in composite._$elements {
      let path = outer + [element.attribute.name]
      if let inner = element.composite {
        addElements(of: inner, in: path)
      } else {
        let rules = AttributeRules(options: element.attribute.options)
        problem = problem ?? rules.problem
        if !rules.rules.isEmpty { elements.append((path, rules)) }
      }
    }
  }

  /// The rules that a value breaks, as predicates without a subject: "is 0; at least 1 is required".
  func broken(by value: Any?) -> [String] {
    guard var value = value.flatMap({ unwrap($0) }) else { return [] }
    if let single = singleValue(value)?.content { value = single }
    var broken = rules.compactMap { self.broken($0, by: value) }
    if !elements.isEmpty, let value = value as? any Encodable, let leaves = try? LeafEncoder.encode(value) {
      for (path, rules) in elements {
        let leaf = leaves[path.joined(separator: AttributeLayout.separator)]
        broken += rules.broken(by: leaf?.content).map { "has '\(path.joined(separator: "."))', which \($0)" }
      }
    }
    return broken
  }

  private func broken(_ rule: Rule, by value: Any) -> String? {
    switch rule {
    case .minimum(let bound):
      guard bound.compared(to: value) == .orderedDescending else { return nil }
      return "is less than \(bound)"
    case .maximum(let bound):
      guard bound.compared(to: value) == .orderedAscending else { return nil }
      return "is more than \(bound)"
    case .length(let minimum, let maximum):
      guard let length = Self.text(value)?.utf16.count else { return nil }
      if let minimum, length < minimum { return "has \(length) characters; at least \(minimum) are required" }
      if let maximum, length > maximum { return "has \(length) characters; at most \(maximum) are allowed" }
      return nil
    case .matches(let expression, let pattern):
      guard let text = Self.text(value) else { return nil }
      let whole = NSRange(location: 0, length: text.utf16.count)
      return expression.firstMatch(in: text, range: whole) == nil ? "does not match '\(pattern)'" : nil
    case .predicate(let tree, let format, let message):
      let evaluation = FormatEvaluation(subject: .value(value))
      return (try? evaluation.holds(tree)) == false ? message ?? "does not satisfy '\(format)'" : nil
    }
  }

  private static func text(_ value: Any) -> String? {
    value as? String ?? (value as? any RawRepresentable).flatMap { rawText($0) }
  }

  private static func rawText(_ value: some RawRepresentable) -> String? { value.rawValue as? String }
}

extension StoreValue {
  /// The value as a Swift value; `nil` for `NULL`.
  fileprivate var content: Any? {
    switch self {
    case .null: nil
    case .integer(let number): number
    case .real(let number): number
    case .text(let text): text
    case .blob(let data): data
    }
  }
}

extension RuleValue: CustomStringConvertible {
  var description: String {
    switch self {
    case .integer(let number): "\(number)"
    case .decimal(let number): "\(number)"
    case .double(let number): "\(number)"
    case .date(let date): date.utcText
    }
  }

  /// Compares the bound with a value; `nil` if the two cannot be compared.
  func compared(to value: Any) -> ComparisonResult? {
    if case .integer(let bound) = self, let number = value as? any BinaryInteger {
      return Self.order(bound, Int64(clamping: number))
    }
    if value is Decimal || isDecimal {
      guard let bound = decimal, let number = Self.decimal(value) else { return nil }
      return Self.order(bound, number)
    }
    guard let number = Self.real(value) else { return nil }
    return Self.order(real, number)
  }

  private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> ComparisonResult {
    left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
  }

  private var isDecimal: Bool { if case .decimal = self { true } else { false } }

  private var real: Double {
    switch self {
    case .integer(let number): Double(number)
    case .decimal(let number): Double("\(number)") ?? .nan
    case .double(let number): number
    case .date(let date): date.timeIntervalSinceReferenceDate
    }
  }

  private var decimal: Decimal? {
    switch self {
    case .integer(let number): Decimal(number)
    case .decimal(let number): number
    case .double(let number): Decimal(string: "\(number)")
    case .date: nil
    }
  }

  private static func decimal(_ value: Any) -> Decimal? {
    if let number = value as? Decimal { return number }
    if let number = value as? any BinaryInteger { return Decimal(string: "\(number)") }
    return real(value).flatMap { Decimal(string: "\($0)") }
  }

  private static func real(_ value: Any) -> Double? {
    switch value {
    case let number as Double: number
    case let number as Float: Double(number)
    case let number as CGFloat: Double(number)
    case let number as any BinaryInteger: Double("\(number)")
    case let date as Date: date.timeIntervalSinceReferenceDate
    case let raw as any RawRepresentable: realOfRaw(raw)
    default: nil
    }
  }

  private static func realOfRaw(_ value: some RawRepresentable) -> Double? { real(value.rawValue) }
}
