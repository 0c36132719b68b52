import Foundation
import ManagedModel
import StoreRequests
import TestSupport

/// Makes expressions and requests that mean something in a model.
struct FetchRandomExpressions {
  let random: FetchRandomModel
  /// The objects of an entity that expressions may speak of.
  let objects: (_ entity: String) -> [ObjectKey]
  var numbers: SplitMix
  private var variableCount = 0

  /// A row that expressions may speak of.
  struct Row {
    let variable: FetchVariable
    let entity: String
  }

  enum Kind { case number, text, bytes }

  init(_ random: FetchRandomModel, _ numbers: SplitMix, objects: @escaping (_ entity: String) -> [ObjectKey]) {
    self.random = random
    self.objects = objects
    self.numbers = numbers
  }

  // MARK: Paths

  /// A walk along to-one relationships, with the entity whose properties it leads to.
  private mutating func path(_ rows: [Row]) -> (path: FetchPath, entity: String) {
    let row = rows[numbers.below(rows.count)]
    var path = FetchPath(row.variable)
    var entity = row.entity
    while numbers.once(in: 3), path.steps.count < 3 {
      let below = random.subentities(entity)
      if !below.isEmpty, numbers.once(in: 4) {
        entity = below[numbers.below(below.count)]
        path.castTo = entity
      }
      let steps = random.relationships(entity).filter { !$0.isToMany }
      guard !steps.isEmpty else { break }
      let step = steps[numbers.below(steps.count)]
      path.follow(step.name)
      entity = step.destinationEntityName
    }
    let below = random.subentities(entity)
    if !below.isEmpty, numbers.once(in: 4) {
      entity = below[numbers.below(below.count)]
      path.castTo = entity
    }
    return (path, entity)
  }

  private mutating func attribute(_ kind: Kind, _ rows: [Row]) -> (expression: FetchExpression, type: AttributeType)? {
    for _ in 0..<6 {
      let (path, entity) = path(rows)
      let candidates = random.attributes(entity).flatMap { attribute -> [(FetchExpression, AttributeType)] in
        attribute.elements.isEmpty
          ? [(.attribute(path, name: attribute.name, element: []), attribute.type)]
          : attribute.elements.map {
            (.attribute(path, name: attribute.name, element: [$0.name]), $0.type)
          }
      }.filter { Self.kind($0.1) == kind }
      if !candidates.isEmpty { return candidates[numbers.below(candidates.count)] }
    }
    return nil
  }

  private static func kind(_ type: AttributeType) -> Kind {
    switch type {
    case .string, .uri: .text
    case .uuid, .binary: .bytes
    default: .number
    }
  }

  /// A to-many relationship of an object that a path leads to, with a row for its members.
  private mutating func members(_ rows: [Row]) -> (path: FetchPath, name: String, row: Row)? {
    for _ in 0..<6 {
      let (path, entity) = path(rows)
      let candidates = random.relationships(entity).filter(\.isToMany)
      guard !candidates.isEmpty else { continue }
      let relationship = candidates[numbers.below(candidates.count)]
      variableCount += 1
      return (
        path, relationship.name,
        Row(variable: FetchVariable(variableCount), entity: relationship.destinationEntityName)
      )
    }
    return nil
  }

  // MARK: Values

  private mutating func constant(_ kind: Kind) -> FetchExpression {
    let types: [AttributeType] =
      switch kind {
      case .number: [.integer16, .integer64, .double, .boolean, .date]
      case .text: [.string, .string, .uri]
      case .bytes: [.uuid, .binary]
      }
    return .constant(RandomRows.value(types[numbers.below(types.count)], &numbers))
  }

  mutating func value(_ kind: Kind, _ rows: [Row], depth: Int) -> FetchExpression {
    if depth <= 0 || !numbers.once(in: 3) { return attribute(kind, rows)?.expression ?? constant(kind) }
    switch (numbers.below(8), kind) {
    case (0, _): return constant(kind)
    case (1, _): return .coalesce(value(kind, rows, depth: depth - 1), value(kind, rows, depth: depth - 1))
    case (2, _):
      return .conditional(
        condition(rows, depth: depth - 1), then: value(kind, rows, depth: depth - 1),
        otherwise: value(kind, rows, depth: depth - 1))
    case (3, _) where kind != .bytes:
      guard let (path, name, row) = members(rows) else { return constant(kind) }
      let aggregates: [FetchExpression.Aggregate] =
        kind == .text ? [.minimum, .maximum] : [.minimum, .maximum, .sum, .average, .count]
      return .aggregate(
        aggregates[numbers.below(aggregates.count)], path, relationship: name, variable: row.variable,
        of: value(kind, rows + [row], depth: depth - 1))
    case (4, .number), (5, .number):
      let operations: [FetchExpression.Arithmetic] = [.add, .subtract, .multiply, .divide, .remainder]
      return .arithmetic(
        operations[numbers.below(5)], value(kind, rows, depth: depth - 1), value(kind, rows, depth: depth - 1))
    case (6, .number):
      guard let (path, name, row) = members(rows) else { return constant(kind) }
      return .count(
        path, relationship: name, variable: row.variable,
        condition: numbers.once(in: 3) ? nil : condition(rows + [row], depth: depth - 1))
    case (7, .number):
      let functions: [StringFunction] = [.count, .length, .isEmpty]
      return .string(functions[numbers.below(3)], [value(.text, rows, depth: depth - 1)])
    case (4...7, .text):
      let functions: [StringFunction] = [.lowercased, .uppercased, .canonical, .foldedCase, .foldedDiacritics]
      return .string(functions[numbers.below(5)], [value(.text, rows, depth: depth - 1)])
    default: return attribute(kind, rows)?.expression ?? constant(kind)
    }
  }

