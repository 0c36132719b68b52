internal import CoreDataStore
internal import Foundation
internal import StoreRequests

/// A key path to one value, with the expression for it in a store.
struct ValueColumn {
  let expression: FetchExpression

  /// - Returns: `nil` if the store cannot give the value, or has it in several columns.
  init?(_ keyPath: AnyKeyPath, of type: any PersistentModel.Type, in store: OpenStore) {
    guard let route = try? StoreResolver(store: store).route(of: keyPath, from: type) else { return nil }
    switch AttributeLayout.of(Swift.type(of: keyPath).valueType).shape {
    case .column, .rawValue, .singleValue: break
    default: return nil
    }
    var path = FetchPath()
    var expression: FetchExpression?
    for step in route {
      guard expression == nil else { return nil }
      switch step {
      case .toOne(let name, _): path.follow(name)
      case .attribute(let name, let element, isOpaque: false):
        expression = .attribute(path, name: name, element: element)
      case .attribute, .composite, .toMany, .identifier: return nil
      }
    }
    guard let expression else { return nil }
    self.expression = expression
  }
}

/// A computation of many objects: by groups in the store, of single values, or of objects.
struct ValueQuery<Model: PersistentModel> {
  let descriptor: FetchDescriptor<Model>
  /// The property by whose values the objects are grouped; `nil` for one group.
  let key: PartialKeyPath<Model>?
  /// The properties of the aggregates; `nil` for the number of objects.
  let properties: [PartialKeyPath<Model>?]
  /// See ``ModelAggregate/inGroups``.
  let inGroups: [((FetchExpression) -> [FetchExpression])?]
  let areMergeable: Bool
  /// Receives an object.
  let add: (Model) throws -> Void
  /// Receives a row: the key, then a value for each aggregate with a property.
  let addRow: (inout _RowReader) throws -> Void
  /// Receives a group: the key, then the values of each aggregate.
  let merge: (inout _RowReader) throws -> Void
  /// Forgets all results, before the query begins again.
  let restart: () -> Void
}

extension ContextCore {
  /// Runs a query: one SQL query in each store, and the unsaved objects in memory.
  func run<Model: PersistentModel>(_ query: ValueQuery<Model>) throws {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    do {
      for binding in bindings { try run(query, binding, isOnly: bindings.count == 1) }
    } catch is ValueNeedsObject {
      query.restart()
      for object in try fetch(query.descriptor) { try query.add(object) }
    }
  }

  private func run<Model: PersistentModel>(
    _ query: ValueQuery<Model>, _ binding: EntityBinding, isOnly: Bool
  ) throws {
    let store = store(binding.tag)
    let plan = try FetchPlan(query.descriptor, resolver: StoreResolver(store: store))
    let keyZero = ObjectKey(entity: EntityTag.entity(binding.tag), key: 0)
    guard let engine = store.engine as? any ValueEngine, plan.capabilities.contains(.filter),
      let columns = Columns(query, store), !plan.filtersInMemory || dividesRows(plan, binding, reading: columns.read),
      try !store.reporting({ try $0.hasRow(keyZero) })
    else {
      for object in try fetch(query.descriptor, binding) { try query.add(object) }
      return
    }
    var predicate = plan.request.predicate
    var wanted: [Model] = []
    let pending = pendingObjects(plan, binding, reading: columns.read)
    if plan.filtersInMemory {
      wanted = try openObjects(plan, binding, store)
    } else if let pending {
      let division = try pending.division { try load($0, binding, store, properties: nil) }
      (predicate, wanted) = (division.stored.predicate, division.wanted)
    }
    let groups = (isOnly && pending == nil && !plan.filtersInMemory) || query.areMergeable ? columns.groups : nil
    let keys = columns.key.map { [$0] } ?? []
    let values = keys + (groups ?? columns.values)
    // Without any column, each row counts.
    var request = ValueRequest(
      entityName: plan.request.entityName, predicate: predicate,
      values: values.isEmpty ? [.constant(.integer(1))] : values,
      groups: groups == nil ? [] : keys)
    if plan.filtersInMemory { request.certainty = .certain }
    try forEachRow(of: request, engine, store, groups == nil ? query.addRow : query.merge)
    for object in wanted { try query.add(object) }
  }

  /// The expressions of a query in a store.
  private struct Columns {
    let key: FetchExpression?
    /// The values of the aggregates' properties.
    let values: [FetchExpression]
    /// The values of the aggregates in groups; `nil` if the store cannot compute them.
    let groups: [FetchExpression]?

    /// The values that are read of the rows.
    var read: [FetchExpression] { (key.map { [$0] } ?? []) + values }

    /// - Returns: `nil` if the store cannot give a value.
    init?<Model: PersistentModel>(_ query: ValueQuery<Model>, _ store: OpenStore) {
      key = query.key.flatMap { ValueColumn($0, of: Model.self, in: store)?.expression }
      guard (key == nil) == (query.key == nil) else { return nil }
      var values: [FetchExpression] = []
      var groups: [FetchExpression]? = []
      for (property, inGroups) in zip(query.properties, query.inGroups) {
        var column: FetchExpression?
        if let property {
          guard let found = ValueColumn(property, of: Model.self, in: store)?.expression else { return nil }
          column = found
          values.append(found)
        }
        if let inGroups {
          groups? += inGroups(column ?? .constant(.null))
        } else {
          groups = nil
        }
      }
      self.values = values
      self.groups = groups
    }
  }

  /// Passes each row of a request to a closure.
  func forEachRow(
    of request: ValueRequest, _ engine: some ValueEngine, _ store: OpenStore,
    _ body: (inout _RowReader) throws -> Void
  ) throws {
    var problem: (any Error)?
    do {
      try store.reporting { _ in
        let rows = try engine.values(request)
        defer { rows.close() }
        while try rows.next() {
          var reader =
            if let cursor = rows as? ValueCursor { _RowReader(cursor.reader()) } else { _RowReader(RowReader(rows)) }
          do { try body(&reader) } catch {
            problem = error
            throw error
          }
        }
      }
    } catch {
      // Not an error of the engine.
      throw problem ?? error
    }
  }
}
