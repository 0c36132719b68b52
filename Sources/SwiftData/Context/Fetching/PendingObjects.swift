internal import Foundation
internal import StoreRequests

/// The unsaved objects that affect a fetch, merged with the store's result.
///
/// Pending objects of the class are compared with the predicate in memory. So are rows that a path of the request connects with
/// a pending object. If the value of the pending object rules such rows out, the request to the store excludes them.
/// The store decides about all other rows. Its limit grows by the number of rows that are compared in memory, and its result
/// is read without them. Then both results are merged in the descriptor's order, and the offset and the limit apply.
struct PendingObjects<Model: PersistentModel> {
  let plan: FetchPlan<Model>
  private let scope: PendingScope
  /// New and changed objects of the class that may match.
  let candidates: [Model]
  /// The condition on rows from which a path leads to a pending object; `nil` if there are none.
  private let touching: FetchExpression?
  /// Decides about the request's full-text condition; `nil` if there is none.
  private let search: PendingSearch?

  /// - Parameters:
  ///   - values: what is read of the rows besides the order and the predicate.
  ///   - seesEveryChange: see ``PendingScope``.
  /// - Returns: `nil` if no pending object can affect the result.
  init?(
    _ plan: FetchPlan<Model>, reading values: [FetchExpression], _ core: ContextCore, _ binding: EntityBinding,
    seesEveryChange: Bool
  ) {
    scope = PendingScope(plan.request, core, binding, seesEveryChange: seesEveryChange)
    candidates = scope.candidates(plan.request.predicate).compactMap { downcast($0, to: Model.self) }
    let reach = PendingReach(plan.request, reading: values, core, binding)
    touching = reach.touching
    search = PendingSearch(plan.request, core, binding)
    self.plan = plan.excluding(reach.excluded)
    if candidates.isEmpty, scope.rowCount == 0, touching == nil, reach.excluded.isEmpty { return nil }
  }

  private func isPending(_ object: Model) -> Bool { scope.isPending(object) }

  // MARK: Results

  /// The decisions made in memory: the matching objects in order, and the rows that the store does not decide.
  struct Decisions {
    let wanted: [Model]
    /// Objects from which a path leads to a pending object.
    fileprivate let touched: [Model]
    /// The largest number of rows that the store does not decide.
    let rowCount: Int
  }

  /// Decides in memory; `load` returns the objects of a request.
  func decide(_ load: (FetchRequest) throws -> [Model]) throws -> Decisions {
    var touched: [Model] = []
    if let touching {
      let request = FetchRequest(
        entityName: plan.request.entityName, predicate: touching, search: plan.request.search)
      touched = try load(request).filter { !isPending($0) }
    }
    let open = candidates + touched
    var wanted = open.isEmpty ? [] : try open.filter(plan.evaluation())
    if let search { wanted = try search.filter(wanted) }
    return Decisions(
      wanted: wanted.sorted(by: isBefore),
      touched: touched, rowCount: scope.rowCount + touched.count)
  }

  /// The result of the fetch; `load` returns the objects of a request, with all properties if `isWhole` is `true`.
  func merged(_ load: (_ request: FetchRequest, _ isWhole: Bool) throws -> [Model]) throws -> [Model] {
    let decisions = try decide { try load($0, true) }
    if let part = try mergedFar(decisions, load) { return part }
    let touched = Set(decisions.touched.map { ObjectIdentifier($0) })
    // Without a limit, sorting the selected rows in memory is cheap. An order by key could make SQLite scan the table
    // instead of using an index of the predicate.
    let sortsKeys = plan.request.sortTerms.isEmpty && plan.request.limit == nil && !plan.isRanked
    let isWhole = plan.sortsInMemory && plan.propertiesToSort == nil
    var rows = try load(request(besides: decisions, inOrder: !sortsKeys), isWhole).filter {
      try !isPending($0) && !touched.contains(ObjectIdentifier($0)) && plan.isWanted($0)
    }
    if sortsKeys, !plan.sortsInMemory { sortByKey(&rows) }
    if plan.sortsInMemory { return plan.slice(plan.sortedPart(rows + decisions.wanted, by: isBefore)) }
    var merge = OrderedMerge(decisions.wanted, isBefore: isBefore)
    return plan.slice(merge.merged(rows) + merge.rest)
  }

  /// The result behind an offset beyond the objects of memory: the store skips most of the rows, and they are not loaded.
  ///
  /// - Returns: `nil` if the offset is smaller.
  private func mergedFar(
    _ decisions: Decisions, _ load: (_ request: FetchRequest, _ isWhole: Bool) throws -> [Model]
  ) throws -> [Model]? {
    let wanted = decisions.wanted
    let offset = max(0, plan.request.offset ?? 0)
    guard canDivide, offset - wanted.count > decisions.rowCount else { return nil }
    var request = storedPart
    request.offset = offset - wanted.count
    if let limit = plan.request.limit, limit >= 0 { request.limit = limit.addingClamped(wanted.count) }
    let rows = try load(request, false)
    // If there are no more rows, all objects together do not reach the offset.
    guard let first = rows.first else { return [] }
    let others = Array(wanted.drop { isBefore($0, first) })
    var merge = OrderedMerge(others, isBefore: isBefore)
    let part = (merge.merged(rows) + merge.rest).dropFirst(others.count)
    return Array(part.prefix(plan.request.limit.flatMap { $0 >= 0 ? $0 : nil } ?? .max))
  }

