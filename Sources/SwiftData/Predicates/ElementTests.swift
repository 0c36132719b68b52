internal import StoreRequests

/// The conditions that a predicate's test gives for the elements of a captured collection.
///
/// Comparisons of one value with many constants become one membership: `codes.contains { $0 == row.code }` has the condition of
/// `codes.contains(row.code)`. The store finds a value in a list at once, but would try many conditions one after another.
struct ElementTests {
  /// Whether each condition has to hold (`allSatisfy`), or one of them (`contains`).
  private let areAllNeeded: Bool
  private var conditions: [FetchExpression] = []
  /// The constants with which the condition at the same place compares; none if it is no such comparison.
  private var constants: [[FetchExpression]] = []
  private var places: [FetchExpression: Int] = [:]

  init(areAllNeeded: Bool) { self.areAllNeeded = areAllNeeded }

  /// The number of conditions.
  var count: Int { conditions.count }

  mutating func add(_ condition: FetchExpression) {
    if condition.constantTruth == areAllNeeded { return }
    switch condition {
    case .or(let parts) where !areAllNeeded: return parts.forEach { add($0) }
    case .and(let parts) where areAllNeeded: return parts.forEach { add($0) }
    default: break
    }
    guard case .comparison(.equal, let value, let constant) = areAllNeeded ? .negation(condition) : condition,
      constant.isConstantToFind
    else {
      conditions.append(condition)
      constants.append([])
      return
    }
    if let place = places[value] {
      constants[place].append(constant)
    } else {
      places[value] = count
      conditions.append(condition)
      constants.append([constant])
    }
  }

  /// All conditions as one.
  var condition: FetchExpression {
    var merged = conditions
    for (value, place) in places where constants[place].count > 1 {
      let membership = Self.membership(of: value, in: constants[place])
      merged[place] = areAllNeeded ? .negation(membership) : membership
    }
    return areAllNeeded ? .conjunction(merged) : .disjunction(merged)
  }

  private static func membership(of value: FetchExpression, in constants: [FetchExpression]) -> FetchExpression {
    if case .object(let path) = value {
      return .objectMembership(
        path, constants.compactMap { if case .objectConstant(let key) = $0 { key } else { nil } })
    }
    return .membership(value, constants.compactMap { if case .constant(let constant) = $0 { constant } else { nil } })
  }
}

extension FetchExpression {
  /// Whether it is a constant that may stand in a membership. `NULL` may not: there it would match `NULL`.
  fileprivate var isConstantToFind: Bool {
    switch self {
    case .constant(let constant): constant != .null
    case .objectConstant(let key): key != nil
    default: false
    }
  }
}