  // MARK: Conditions

  mutating func condition(_ rows: [Row], depth: Int) -> FetchExpression {
    let kind: Kind = [.number, .number, .text, .text, .bytes][numbers.below(5)]
    switch numbers.below(depth > 0 ? 16 : 8) {
    case 0, 1, 2:
      let all: [FetchExpression.Comparison] = [.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual]
      let right = numbers.once(in: 2) ? constant(kind) : value(kind, rows, depth: depth - 1)
      let comparison = all[numbers.below(kind == .bytes ? 2 : 6)]
      return .comparison(comparison, value(kind, rows, depth: depth - 1), right)
    case 3: return .isNull(value(kind, rows, depth: depth - 1))
    case 4:
      var values = (0..<numbers.below(4)).compactMap { _ -> StoreValue? in
        if case .constant(let value) = constant(kind) { value } else { nil }
      }
      if numbers.once(in: 4) { values.append(.null) }
      return .membership(value(kind, rows, depth: depth - 1), values)
    case 5:
      let (path, entity) = path(rows)
      let known = objects(entity)
      switch numbers.below(4) {
      case 0: return .isNull(.object(path))
      case 1: return .objectMembership(path, known.shuffled(using: &numbers).prefix(3) + [])
      case 2:
        let (other, _) = self.path(rows)
        return .comparison(numbers.once(in: 2) ? .equal : .notEqual, .object(path), .object(other))
      default:
        let key = known.randomElement(using: &numbers)
        return .comparison(numbers.once(in: 2) ? .equal : .notEqual, .object(path), .objectConstant(key))
      }
    case 6:
      let (path, _) = path(rows)
      let kinds = random.entities.map(\.name)
      return .isKind(path, entityName: kinds[numbers.below(kinds.count)])
    case 7:
      let functions: [StringFunction] = [.starts, .starts, .contains, .ends, .like, .localizedStandardContains]
      let function = functions[numbers.below(6)]
      let texts = [
        value(.text, rows, depth: depth - 1), numbers.once(in: 4) ? value(.text, rows, depth: 0) : constant(.text),
      ]
      return compared(texts) ?? .string(function, texts)
    case 8, 9: return .and((0..<(1 + numbers.below(3))).map { _ in condition(rows, depth: depth - 1) })
    case 10, 11: return .or((0..<(1 + numbers.below(3))).map { _ in condition(rows, depth: depth - 1) })
    case 12: return .not(condition(rows, depth: depth - 1))
    case 13, 14:
      guard let (path, name, row) = members(rows) else { return condition(rows, depth: depth - 1) }
      let scope = numbers.once(in: 2) ? [row] : rows + [row]
      return .exists(
        path, relationship: name, variable: row.variable,
        condition: numbers.once(in: 4) ? nil : condition(scope, depth: depth - 1))
    default:
      return .conditional(
        condition(rows, depth: depth - 1), then: condition(rows, depth: depth - 1),
        otherwise: condition(rows, depth: depth - 1))
    }
  }

  /// Now and then, a comparison of two texts by the rules of a language, or a regular expression.
  ///
  /// The choice takes no number, so that the other requests of a seed stay as they are.
  private func compared(_ texts: [FetchExpression]) -> FetchExpression? {
    var ahead = numbers
    guard ahead.once(in: 3) else { return nil }
    let comparisons: [StringFunction] = [.caseInsensitiveCompare, .localizedCompare, .localizedStandardCompare]
    guard !ahead.once(in: 4) else { return .string(ahead.once(in: 2) ? .matches : .matchesIgnoringCase, texts) }
    return .comparison(
      [.equal, .notEqual, .less][ahead.below(3)], .string(comparisons[ahead.below(3)], texts),
      .constant(.integer(Int64(ahead.below(3) - 1))))
  }

  // MARK: Requests

  private mutating func root() -> Row {
    Row(variable: .root, entity: random.entities[numbers.below(random.entities.count)].name)
  }

