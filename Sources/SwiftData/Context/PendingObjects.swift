internal import CoreDataStore
internal import Foundation

/// The unsaved objects that a fetch has to take into account, and how they join what the store selects.
///
/// The store is asked for as many rows more as there are pending ones; pending rows among them are passed over, pending objects
/// are evaluated in memory, and both are merged in the descriptor's order, then cut. Where the predicate or the order leads
/// through relationships, an unsaved change of any object may decide: then everything is evaluated in memory.
struct PendingObjects<Model: PersistentModel> {
  private let plan: FetchPlan<Model>
  /// New and changed objects of the class, in the order of their insertion or change.
  private let candidates: [Model]
  /// How many of the store's rows are changed or deleted here.
  private let rowCount: Int
  let readsEverything: Bool

  /// - Returns: `nil` if nothing that is pending can touch the result.
  init?(_ plan: FetchPlan<Model>, _ core: ContextCore, _ binding: EntityBinding) throws {
    self.plan = plan
    let changed = core.unit.changed.compactMap { $0 as? Model }
    let deleted = core.unit.deleted.compactMap { $0 as? Model }
    candidates = core.unit.inserted.compactMap { $0 as? Model } + changed
    rowCount = changed.count + deleted.count
    readsEverything =
      plan.filtersInMemory || plan.sortsInMemory
      || plan.request.predicate?.leadsToOtherObjects == true
      || plan.request.sortTerms.contains { $0.expression.leadsToOtherObjects }
    if candidates.isEmpty, rowCount == 0, !readsEverything { return nil }
  }

  /// The result of the fetch; `load` runs a request.
  func merged(_ load: (FetchRequest) throws -> [Model]) throws -> [Model] {
    var request = plan.request
    let isWanted = try plan.evaluation()
    if readsEverything {
      request.predicate = nil
      request.sortTerms = []
      request.limit = nil
      request.offset = nil
      let rows = try load(request).filter { !isPending($0) }
      return plan.slice(try (rows + candidates).filter(isWanted).sorted(by: isBefore))
    }
    if let limit = request.limit, limit >= 0 { request.limit = limit + max(0, request.offset ?? 0) + rowCount }
    request.offset = nil
    if request.sortTerms.isEmpty { request.sortTerms = [SortTerm(expression: .object(FetchPath()))] }
    let rows = try load(request).filter { !isPending($0) }
    return plan.slice(merge(rows, try candidates.filter(isWanted).sorted(by: isBefore)))
  }

  private func isPending(_ object: Model) -> Bool {
    switch object._$state.status {
    case .inserted, .changed, .deleted, .orphaned: true
    case .clean, .fault, .detached: false
    }
  }

  /// The descriptor's order; objects it does not part are in the order of their keys, new ones last.
  private func isBefore(_ left: Model, _ right: Model) -> Bool {
    switch plan.order(left, right) {
    case .orderedAscending: return true
    case .orderedDescending: return false
    case .orderedSame:
      let keys = (left._$state.key, right._$state.key)
      return keys.0 != 0 && (keys.1 == 0 || keys.0 < keys.1)
    }
  }

  private func merge(_ rows: [Model], _ others: [Model]) -> [Model] {
    guard !others.isEmpty else { return rows }
    var result: [Model] = []
    result.reserveCapacity(rows.count + others.count)
    var next = 0
    for row in rows {
      while next < others.count, isBefore(others[next], row) {
        result.append(others[next])
        next += 1
      }
      result.append(row)
    }
    return result + others[next...]
  }
}

extension FetchExpression {
  /// Whether values of other objects than the fetched ones decide.
  var leadsToOtherObjects: Bool {
    switch self {
    case .constant, .objectConstant: false
    case .attribute(let path, _, _), .isKind(let path, _): !path.relationships.isEmpty || path.variable != .root
    case .object(let path), .objectMembership(let path, _): path.relationships.count > 1 || path.variable != .root
    case .count, .exists, .aggregate, .groupCount, .groupAggregate: true
    case .comparison(_, let left, let right), .arithmetic(_, let left, let right), .coalesce(let left, let right):
      left.leadsToOtherObjects || right.leadsToOtherObjects
    case .and(let parts), .or(let parts), .string(_, let parts): parts.contains(where: \.leadsToOtherObjects)
    case .not(let part), .isNull(let part), .negative(let part), .membership(let part, _): part.leadsToOtherObjects
    case .conditional(let condition, let then, let otherwise):
      condition.leadsToOtherObjects || then.leadsToOtherObjects || otherwise.leadsToOtherObjects
    }
  }
}
