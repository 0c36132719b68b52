import ManagedModel

/// A derivation's expression: a key path of the object, and an operation on the values at its end.
package struct DerivationExpression {
  package let path: [String]
  package let operation: Operation

  package enum Operation: Sendable, Hashable {
    case value(StringFunction?)
    case count
    case aggregate(Aggregate)
  }

  package enum Aggregate: String, Sendable {
    case sum, avg, min, max
  }

  /// The most steps of a path; no model has as many.
  private static let lengthLimit = 16

  private static let functions: [String: StringFunction] = [
    "canonical:": .canonical, "uppercase:": .uppercased, "lowercase:": .lowercased,
  ]

  /// `nil` for anything but a key path, with an operator in it or in the function that it is the argument of.
  package init?(_ expression: String) {
    var operation = Operation.value(nil)
    var names: [String]
    switch PredicateParser.expression(expression) {
    case .keyPath(of: .evaluatedObject, let path)?:
      names = Self.names(of: path)
      if let index = names.firstIndex(where: { $0.hasPrefix("@") }) {
        guard let known = Self.operation(names.remove(at: index).dropFirst()) else { return nil }
        operation = known
      }
    case .function(let name, let arguments)?:
      guard arguments.count == 1, case .keyPath(of: .evaluatedObject, let path) = arguments[0], name.last == ":" else {
        return nil
      }
      names = Self.names(of: path)
      guard let known = Self.functions[name].map(Operation.value) ?? Self.operation(name.dropLast()) else { return nil }
      operation = known
    default: return nil
    }
    guard (1...Self.lengthLimit).contains(names.count),
      names.allSatisfy({ name in !name.isEmpty && !name.contains { "@:#".contains($0) } })
    else { return nil }
    path = names
    self.operation = operation
  }

  private static func names(of path: String) -> [String] {
    path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
  }

  private static func operation(_ name: Substring) -> Operation? {
    switch name {
    case "count": .count
    case "average": .aggregate(.avg)
    default: Aggregate(rawValue: String(name)).map(Operation.aggregate)
    }
  }
}
