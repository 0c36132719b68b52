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

/// What a row of a ``ValueQuery`` stands for.
enum ValueRowForm {
  /// One object; each aggregate with a property has the value as its column.
  case object
  /// All objects of a group; the columns of each aggregate are computed.
  case group
  /// The objects of a group that have one value of each property whose aggregate cannot be merged. Such an aggregate has the value
  /// as its column, and the columns of the others are computed.
  case groupOfValues
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
  /// See ``ModelAggregate/isMergeable``.
  let isMergeable: [Bool]
  /// Receives an object.
  let add: (Model) throws -> Void
  /// Receives a row: the key, then the columns of each aggregate.
  let addRow: (inout _RowReader, ValueRowForm) throws -> Void
  /// Forgets all results, before the query begins again.
  let restart: () -> Void
}

extension ContextCore {
  /// Runs a query: one SQL query in each store, and the unsaved objects in memory.
  func run<Model: PersistentModel>(_ query: ValueQuery<Model>) throws {
    try prepareToFetch()
    let bindings = try container.existingBindings(of: Model.self)
    do {
      do { for binding in bindings { try run(query, binding, isOnly: bindings.count == 1) } } catch is SumOverflow {
        // The sum of single values names the property and its type.
        query.restart()
        for binding in bindings { try run(query, binding, isOnly: bindings.count == 1, addsInStore: false) }
      }
    } catch is ValueNeedsObject {
      query.restart()
      for object in try fetch(query.descriptor) { try query.add(object) }
    }
  }

  private func run<Model: PersistentModel>(
    _ query: ValueQuery<Model>, _ binding: EntityBinding, isOnly: Bool, addsInStore: Bool = true
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
    let isComplete = isOnly && pending == nil && !plan.filtersInMemory
    let (form, values, groups) = addsInStore ? columns.selected(isComplete: isComplete) : (.object, columns.read, [])
    // Without any column, each row counts.
    var request = ValueRequest(
      entityName: plan.request.entityName, predicate: predicate,
      values: values.isEmpty ? [.constant(.integer(1))] : values, groups: groups)
    if plan.filtersInMemory { request.certainty = .certain }
    try forEachRow(of: request, engine, store) { try query.addRow(&$0, form) }
    for object in wanted { try query.add(object) }
  }

  /// The expressions of a query in a store.
  private struct Columns {
    private let key: [FetchExpression]
    private var aggregates: [Aggregate] = []

    private struct Aggregate {
      /// The value of the property; empty without a property.
      let value: [FetchExpression]
      /// The values that the store computes of a group; `nil` if it cannot.
      let inGroup: [FetchExpression]?
      let isMergeable: Bool
    }

    /// - Returns: `nil` if the store cannot give a value.
    init?<Model: PersistentModel>(_ query: ValueQuery<Model>, _ store: OpenStore) {
      func column(_ property: PartialKeyPath<Model>?) -> [FetchExpression]? {
        guard let property else { return [] }
        return ValueColumn(property, of: Model.self, in: store).map { [$0.expression] }
      }
      guard let key = column(query.key) else { return nil }
      self.key = key
      for (index, property) in query.properties.enumerated() {
        guard let value = column(property) else { return nil }
        aggregates.append(
          Aggregate(
            value: value, inGroup: query.inGroups[index]?(value.first ?? .constant(.null)),
            isMergeable: query.isMergeable[index]))
      }
    }

    /// The values that are read of the rows.
    var read: [FetchExpression] { key + aggregates.flatMap(\.value) }

    /// What is selected, and by what it is grouped.
    ///
    /// - Parameter isComplete: whether no results are merged with those of the store.
    func selected(isComplete: Bool) -> (form: ValueRowForm, values: [FetchExpression], groups: [FetchExpression]) {
      let inGroups = aggregates.compactMap(\.inGroup)
      guard inGroups.count == aggregates.count else { return (.object, read, []) }
      if isComplete { return (.group, key + inGroups.joined(), key) }
      return (
        .groupOfValues, key + aggregates.flatMap { $0.isMergeable ? $0.inGroup ?? [] : $0.value },
        key + aggregates.filter { !$0.isMergeable }.flatMap(\.value)
      )
    }
  }

  /// Passes each row of a request to a closure.
  ///
  /// - Throws: the closure's error and ``SumOverflow`` as they are.
  func forEachRow(
    of request: ValueRequest, _ engine: some ValueEngine, _ store: OpenStore,
    _ body: (inout _RowReader) throws -> Void
  ) throws {
    var problem: (any Error)?
    do {
      try store.reporting { _ in
        do {
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
        } catch let error as SumOverflow {
          problem = error
          throw error
        }
      }
    } catch {
      // Not an error of the engine.
      throw problem ?? error
    }
  }
}