  private mutating func sortTerms(_ count: Int, _ expression: (inout Self) -> FetchExpression) -> [SortTerm] {
    (0..<count).map { _ in
      let value = expression(&self)
      return SortTerm(expression: value, isAscending: numbers.once(in: 2))
    }
  }

  /// Orders of any collation; the collation takes no number.
  private mutating func orders(_ count: Int, _ row: Row) -> [SortTerm] {
    (0..<count).map { _ in
      let kind = anyKind()
      let value = value(kind, [row], depth: 1)
      let isAscending = numbers.once(in: 2)
      var ahead = numbers
      let collations: [SortTerm.Collation] = kind == .text ? [.binary, .localized, .localizedStandard] : [.binary]
      return SortTerm(
        expression: value, isAscending: isAscending, collation: collations[ahead.below(collations.count)])
    }
  }

  mutating func anyKind() -> Kind { [.number, .text, .bytes][numbers.below(3)] }

  mutating func request() -> FetchRequest {
    let row = root()
    return FetchRequest(
      entityName: row.entity, includesSubentities: !numbers.once(in: 4),
      predicate: numbers.once(in: 8) ? nil : condition([row], depth: 3),
      sortTerms: orders(numbers.below(3), row),
      limit: numbers.once(in: 3) ? numbers.below(8) : nil, offset: numbers.once(in: 4) ? numbers.below(4) : nil)
  }

  mutating func valueRequest() -> ValueRequest {
    let row = root()
    var request = ValueRequest(
      entityName: row.entity, includesSubentities: !numbers.once(in: 4),
      predicate: numbers.once(in: 2) ? nil : condition([row], depth: 2), values: [])
    if numbers.once(in: 3) {
      request.values = (0..<(1 + numbers.below(3))).map { _ in output(row) }
      request.isDistinct = numbers.once(in: 2)
      request.sortTerms =
        request.isDistinct
        ? request.values.shuffled(using: &numbers).prefix(1).map { SortTerm(expression: $0) }
        : sortTerms(numbers.below(2)) { $0.value($0.anyKind(), [row], depth: 1) }
    } else {
      request.groups = (0..<numbers.below(3)).map { _ in output(row) }
      let aggregates = (0..<(1 + numbers.below(3))).map { _ in aggregate(row) }
      request.values = request.groups + aggregates
      if !request.groups.isEmpty, numbers.once(in: 2) {
        request.groupPredicate = .comparison(
          numbers.once(in: 2) ? .greater : .lessOrEqual, numbers.once(in: 2) ? .groupCount : aggregate(row, .number),
          constant(.number))
      }
      request.sortTerms = sortTerms(numbers.below(2)) { $0.aggregate(row) }
    }
    if numbers.once(in: 3) { request.limit = numbers.below(6) }
    if numbers.once(in: 4) { request.offset = numbers.below(3) }
    return request
  }

  private mutating func output(_ row: Row) -> FetchExpression {
    numbers.once(in: 5) ? .object(path([row]).path) : value(anyKind(), [row], depth: 1)
  }

  private mutating func aggregate(_ row: Row, _ kind: Kind? = nil) -> FetchExpression {
    let kind = kind ?? anyKind()
    if numbers.once(in: 4) { return .groupCount }
    let all: [FetchExpression.Aggregate] =
      switch kind {
      case .number: [.minimum, .maximum, .sum, .average, .count]
      case .text: [.minimum, .maximum, .count]
      case .bytes: [.count]
      }
    let value = FetchExpression.groupAggregate(
      all[numbers.below(all.count)], of: value(kind, [row], depth: 1), isDistinct: numbers.once(in: 3))
    return kind == .number && numbers.once(in: 5) ? .arithmetic(.add, value, .constant(.integer(1))) : value
  }
}

extension FetchRequest {
  /// The request with other constants: of the same type, and often, but not always, of the same class.
  func withOtherConstants(_ numbers: inout SplitMix) -> FetchRequest {
    var request = self
    request.predicate = predicate.map {
      $0.mapConstants({ $0.another(&numbers) }, keys: { ObjectKey(entity: $0.entity, key: Int64(numbers.below(90))) })
    }
    request.limit = limit.map { _ in numbers.below(50) }
    return request
  }
}

extension StoreValue {
  fileprivate func another(_ numbers: inout SplitMix) -> StoreValue {
    switch self {
    case .null: .null
    case .integer: .integer([Int64(numbers.below(12)), 9_000_000_000_000_000, -5, 200_000][numbers.below(4)])
    case .real: .real([0.5, 2, 3.3333333333, .infinity, -1.25, 0.1, 1e20, 700_000_000.5][numbers.below(8)])
    case .text:
      .text(["a", "b", "12", "K", "caf\u{E9}", "", "zebra", "1.50", "\u{7}", "a\u{0}"][numbers.below(10)])
    case .blob(let data):
      .blob(Data((0..<(numbers.once(in: 4) ? 3 : data.count)).map { _ in UInt8(numbers.below(255)) }))
    }
  }
}
