internal import Foundation
internal import StoreRequests

// Fetches with a condition about which the store decides only in part: it selects more rows than the objects that are wanted.
extension ContextCore {
  /// Whether the store counts the rows for which a plan's condition is certain, and memory tests only the others.
  ///
  /// - Parameter values: the values that are read of the rows.
  func dividesRows<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, reading values: [FetchExpression] = []
  ) -> Bool {
    plan.filtersInMemory && plan.hasWholeCondition && plan.request.search == nil
      && pendingObjects(plan, binding, reading: values) == nil && !wouldEvaluateUnsavedValues(plan, store(binding.tag))
  }

  /// The wanted objects among the rows about which the store cannot decide. Cost: one query, and these objects.
  func openObjects<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, _ store: OpenStore
  ) throws -> [Model] {
    var request = plan.request
    request.certainty = .open
    request.sortTerms = []
    return try load(request, binding, store, properties: nil).filter(plan.isWanted)
  }

  /// The number of objects of a plan for which ``dividesRows(_:_:reading:)`` holds. A save between the two queries may change the sum.
  func countOfDividedRows<Model: PersistentModel>(
    _ plan: FetchPlan<Model>, _ binding: EntityBinding, _ store: OpenStore
  ) throws -> Int {
    var request = plan.request
    request.certainty = .certain
    request.sortTerms = []
    let certain = try store.reporting { try $0.count(request) }
    return plan.sliceCount(certain.addingClamped(try openObjects(plan, binding, store).count))
  }

  /// The result of a fetch with a limit, from the first rows of the store; `nil` if more rows are needed.
  ///
  /// If memory wants most of the rows that the store selects, twice the wanted number is enough. If not, these rows are a small part of
  /// what the fetch has to read.
  func fetchFirst<Model: PersistentModel>(_ plan: FetchPlan<Model>, _ binding: EntityBinding) throws -> [Model]? {
    guard plan.filtersInMemory, !plan.sortsInMemory, let limit = plan.descriptor.fetchLimit, limit >= 0 else {
      return nil
    }
    let wanted = limit.addingClamped(max(0, plan.descriptor.fetchOffset ?? 0))
    var request = plan.request
    let count = wanted.addingClamped(wanted).addingClamped(50)
    request.limit = count
    let rows = try RowBatches<Model>(request, binding, self, properties: nil, readsAtOnce: true)
    let objects = try (rows.next(count) ?? []).filter(plan.isWanted)
    return objects.count >= wanted || rows.isAtEnd ? plan.slice(objects) : nil
  }
}
