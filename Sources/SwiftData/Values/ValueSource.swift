internal import CoreDataStore
internal import StoreRequests

/// A store that gives the values of a descriptor's objects, without the objects.
struct ValueSource<Model: PersistentModel> {
  let plan: FetchPlan<Model>
  let binding: EntityBinding
  let engine: any ValueEngine
  let store: OpenStore
}

extension ContextCore {
  /// A value of each object of a descriptor, in its order.
  ///
  /// - Parameter properties: the properties that a row has as columns, for `fromRow`.
  func values<Model: PersistentModel, Value>(
    of descriptor: FetchDescriptor<Model>, _ properties: [AnyKeyPath], fromObject: (Model) throws -> Value,
    fromRow: (inout _RowReader) throws -> Value
  ) throws -> [Value] {
    func fromRows() throws -> [Value]? {
      guard let sources = try valueSources(of: descriptor) else { return nil }
      var result: [Value] = []
      for source in sources {
        let columns = properties.compactMap { ValueColumn($0, of: Model.self, in: source.store)?.expression }
        guard columns.count == properties.count, !columns.isEmpty,
          let values = try values(of: source, columns, fromObject: fromObject, fromRow: fromRow)
        else { return nil }
        result += values
      }
      return result
    }
    if let values = try fromRows() { return values }
    // The program must not get objects of the reading context.
    let hasObjects = properties.contains { RelationshipType(type(of: $0).valueType) != nil }
    return try hasObjects ? fetch(descriptor).map(fromObject) : valuesOfObjects(descriptor, fromObject)
  }

  /// A value of each object of a descriptor. If the descriptor ignores unsaved changes, another context reads the saved objects.
  func valuesOfObjects<Model: PersistentModel, Value>(
    _ descriptor: FetchDescriptor<Model>, _ value: (Model) throws -> Value
  ) throws -> [Value] {
    guard !descriptor.includePendingChanges, !unit.isEmpty else { return try fetch(descriptor).map(value) }
    let reader = ContextCore(container)
    defer { reader.close() }
    return try reader.fetch(descriptor).map(value)
  }

  /// The stores that give the values of a descriptor's objects.
  ///
  /// - Returns: `nil` if the values must be read from objects.
  func valueSources<Model: PersistentModel>(of descriptor: FetchDescriptor<Model>) throws -> [ValueSource<Model>]? {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    // An order or a limit over several stores needs objects.
    let isPlain = descriptor.sortBy.isEmpty && descriptor.fetchLimit == nil && descriptor.fetchOffset == nil
    guard bindings.count == 1 || isPlain else { return nil }
    var sources: [ValueSource<Model>] = []
    for binding in bindings {
      let store = store(binding.tag)
      let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: store))
      let keyZero = ObjectKey(entity: EntityTag.entity(binding.tag), key: 0)
      guard let engine = store.engine as? any ValueEngine, plan.capabilities.contains([.filter, .sort]),
        !plan.filtersInMemory, !plan.sortsInMemory, plan.request.search == nil,
        try !store.reporting({ try $0.hasRow(keyZero) })
      else { return nil }
      sources.append(ValueSource(plan: plan, binding: binding, engine: engine, store: store))
    }
    return sources
  }

  /// A value of each object of a store: of its rows, and of the unsaved objects in their places among the rows.
  ///
  /// - Returns: `nil` if the values must be read from objects.
  func values<Model: PersistentModel, Value>(
    of source: ValueSource<Model>, _ columns: [FetchExpression], fromObject: (Model) throws -> Value,
    fromRow: (inout _RowReader) throws -> Value
  ) throws -> [Value]? {
    var result: [Value] = []
    do {
      guard let pending = pendingObjects(source.plan, source.binding, reading: columns) else {
        let request = ValueRequest(source.plan.request, values: columns)
        try forEachRow(of: request, source.engine, source.store) { result.append(try fromRow(&$0)) }
        return result
      }
      let (stored, wanted) = try pending.division { try load($0, source.binding, source.store, properties: nil) }
      let request = ValueRequest(stored, values: [.object(FetchPath())] + columns)
      var keys: [ObjectKey] = []
      try forEachRow(of: request, source.engine, source.store) { row in
        let key = row.integer() ?? 0
        keys.append(ObjectKey(entity: row.integer().flatMap { Int32(exactly: $0) } ?? 0, key: key))
        result.append(try fromRow(&row))
      }
      let places = try pending.places(of: wanted, among: keys) { keys in
        try load(keys, of: source.binding).compactMap { downcast($0, to: Model.self) }
      }
      return try places.map { try source.plan.slice($0.merged(wanted.map(fromObject), into: result)) }
    } catch is ValueNeedsObject {
      return nil
    }
  }
}

extension ValueRequest {
  /// A request for values of the rows of another request.
  init(_ request: FetchRequest, values: [FetchExpression]) {
    self.init(
      entityName: request.entityName, predicate: request.predicate, values: values, sortTerms: request.sortTerms,
      limit: request.limit, offset: request.offset)
  }
}
