/// The value of a mapped property, in terms of the source row.
package indirect enum MappedValue: Sendable, Hashable {
  /// `$source.owner.name`: the value at a key path of the source row.
  case source([String])
  /// A constant: a number, a text, a date, a truth value or nothing.
  case constant(ExpressionTree)
  /// The destination rows of the source rows at a key path.
  /// - Parameter mapping: the entity mapping that made them; `nil` for any mapping.
  case rows(of: [String], mapping: String?)
  /// Arithmetic of two values: `+`, `-`, `*` or `/`.
  case arithmetic(String, MappedValue, MappedValue)
  /// `uppercase:` and `lowercase:`.
  case letterCase(isUpper: Bool, MappedValue)
}

extension MappedValue {
  /// The meaning of a value expression; `nil` for an expression that calls a policy class or has another unknown form.
  package init?(_ expression: ExpressionTree) {
    switch expression {
    case .null, .boolean, .integer, .real, .string, .date: self = .constant(expression)
    case .keyPath(of: .variable("source"), let path): self = .source(Self.keys(path))
    case .function("FUNCTION", let arguments): self.init(call: arguments)
    case .function("uppercase:", let arguments) where arguments.count == 1:
      guard let value = MappedValue(arguments[0]) else { return nil }
      self = .letterCase(isUpper: true, value)
    case .function("lowercase:", let arguments) where arguments.count == 1:
      guard let value = MappedValue(arguments[0]) else { return nil }
      self = .letterCase(isUpper: false, value)
    case .function(let name, let arguments) where arguments.count == 2:
      guard let symbol = ExpressionTree.arithmetic.first(where: { $0.function == name })?.symbol,
        let left = MappedValue(arguments[0]), let right = MappedValue(arguments[1])
      else { return nil }
      self = .arithmetic(symbol, left, right)
    default: return nil
    }
  }

  /// `FUNCTION(receiver, "selector:", arguments…)`.
  private init?(call arguments: [ExpressionTree]) {
    guard arguments.count > 1, case .variable(let receiver) = arguments[0], case .string(let selector) = arguments[1]
    else { return nil }
    let rest = arguments.dropFirst(2).map(\.self)
    switch (receiver, selector, rest.count) {
    case ("source", "valueForKey:", 1), ("source", "valueForKeyPath:", 1):
      guard case .string(let path) = rest[0] else { return nil }
      self = .source(Self.keys(path))
    case ("manager", "destinationInstancesForEntityMappingNamed:sourceInstances:", 2),
      ("manager", "destinationInstancesForSourceRelationshipNamed:sourceInstances:", 2):
      guard case .string(let name) = rest[0], case .source(let path)? = MappedValue(rest[1]) else { return nil }
      self = .rows(of: path, mapping: selector.hasPrefix("destinationInstancesForEntityMapping") ? name : nil)
    default: return nil
    }
  }

  private static func keys(_ path: String) -> [String] { path.split(separator: ".").map(String.init) }
}
