import Foundation
import StoreRequests

/// An object in memory that is the same as a row of a store.
struct FetchTestObject {
  let entity: String
  let number: Int32
  let key: Int64
  var attributes: [String: StoreValue]
  var toOne: [String: Int64]
  var toMany: [String: [Int64]]
  var identity: ObjectKey { ObjectKey(entity: number, key: key) }
}

/// Objects in memory that are the same as the rows of a store.
protocol FetchTestObjects {
  /// Objects per root entity and key.
  var objects: [String: [Int64: FetchTestObject]] { get }

  /// The root entity of a relationship's objects.
  func destinationRoot(_ relationship: String, of entity: String) -> String?

  func isKind(_ entity: String, of ancestor: String) -> Bool

  func root(of entity: String) -> String
}

/// Evaluates expressions over objects in memory, by the words of ``FetchExpression``'s documentation.
struct FetchTestEvaluator {
  typealias Object = FetchTestObject
  let world: any FetchTestObjects
  var variables: [FetchVariable: Object]
  /// The group that aggregates are over.
  var group: [Object] = []

  init(_ world: any FetchTestObjects, _ object: Object) {
    self.world = world
    variables = [.root: object]
  }

  init(_ world: any FetchTestObjects, group: [Object]) {
    self.world = world
    self.group = group
    variables = group.first.map { [.root: $0] } ?? [:]
  }

  enum Value: Hashable {
    case plain(StoreValue)
    case object(root: String, key: Int64)
    static let null = Value.plain(.null)

    /// The same for numbers that are equal.
    var normalized: Value {
      if case .plain(.real(let number)) = self, let whole = Int64(exactly: number) {
        .plain(.integer(whole))
      } else {
        self
      }
    }
  }

  func isTrue(_ expression: FetchExpression) -> Bool {
    switch value(expression) {
    case .plain(.integer(let number)): number != 0
    case .plain(.real(let number)): number != 0
    default: false
    }
  }

  func object(_ path: FetchPath) -> Object? {
    guard var object = variables[path.variable] else { return nil }
    for step in path.steps {
      if let cast = step.castTo, !world.isKind(object.entity, of: cast) { return nil }
      let name = step.relationship
      guard let key = object.toOne[name], let root = world.destinationRoot(name, of: object.entity),
        let next = world.objects[root]?[key]
      else { return nil }
      object = next
    }
    if let cast = path.castTo, !world.isKind(object.entity, of: cast) { return nil }
    return object
  }

