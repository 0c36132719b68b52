import Foundation
import ManagedModel
import StoreRequests

/// Does in memory what requests ask of a store.
struct FetchRandomTwin<Engine: ValueEngine> {
  typealias Value = FetchTestEvaluator.Value
  let world: FetchRandomWorld<Engine>
  let questions: FetchRandomQuestions<Engine>

  // MARK: In memory

  private func isSorted(_ left: [Value], before right: [Value], _ terms: [SortTerm]) -> Bool {
    for (index, pair) in zip(left, right).enumerated() {
      let collation = index < terms.count ? terms[index].collation : .binary
      let order = FetchTestEvaluator.order(pair.0, pair.1, collation)
      if order != 0 { return (order < 0) == (index < terms.count ? terms[index].isAscending : true) }
    }
    return false
  }

  private func slice<Element>(_ elements: [Element], _ limit: Int?, _ offset: Int?) -> [Element] {
    Array(elements.dropFirst(offset ?? 0).prefix(limit ?? .max))
  }

  private func selected(_ entity: String, _ includesSubentities: Bool, _ predicate: FetchExpression?)
    -> [FetchTestObject]
  {
    world.all(entity, includesSubentities: includesSubentities).filter { object in
      predicate.map { FetchTestEvaluator(world, object).isTrue($0) } ?? true
    }
  }

  func keys(_ request: FetchRequest) -> [Int64] {
    let rows = selected(request.entityName, request.includesSubentities, request.predicate).map { object in
      (object.key, request.sortTerms.map { FetchTestEvaluator(world, object).value($0.expression) })
    }
    // Objects come by key, and stay so where nothing else decides.
    let sorted = rows.enumerated().sorted { one, other in
      if isSorted(one.element.1, before: other.element.1, request.sortTerms) { return true }
      if isSorted(other.element.1, before: one.element.1, request.sortTerms) { return false }
      return one.offset < other.offset
    }
    return slice(sorted.map(\.element.0), request.limit, request.offset)
  }

  /// The rows of the result; whether they have an order.
  func rows(_ request: ValueRequest) -> [[Value]] {
    let objects = selected(request.entityName, request.includesSubentities, request.predicate)
    var result: [(values: [Value], order: [Value])] = []
    if request.isGrouped {
      var groups: [[Value]: [FetchTestObject]] = [:]
      for object in objects {
        let evaluator = FetchTestEvaluator(world, object)
        groups[request.groups.map { evaluator.value($0).normalized }, default: []].append(object)
      }
      // Without groups there is one, of all rows.
      if request.groups.isEmpty, groups.isEmpty { groups[[]] = [] }
      for (key, group) in groups {
        let evaluator = FetchTestEvaluator(world, group: group)
        if let predicate = request.groupPredicate, !evaluator.isTrue(predicate) { continue }
        result.append(
          (request.values.map(evaluator.value), request.sortTerms.map { evaluator.value($0.expression) } + key))
      }
    } else {
      var known: Set<[Value]> = []
      for object in objects {
        let evaluator = FetchTestEvaluator(world, object)
        let values = request.values.map(evaluator.value)
        if request.isDistinct, !known.insert(values.map(\.normalized)).inserted { continue }
        let rest = request.isDistinct ? values : [.plain(.integer(object.key))]
        result.append((values, request.sortTerms.map { evaluator.value($0.expression) } + rest))
      }
    }
    let isOrdered = !request.sortTerms.isEmpty || request.limit != nil || request.offset != nil
    result.sort { isSorted($0.order, before: $1.order, request.sortTerms) }
    let values = result.map { $0.values.map(\.normalized) }
    return isOrdered ? slice(values, request.limit, request.offset) : unordered(values)
  }

  /// Rows in an order of the test's own, where they have none.
  private func unordered(_ rows: [[Value]]) -> [[Value]] { rows.sorted { isSorted($0, before: $1, []) } }

  // MARK: By the store

  func storedRows(_ request: ValueRequest) throws -> [[Value]] {
    let cursor = try world.store.values(request)
    var rows: [[Value]] = []
    while try cursor.next() {
      var column = 0
      rows.append(
        request.values.map { value in
          guard case .object = value else {
            defer { column += 1 }
            return Value.plain(cursor.value(column)).normalized
          }
          defer { column += 2 }
          guard let key = cursor.integer(column), let number = cursor.integer(column + 1),
            let entity = world.store.entities.entity(numbered: Int32(number))
          else { return .null }
          return .object(root: world.random.root(of: entity.name), key: key)
        })
    }
    let isOrdered = !request.sortTerms.isEmpty || request.limit != nil || request.offset != nil
    return isOrdered ? rows : unordered(rows)
  }