  /// The number of objects that the descriptor selects.
  ///
  /// Cost: besides the count of the rows, the keys of these rows, or of the pending objects, whichever are fewer.
  /// - Parameters:
  ///   - count: returns the number of rows of a request.
  ///   - keys: returns the keys of these rows.
  func count(
    _ count: (FetchRequest) throws -> Int, _ keys: (FetchRequest) throws -> [ObjectKey],
    _ load: (FetchRequest) throws -> [Model]
  ) throws -> Int {
    let decisions = try decide(load)
    var request = plan.request
    request.limit = nil
    request.offset = nil
    var total = try count(request)
    if total > 0, touching != nil || scope.rowCount > 0 {
      if total < scope.rowCount {
        let touched = Set(decisions.touched.compactMap { $0._$state.rowKey })
        total = try keys(request).count { !touched.contains($0) && !scope.isPending($0) }
      } else {
        request.predicate = .conjunction([.disjunction(undecided)] + (request.predicate.map { [$0] } ?? []))
        total -= try count(request)
      }
    }
    return plan.sliceCount(max(0, total).addingClamped(decisions.wanted.count))
  }

  /// The conditions on the rows that the store does not decide.
  private var undecided: [FetchExpression] {
    let rows = scope.rows
    return (touching.map { [$0] } ?? []) + (rows.isEmpty ? [] : [.objectMembership(FetchPath(), rows)])
  }

  /// Whether the store can select and sort its part of the result without the objects of memory.
  var canDivide: Bool {
    plan.capabilities.contains([.filter, .sort]) && !plan.filtersInMemory && !plan.sortsInMemory
      && plan.request.search == nil
  }

  /// The rows that the store decides, in order, to the end of the part that the descriptor selects; and the objects that memory
  /// adds to them.
  func division(
    _ load: (FetchRequest) throws -> [Model]
  ) throws -> (stored: FetchRequest, wanted: [Model]) {
    let wanted = try decide(load).wanted
    var request = storedPart
    if let limit = request.limit, limit >= 0 { request.limit = limit.addingClamped(max(0, request.offset ?? 0)) }
    request.offset = nil
    return (request, wanted)
  }

  /// The request without the rows that the store does not decide.
  private var storedPart: FetchRequest {
    var request = plan.request
    let undecided = undecided
    if !undecided.isEmpty {
      request.predicate = .conjunction(
        (request.predicate.map { [$0] } ?? []) + [FetchExpression.not(.disjunction(undecided))])
    }
    if request.sortTerms.isEmpty { request.sortTerms = [SortTerm(expression: .object(FetchPath()))] }
    return request
  }

  /// Brings rows into the order of their keys, which they have already after a scan of the table.
  private func sortByKey(_ rows: inout [Model]) {
    func key(_ model: Model) -> Int64 { model._$state.key }
    if zip(rows, rows.dropFirst()).contains(where: { key($0) > key($1) }) { rows.sort { key($0) < key($1) } }
  }

  /// The request for the rows that the store decides, with additional rows to replace skipped rows.
  ///
  /// - Parameter inOrder: whether the rows come in the order of their keys where the descriptor states no order.
  func request(besides decisions: Decisions, inOrder: Bool = true) -> FetchRequest {
    var request = plan.request
    if let limit = request.limit, limit >= 0 {
      request.limit = [max(0, request.offset ?? 0), decisions.rowCount].reduce(limit) { $0.addingClamped($1) }
    }
    request.offset = nil
    if inOrder, request.sortTerms.isEmpty, !plan.isRanked, plan.capabilities.contains(.sort) {
      request.sortTerms = [SortTerm(expression: .object(FetchPath()))]
    }
    return request
  }

  /// The rows that the store does not decide.
  func rows(of decisions: Decisions) -> Set<ObjectKey> {
    Set(scope.rows + decisions.touched.compactMap { $0._$state.rowKey })
  }

  /// The descriptor's order; objects that compare as equal are ordered by key, new objects last.
  func isBefore(_ left: Model, _ right: Model) -> Bool {
    switch plan.order(left, right) {
    case .orderedAscending: return true
    case .orderedDescending: return false
    case .orderedSame:
      // The objects of memory come after all rows.
      if plan.isRanked { return false }
      let keys = (left._$state.key, right._$state.key)
      return keys.0 != 0 && (keys.1 == 0 || keys.0 < keys.1)
    }
  }
}
