internal import Foundation
internal import StoreRequests

extension ModelContext {
  /// Fetches values of the objects that a descriptor selects, in its order, without loading the objects.
  ///
  ///     for (title, author) in try context.fetchValues(FetchDescriptor<Book>(), \.title, \.author?.name) { … }
  ///
  /// Cost: one query for the columns of the properties. The objects are loaded if the context has unsaved changes that
  /// matter, or if the store cannot evaluate the whole predicate or order. They are also loaded for a property that has several
  /// columns, or a stored form of its own. Not in Apple's framework.
  /// - Parameters:
  ///   - descriptor: selects and orders the objects.
  ///   - properties: attributes, also of objects that to-one relationships lead to, or any other properties.
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`, `storeFailure`.
  public func fetchValues<T: PersistentModel, each Value>(
    _ descriptor: FetchDescriptor<T>, _ properties: repeat KeyPath<T, each Value>
  ) throws -> [(repeat each Value)] {
    try core.exclusiveUse.during("fetching values") {
      var paths: [AnyKeyPath] = []
      for property in repeat each properties { paths.append(property) }
      var result: [(repeat each Value)] = []
      if try core.forEachRow(
        of: descriptor, paths, { row in result.append((repeat try readValue((each Value).self, &row))) })
      {
        return result
      }
      return try core.fetch(descriptor).map { object in (repeat object[keyPath: each properties]) }
    }
  }

  /// Fetches the values of one property of the objects that a descriptor selects, in its order, without loading the objects.
  ///
  ///     let titles = Set(try context.fetchValues(FetchDescriptor<Book>(), \.title))
  ///
  /// Cost and errors are those of several properties. Not in Apple's framework.
  /// - Parameters:
  ///   - descriptor: selects and orders the objects.
  ///   - property: an attribute, also of an object that to-one relationships lead to, or any other property.
  public func fetchValues<T: PersistentModel, Value>(
    _ descriptor: FetchDescriptor<T>, _ property: KeyPath<T, Value>
  ) throws -> [Value] {
    try core.exclusiveUse.during("fetching values") {
      var result: [Value] = []
      if try core.forEachRow(of: descriptor, [property], { result.append(try readValue(Value.self, &$0)) }) {
        return result
      }
      return try core.fetch(descriptor).map { $0[keyPath: property] }
    }
  }
}

/// The next column as a value of a type.
///
/// - Throws: ``ValueNeedsObject`` if the column has no such value.
private func readValue<Value>(_ type: Value.Type, _ row: inout _RowReader) throws -> Value {
  guard let value = try readColumn(type, &row) else { throw ValueNeedsObject() }
  return value
}

extension ContextCore {
  /// Passes the values of a descriptor's rows to a closure.
  ///
  /// - Returns: `false` if the values must be read from objects; the closure's results are void then.
  fileprivate func forEachRow<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>, _ properties: [AnyKeyPath], _ body: (inout _RowReader) throws -> Void
  ) throws -> Bool {
    guard let source = try valueSource(of: descriptor) else { return false }
    let columns = properties.compactMap { ValueColumn($0, of: Model.self, in: source.store)?.expression }
    guard columns.count == properties.count, !columns.isEmpty else { return false }
    var request = source.request
    request.values = columns
    do {
      try forEachRow(of: request, source.engine, source.store, body)
      return true
    } catch is ValueNeedsObject {
      return false
    }
  }

  /// The store that gives the values of a descriptor's objects, and the request for them, without values yet.
  ///
  /// - Returns: `nil` if the values must be read from objects.
  func valueSource<Model: PersistentModel>(
    of descriptor: FetchDescriptor<Model>
  ) throws -> (engine: any ValueEngine, store: OpenStore, request: ValueRequest)? {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    guard bindings.count == 1, let binding = bindings.first else { return nil }
    let store = store(binding.tag)
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
    let keyZero = ObjectKey(entity: EntityTag.entity(binding.tag), key: 0)
    guard let engine = store.engine as? any ValueEngine, plan.capabilities.contains([.filter, .sort]),
      !plan.filtersInMemory, !plan.sortsInMemory, plan.request.search == nil, pendingObjects(plan, binding) == nil,
      try !store.reporting({ try $0.hasRow(keyZero) })
    else { return nil }
    return (
      engine, store,
      ValueRequest(
        entityName: plan.request.entityName, predicate: plan.request.predicate, values: [],
        sortTerms: plan.request.sortTerms, limit: plan.request.limit, offset: plan.request.offset)
    )
  }
}