  /// What is wrong with a request's result; `nil` if nothing is.
  func problem(_ request: FetchRequest) -> String? {
    do {
      guard isDecided(request) else { return try missing(request) }
      let expected = keys(request)
      let found = try world.store.keys(request).map(\.key)
      // Without an order, by key.
      let isOrdered = !request.sortTerms.isEmpty || request.limit != nil || request.offset != nil
      if (isOrdered ? found : found.sorted()) != expected { return "selected \(found), expected \(expected)" }
      let count = try world.store.count(request)
      return count == expected.count ? nil : "counted \(count), expected \(expected.count)"
    } catch { return "\(error)" }
  }

  /// Whether the engine carries out the whole request. If not, it selects at least the rows.
  func isDecided(_ request: FetchRequest) -> Bool {
    (request.predicate.map { world.store.decides($0, entityName: request.entityName) } ?? true)
      && request.sortTerms.allSatisfy { world.store.sorts(by: $0, entityName: request.entityName) }
  }

  /// The keys that the store gives for a request of which memory does the rest.
  func fetched(_ request: FetchRequest) throws -> [Int64] {
    var request = request
    (request.sortTerms, request.limit, request.offset) = ([], nil, nil)
    let rows = try world.store.fetch(request)
    var found: [Int64] = []
    while try rows.next() { found.append(rows.key) }
    return found
  }

  private func missing(_ request: FetchRequest) throws -> String? {
    let found = try Set(fetched(request))
    let missing = keys(request).filter { !found.contains($0) }
    return missing.isEmpty ? nil : "did not select \(missing)"
  }

  func problem(_ request: ValueRequest) -> String? {
    do {
      let (found, expected) = (try storedRows(request), rows(request))
      return found == expected ? nil : "read \(found), expected \(expected)"
    } catch { return questions.isRefusal(error) ? nil : "\(error)" }
  }

  /// Whether the engine carries out a request for values.
  func isDecided(_ request: ValueRequest) -> Bool {
    do { _ = try world.store.values(request) } catch { return !questions.isRefusal(error) }
    return true
  }

  // MARK: Failures

  /// The smallest request that still fails, with its SQL.
  func report(_ request: FetchRequest, seed: UInt64) -> String {
    var request = request
    request.sortTerms = shrunk(request.sortTerms) { trial(request, \.sortTerms, $0) }
    for path in [\FetchRequest.limit, \.offset] where trial(request, path, nil) { request[keyPath: path] = nil }
    if let predicate = request.predicate {
      request.predicate = smallest(predicate) { trial(request, \.predicate, $0) }
    }
    let sql = (try? questions.sql(world.store, request)) ?? ""
    return "seed \(seed): \(problem(request) ?? "")\n\(request)\n\(sql)"
  }

  func report(_ original: ValueRequest, seed: UInt64) -> String {
    var request = original
    request.sortTerms = shrunk(request.sortTerms) { trial(request, \.sortTerms, $0) }
    request.values = shrunk(request.values) { !$0.isEmpty && trial(request, \.values, $0) }
    request.groups = shrunk(request.groups) { trial(request, \.groups, $0) }
    for path in [\ValueRequest.limit, \.offset] where trial(request, path, nil) { request[keyPath: path] = nil }
    for path in [\ValueRequest.predicate, \.groupPredicate] where trial(request, path, nil) {
      request[keyPath: path] = nil
    }
    if let predicate = request.predicate {
      request.predicate = smallest(predicate) { trial(request, \.predicate, $0) }
    }
    for index in request.values.indices {
      request.values[index] = smallest(request.values[index]) { value in
        var copy = request
        copy.values[index] = value
        return fails(copy)
      }
    }
    let sql = (try? questions.valueSQL(world.store, request)) ?? ""
    return "seed \(seed): \(problem(request) ?? "")\n\(request)\n\(sql)\nmade smaller from \(original)"
  }

  /// Whether a request gives a wrong result; an error is none, since smaller requests may mean nothing.
  private func fails(_ request: FetchRequest) -> Bool {
    (!isDecided(request) || (try? world.store.keys(request)) != nil) && problem(request) != nil
  }
  private func fails(_ request: ValueRequest) -> Bool { (try? storedRows(request)) != nil && problem(request) != nil }