  func related(_ path: FetchPath, _ relationship: String) -> [Object] {
    guard let owner = object(path), let root = world.destinationRoot(relationship, of: owner.entity) else { return [] }
    return (owner.toMany[relationship] ?? []).compactMap { world.objects[root]?[$0] }
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
      let name = element.isEmpty ? name : ([name] + element).joined(separator: ".")
      return .plain(object(path)?.attributes[name] ?? .null)
    case .object(let path):
      return object(path).map { .object(root: world.root(of: $0.entity), key: $0.key) } ?? .null
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
      return aggregated(aggregate, related(path, relationship).map { with(variable, $0).value(operand) })
    case .groupCount: return .plain(.integer(Int64(group.count)))
    case .groupAggregate(let aggregate, let operand, let isDistinct):
      var values = group.map { FetchTestEvaluator(world, $0).value(operand) }
      if isDistinct {
        var known: Set<Value> = []
        values = values.filter { known.insert($0.normalized).inserted }
      }
      return aggregated(aggregate, values)
    case .comparison(let comparison, let left, let right): return compare(comparison, value(left), value(right))
    case .and(let terms): return truth(terms.allSatisfy(isTrue))
    case .or(let terms): return truth(terms.contains(where: isTrue))
    case .not(let operand): return truth(!isTrue(operand))
    case .isNull(let operand): return truth(value(operand) == .null)
    case .membership(let operand, let constants):
      let wanted = value(operand).normalized
      return truth(constants.contains { Value.plain($0).normalized == wanted })
    case .objectMembership(let path, let keys):
      guard object(path) != nil else { return truth(false) }
      let wanted = value(.object(path))
      return truth(keys.contains { equal(wanted, value(.objectConstant($0))) })
    case .arithmetic(let operation, let left, let right):
      return arithmetic(operation, value(left), value(right))
    case .negative(let operand):
      switch value(operand) {
      case .plain(.integer(let number)): return .plain(.integer(-number))
      case .plain(.real(let number)): return .plain(.real(-number))
      default: return .null
      }
    case .isInteger(let operand, let range):
      guard case .plain(.integer(let number)) = value(operand) else { return truth(false) }
      return truth(range.contains(number))
    case .coalesce(let first, let second): return value(first) == .null ? value(second) : value(first)
    case .conditional(let condition, let first, let second): return isTrue(condition) ? value(first) : value(second)
    case .string(let function, let arguments): return string(function, arguments.map(value))
    // No engine over SQLite is asked for the elements of archives.
    case .contains, .elementCount: return .null
    case .isKind(let path, let name):
      return truth(object(path).map { world.isKind($0.entity, of: name) } ?? false)
    }
  }

  private func aggregated(_ aggregate: FetchExpression.Aggregate, _ values: [Value]) -> Value {
    let values = values.filter { $0 != .null }
    switch aggregate {
    case .count: return .plain(.integer(Int64(values.count)))
    case .minimum: return values.min { Self.order($0, $1) < 0 } ?? .null
    case .maximum: return values.max { Self.order($0, $1) < 0 } ?? .null
    case .sum: return values.reduce(.plain(.integer(0))) { arithmetic(.add, $0, $1) }
    case .average:
      return values.isEmpty
        ? .null : .plain(.real(values.reduce(0) { $0 + (number($1) ?? 0) } / Double(values.count)))
    }
  }

  /// The order of two values, where texts compare by a collation.
  static func order(_ left: Value, _ right: Value, _ collation: SortTerm.Collation) -> Int {
    guard case (.plain(.text(let one)), .plain(.text(let other))) = (left, right) else { return order(left, right) }
    return switch collation {
    case .binary: order(left, right)
    case .localized: one.localizedCompare(other).rawValue
    case .localizedStandard: one.localizedStandardCompare(other).rawValue
    }
  }

  /// The order of two values: `NULL`, numbers, texts as Swift has them, bytes; objects by key.
  static func order(_ left: Value, _ right: Value) -> Int {
    func compare<Element: Comparable>(_ one: Element, _ other: Element) -> Int {
      one < other ? -1 : one > other ? 1 : 0
    }
    func rank(_ value: Value) -> Int {
      switch value {
      case .plain(.null): 0
      case .plain(.integer), .plain(.real), .object: 1
      case .plain(.text): 2
      case .plain(.blob): 3
      }
    }
    switch (left.normalized, right.normalized) {
    case (.plain(.integer(let one)), .plain(.integer(let other))): return compare(one, other)
    case (.plain(.integer(let one)), .plain(.real(let other))): return compare(Double(one), other)
    case (.plain(.real(let one)), .plain(.integer(let other))): return compare(one, Double(other))
    case (.plain(.real(let one)), .plain(.real(let other))): return compare(one, other)
    case (.plain(.text(let one)), .plain(.text(let other))):
      if one == other { return 0 }
      if one < other || other < one { return compare(one, other) }
      // Swift decides nothing where one is the other's beginning, composed otherwise.
      return compare(one.unicodeScalars.count, other.unicodeScalars.count)
    case (.plain(.blob(let one)), .plain(.blob(let other))):
      return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
    case (.object(_, let one), .object(_, let other)): return compare(one, other)
    default: return compare(rank(left), rank(right))
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
    left.normalized == right.normalized
  }

  private func compare(_ comparison: FetchExpression.Comparison, _ left: Value, _ right: Value) -> Value {
    switch comparison {
    case .equal: return truth(equal(left, right))
    case .notEqual: return truth(!equal(left, right))
    case .less, .lessOrEqual, .greater, .greaterOrEqual:
      let order: Int
      if left == .null || right == .null { return .null }
      order = Self.order(left, right)
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
      case .add where !one.addingReportingOverflow(other).overflow: return .plain(.integer(one + other))
      case .subtract where !one.subtractingReportingOverflow(other).overflow: return .plain(.integer(one - other))
      case .multiply where !one.multipliedReportingOverflow(by: other).overflow: return .plain(.integer(one * other))
      case .divide where !one.dividedReportingOverflow(by: other).overflow: return .plain(.integer(one / other))
      case .remainder: return .plain(.integer(other == -1 ? 0 : one % other))
      default: break
      }
    }
    guard let one = number(left), let other = number(right) else { return .null }
    switch operation {
    case .add: return .plain(.real(one + other))
    case .subtract: return .plain(.real(one - other))
    case .multiply: return .plain(.real(one * other))
    case .divide: return other == 0 ? .null : .plain(.real(one / other))
    case .remainder:
      // SQLite takes what is too large for the largest whole number.
      func whole(_ number: Double) -> Int64 {
        Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
      }
      return whole(other) == 0
        ? .null : .plain(.real(whole(other) == -1 ? 0 : Double(whole(one) % whole(other))))
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
    case .localizedStandardContains:
      // Foundation's method ignores the width of letters on Apple's systems only.
      let folded = texts.map { $0.folding(options: .widthInsensitive, locale: nil) }
      return truth(folded[0].localizedStandardContains(folded[1]))
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
