import Foundation

@testable import CoreDataStore

/// Evaluates expressions over the objects of a ``FetchTestWorld``, by the words of ``FetchExpression``'s documentation.
struct FetchTestEvaluator {
  typealias Object = FetchTestWorld.Object
  let world: FetchTestWorld
  var variables: [FetchVariable: Object]

  init(_ world: FetchTestWorld, _ object: Object) {
    self.world = world
    variables = [.root: object]
  }

  enum Value: Equatable {
    case plain(StoreValue)
    case object(root: String, key: Int64)
    static let null = Value.plain(.null)
  }

  func isTrue(_ expression: FetchExpression) -> Bool {
    switch value(expression) {
    case .plain(.integer(let number)): number != 0
    case .plain(.real(let number)): number != 0
    default: false
    }
  }

  private func object(_ path: FetchPath) -> Object? {
    guard var object = variables[path.variable] else { return nil }
    for name in path.relationships {
      guard let key = object.toOne[name], let root = FetchTestWorld.destinations[name],
        let next = world.objects[root]?[key]
      else { return nil }
      object = next
    }
    if let cast = path.castTo, object.entity != cast, !(cast == "Person" && object.entity == "Employee") { return nil }
    return object
  }

  private func related(_ path: FetchPath, _ relationship: String) -> [Object] {
    guard let root = FetchTestWorld.destinations[relationship] else { return [] }
    return (object(path)?.toMany[relationship] ?? []).compactMap { world.objects[root]?[$0] }
  }

  private func with(_ variable: FetchVariable, _ object: Object) -> FetchTestEvaluator {
    var copy = self
    copy.variables[variable] = object
    return copy
  }

  private func truth(_ isTrue: Bool) -> Value { .plain(.integer(isTrue ? 1 : 0)) }

  func value(_ expression: FetchExpression) -> Value {
    switch expression {
    case .constant(let value): return .plain(value)
    case .attribute(let path, let name, let element):
      return .plain(object(path)?.attributes[([name] + element).joined(separator: ".")] ?? .null)
    case .object(let path):
      return object(path).map { .object(root: $0.entity == "Employee" ? "Person" : $0.entity, key: $0.key) } ?? .null
    case .objectConstant(let key):
      guard let key else { return .null }
      for (root, objects) in world.objects where objects.values.contains(where: { $0.number == key.entity }) {
        return .object(root: root, key: key.key)
      }
      return .null
    case .count(let path, let relationship, let variable, let condition):
      let count = related(path, relationship).count { object in
        condition.map { with(variable, object).isTrue($0) } ?? true
      }
      return .plain(.integer(Int64(count)))
    case .exists(let path, let relationship, let variable, let condition):
      return truth(
        related(path, relationship).contains { object in condition.map { with(variable, object).isTrue($0) } ?? true })
    case .aggregate(let aggregate, let path, let relationship, let variable, let operand):
      let values = related(path, relationship).compactMap { number(with(variable, $0).value(operand)) }
      let isInteger = related(path, relationship).allSatisfy {
        if case .plain(.real) = with(variable, $0).value(operand) { false } else { true }
      }
      let result: Double? =
        switch aggregate {
        case .minimum: values.min()
        case .maximum: values.max()
        case .sum: values.reduce(0, +)
        case .count: Double(values.count)
        case .average: values.isEmpty ? nil : values.reduce(0, +) / Double(values.count)
        }
      guard let result else { return .null }
      return .plain(isInteger && aggregate != .average ? .integer(Int64(result)) : .real(result))
    case .groupCount, .groupAggregate: return .null
    case .comparison(let comparison, let left, let right): return compare(comparison, value(left), value(right))
    case .and(let terms): return truth(terms.allSatisfy(isTrue))
    case .or(let terms): return truth(terms.contains(where: isTrue))
    case .not(let operand): return truth(!isTrue(operand))
    case .isNull(let operand): return truth(value(operand) == .null)
    case .membership(let operand, let constants):
      return truth(constants.contains { equal(value(operand), .plain($0)) })
    case .objectMembership(let path, let keys):
      return truth(keys.contains { equal(value(.object(path)), value(.objectConstant($0))) && object(path) != nil })
    case .arithmetic(let operation, let left, let right):
      return arithmetic(operation, value(left), value(right))
    case .negative(let operand):
      switch value(operand) {
      case .plain(.integer(let number)): return .plain(.integer(-number))
      case .plain(.real(let number)): return .plain(.real(-number))
      default: return .null
      }
    case .coalesce(let first, let second): return value(first) == .null ? value(second) : value(first)
    case .conditional(let condition, let first, let second): return isTrue(condition) ? value(first) : value(second)
    case .string(let function, let arguments): return string(function, arguments.map(value))
    case .isKind(let path, let name):
      return truth(object(path).map { $0.entity == name || (name == "Person" && $0.entity == "Employee") } ?? false)
    }
  }