  private func trial<Value>(_ request: FetchRequest, _ path: WritableKeyPath<FetchRequest, Value>, _ value: Value)
    -> Bool
  {
    var copy = request
    copy[keyPath: path] = value
    return fails(copy)
  }

  private func trial<Value>(_ request: ValueRequest, _ path: WritableKeyPath<ValueRequest, Value>, _ value: Value)
    -> Bool
  {
    var copy = request
    copy[keyPath: path] = value
    return fails(copy)
  }

  private func shrunk<Element>(_ list: [Element], _ fails: ([Element]) -> Bool) -> [Element] {
    var list = list
    for index in list.indices.reversed() {
      var shorter = list
      shorter.remove(at: index)
      if fails(shorter) { list = shorter }
    }
    return list
  }

  private func smallest(_ expression: FetchExpression, _ fails: (FetchExpression) -> Bool) -> FetchExpression {
    var current = expression
    for _ in 0..<100 {
      // The truth of a text is nothing that is asked for.
      guard let smaller = candidates(current).first(where: { $0.isCondition == current.isCondition && fails($0) })
      else {
        break
      }
      current = smaller
    }
    return current
  }

  private func candidates(_ expression: FetchExpression) -> [FetchExpression] {
    var result = expression.operands
    switch expression {
    case .and(let terms):
      result += terms.indices.map {
        .and(terms.enumerated().filter { [index = $0] in $0.offset != index }.map(\.element))
      }
      result += terms.indices.flatMap { index in
        candidates(terms[index]).map { term in .and(terms.enumerated().map { $0.offset == index ? term : $0.element }) }
      }
    case .or(let terms):
      result += terms.indices.map {
        .or(terms.enumerated().filter { [index = $0] in $0.offset != index }.map(\.element))
      }
      result += terms.indices.flatMap { index in
        candidates(terms[index]).map { term in .or(terms.enumerated().map { $0.offset == index ? term : $0.element }) }
      }
    case .not(let operand): result += candidates(operand).map { .not($0) }
    case .comparison(let comparison, let left, let right):
      result += candidates(left).map { .comparison(comparison, $0, right) }
      result += candidates(right).map { .comparison(comparison, left, $0) }
    case .exists(let path, let name, let variable, let condition?):
      result += candidates(condition).map { .exists(path, relationship: name, variable: variable, condition: $0) }
    case .count(let path, let name, let variable, let condition?):
      result += candidates(condition).map { .count(path, relationship: name, variable: variable, condition: $0) }
    case .aggregate(let aggregate, let path, let name, let variable, let operand):
      result += candidates(operand).map { .aggregate(aggregate, path, relationship: name, variable: variable, of: $0) }
    case .groupAggregate(let aggregate, let operand, let isDistinct):
      result += candidates(operand).map { .groupAggregate(aggregate, of: $0, isDistinct: isDistinct) }
    case .conditional(let test, let first, let second):
      result += candidates(test).map { .conditional($0, then: first, otherwise: second) }
      result += candidates(first).map { .conditional(test, then: $0, otherwise: second) }
      result += candidates(second).map { .conditional(test, then: first, otherwise: $0) }
    case .coalesce(let first, let second):
      result += candidates(first).map { .coalesce($0, second) } + candidates(second).map { .coalesce(first, $0) }
    case .arithmetic(let operation, let left, let right):
      result += candidates(left).map { .arithmetic(operation, $0, right) }
      result += candidates(right).map { .arithmetic(operation, left, $0) }
    case .isNull(let operand): result += candidates(operand).map { .isNull($0) }
    case .membership(let operand, let values): result += candidates(operand).map { .membership($0, values) }
    case .string(let function, let arguments):
      result += arguments.indices.flatMap { index in
        candidates(arguments[index]).map { argument in
          .string(function, arguments.enumerated().map { $0.offset == index ? argument : $0.element })
        }
      }
    default: break
    }
    return result
  }
}

/// What the twin asks an engine beyond its protocol.
struct FetchRandomQuestions<Engine: ValueEngine>: Sendable {
  /// The SQL of a request, for a report.
  let sql: @Sendable (Engine, FetchRequest) throws -> String
  let valueSQL: @Sendable (Engine, ValueRequest) throws -> String
  /// Whether an error says that memory has to compute the values.
  var isRefusal: @Sendable (any Error) -> Bool = { _ in false }
}