  private func number(_ value: Value) -> Double? {
    switch value {
    case .plain(.integer(let number)): Double(number)
    case .plain(.real(let number)): number
    default: nil
    }
  }

  private func equal(_ left: Value, _ right: Value) -> Bool {
    if let one = number(left), let other = number(right) { return one == other }
    return left == right
  }

  private func compare(_ comparison: FetchExpression.Comparison, _ left: Value, _ right: Value) -> Value {
    switch comparison {
    case .equal: return truth(equal(left, right))
    case .notEqual: return truth(!equal(left, right))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let order: Int
      if let one = number(left), let other = number(right) {
        order = one < other ? -1 : one > other ? 1 : 0
      } else if case (.plain(.text(let one)), .plain(.text(let other))) = (left, right) {
        order = one == other ? 0 : one < other ? -1 : 1
      } else {
        return .null
      }
      switch comparison {
      case .less: return truth(order < 0)
      case .lessOrEqual: return truth(order <= 0)
      case .greater: return truth(order > 0)
      default: return truth(order >= 0)
      }
    }
  }

  private func arithmetic(_ operation: FetchExpression.Arithmetic, _ left: Value, _ right: Value) -> Value {
    if case (.plain(.integer(let one)), .plain(.integer(let other))) = (left, right) {
      if other == 0, operation == .divide || operation == .remainder { return .null }
      switch operation {
      case .add: return .plain(.integer(one + other))
      case .subtract: return .plain(.integer(one - other))
      case .multiply: return .plain(.integer(one * other))
      case .divide: return .plain(.integer(one / other))
      case .remainder: return .plain(.integer(one % other))
      }
    }
    guard let one = number(left), let other = number(right) else { return .null }
    switch operation {
    case .add: return .plain(.real(one + other))
    case .subtract: return .plain(.real(one - other))
    case .multiply: return .plain(.real(one * other))
    case .divide: return other == 0 ? .null : .plain(.real(one / other))
    case .remainder: return Int(other) == 0 ? .null : .plain(.real(Double(Int(one) % Int(other))))
    }
  }

  private func string(_ function: StringFunction, _ arguments: [Value]) -> Value {
    let texts = arguments.compactMap { if case .plain(.text(let text)) = $0 { text } else { nil } }
    guard texts.count == arguments.count, let text = texts.first else { return .null }
    let other = texts.last ?? ""
    func order(_ result: ComparisonResult) -> Value { .plain(.integer(Int64(result.rawValue))) }
    switch function {
    case .contains: return truth(other.isEmpty || Array(text).contains(Array(other)))
    case .starts: return truth(text.starts(with: other))
    case .ends: return truth(text.hasSuffix(other))
    case .localizedStandardContains: return truth(text.localizedStandardContains(other))
    case .caseInsensitiveCompare: return order(text.caseInsensitiveCompare(other))
    case .localizedCompare: return order(text.localizedCompare(other))
    case .localizedStandardCompare: return order(text.localizedStandardCompare(other))
    case .lowercased: return .plain(.text(text.lowercased()))
    case .uppercased: return .plain(.text(text.uppercased()))
    case .isEmpty: return truth(text.isEmpty)
    case .count: return .plain(.integer(Int64(text.count)))
    case .length: return .plain(.integer(Int64(text.utf16.count)))
    case .foldedCase: return .plain(.text(text.folding(options: .caseInsensitive, locale: nil)))
    case .foldedDiacritics: return .plain(.text(text.folding(options: .diacriticInsensitive, locale: nil)))
    case .canonical:
      return .plain(.text(text.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)))
    case .like: return truth(StringFunctions.like(text, other))
    case .matches: return truth(StringFunctions.matches(text, other, ignoring: []))
    case .matchesIgnoringCase: return truth(StringFunctions.matches(text, other, ignoring: .caseInsensitive))
    }
  }
}
