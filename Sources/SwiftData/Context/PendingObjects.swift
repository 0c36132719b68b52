internal import CoreDataStore
internal import Foundation

/// The unsaved objects that a fetch has to take into account, and how they join what the store selects.
///
/// Pending objects of the class, and rows from which a path of the request leads to a pending object, are decided in memory; the
/// store decides all others. It is asked for as many rows more as it does not decide, these are passed over, and both are merged
/// in the descriptor's order, then cut.
struct PendingObjects<Model: PersistentModel> {
  private let plan: FetchPlan<Model>
  /// New and changed objects of the class that may be wanted.
  private let candidates: [Model]
  /// The rows of the class that are changed or deleted here.
  private let pendingRows: [ObjectKey]
  /// The condition on rows from which a path leads to a pending object; `nil` if there are none.
  private let touching: FetchExpression?

  /// - Returns: `nil` if nothing that is pending can touch the result.
  init?(_ plan: FetchPlan<Model>, _ core: ContextCore, _ binding: EntityBinding) {
    self.plan = plan
    core.unit.lookup.update(
      inserted: core.unit.inserted, changed: core.unit.changed, deleted: core.unit.deleted)
    let entities = core.pendingEntities(of: binding.tag)
    var live: [any PersistentModel] = []
    var rows: [ObjectKey] = []
    let wanted = plan.request.predicate?.equality
    for entity in entities {
      let all = core.unit.lookup.live(entity)
      rows += (all + core.unit.lookup.deleted(entity)).compactMap { $0._$state.rowKey }
      if let wanted, let property = core.binding(entity)?.index(of: wanted.name) {
        live += core.unit.lookup.live(entity, with: wanted.value, at: property)
      } else {
        live += all
      }
    }
    candidates = live.inOrderOfArrival.compactMap { downcast($0, to: Model.self) }
    pendingRows = rows
    touching = Self.touching(plan.request, core, binding)
    if candidates.isEmpty, rows.isEmpty, touching == nil { return nil }
  }

  /// The condition on rows from which a path of a request leads to an object that is deleted, or of which a property that the
  /// request reads there is changed.
  ///
  /// Terms of the predicate that lead nowhere of the kind have to hold as well: the store decides them for every row.
  private static func touching(
    _ request: FetchRequest, _ core: ContextCore, _ binding: EntityBinding
  ) -> FetchExpression? {
    func conditions(_ expressions: [FetchExpression]) -> [FetchExpression] {
      let places = RequestPlaces(expressions)
      return places.others.compactMap { place in
        let entity = places.entity(at: place, from: binding.tag, core)
        let keys = core.pendingRows(of: entity, besides: binding.tag, reading: places.properties[place] ?? [])
        return keys.isEmpty ? nil : places.condition(thatAnyOf: keys, standsAt: place)
      }
    }
    var touching = conditions(request.sortTerms.map(\.expression))
    var others: [FetchExpression] = []
    for term in request.predicate?.conjuncts ?? [] {
      let condition = conditions([term])
      touching += condition
      if condition.isEmpty { others.append(term) }
    }
    return touching.isEmpty ? nil : .conjunction([.disjunction(touching)] + others)
  }

  // MARK: Results

  /// What the store does not decide: the wanted objects, in order, and how to tell the rows it does not decide.
  struct Decisions {
    let wanted: [Model]
    /// Objects that lead to pending ones.
    fileprivate let touched: [Model]
    /// How many rows at most are not decided by the store.
    let rowCount: Int
  }

  /// Decides in memory; `load` gives the objects of a request.
  func decide(_ load: (FetchRequest) throws -> [Model]) throws -> Decisions {
    var touched: [Model] = []
    if let touching {
      let request = FetchRequest(entityName: plan.request.entityName, predicate: touching)
      touched = try load(request).filter { !isPending($0) }
    }
    let open = candidates + touched
    return Decisions(
      wanted: open.isEmpty ? [] : try open.filter(plan.evaluation()).sorted(by: isBefore),
      touched: touched, rowCount: pendingRows.count + touched.count)
  }

  /// The result of the fetch; `load` gives the objects of a request, whole ones if it is told so.
  func merged(_ load: (_ request: FetchRequest, _ isWhole: Bool) throws -> [Model]) throws -> [Model] {
    let decisions = try decide { try load($0, true) }
    let touched = Set(decisions.touched.map { ObjectIdentifier($0) })
    let rows = try load(request(besides: decisions), plan.sortsInMemory).filter {
      try !isPending($0) && !touched.contains(ObjectIdentifier($0)) && plan.isWanted($0)
    }
    if plan.sortsInMemory { return plan.slice((rows + decisions.wanted).sorted(by: isBefore)) }
    var merge = OrderedMerge(decisions.wanted, isBefore: isBefore)
    return plan.slice(merge.merged(rows) + merge.rest)
  }

  /// The number of objects that the descriptor asks for; `count` gives the number of rows of a request.
  func count(
    _ count: (FetchRequest) throws -> Int, _ load: (FetchRequest) throws -> [Model]
  ) throws -> Int {
    let decisions = try decide(load)
    var request = plan.request
    request.limit = nil
    request.offset = nil
    var total = try count(request)
    var undecided: [FetchExpression] = touching.map { [$0] } ?? []
    if !pendingRows.isEmpty { undecided.append(.objectMembership(FetchPath(), pendingRows)) }
    if !undecided.isEmpty {
      request.predicate = .conjunction([.disjunction(undecided)] + (request.predicate.map { [$0] } ?? []))
      total -= try count(request)
    }
    return plan.sliceCount(max(0, total) + decisions.wanted.count)
  }

  /// The request for the rows that the store decides, in the descriptor's order, with as many more as it may have to pass over.
  func request(besides decisions: Decisions) -> FetchRequest {
    var request = plan.request
    if let limit = request.limit, limit >= 0 {
      request.limit = limit + max(0, request.offset ?? 0) + decisions.rowCount
    }
    request.offset = nil
    if request.sortTerms.isEmpty { request.sortTerms = [SortTerm(expression: .object(FetchPath()))] }
    return request
  }

  /// The rows that the store does not decide.
  func rows(of decisions: Decisions) -> Set<ObjectKey> {
    Set(pendingRows + decisions.touched.compactMap { $0._$state.rowKey })
  }

  private func isPending(_ object: Model) -> Bool {
    switch object._$state.status {
    case .inserted, .changed, .deleted, .orphaned: true
    case .clean, .fault, .detached: false
    }
  }

  /// The descriptor's order; objects it does not part are in the order of their keys, new ones last.
  func isBefore(_ left: Model, _ right: Model) -> Bool {
    switch plan.order(left, right) {
    case .orderedAscending: return true
    case .orderedDescending: return false
    case .orderedSame:
      let keys = (left._$state.key, right._$state.key)
      return keys.0 != 0 && (keys.1 == 0 || keys.0 < keys.1)
    }
  }
}

/// Puts objects among others that come in parts, both in one order. Cost: logarithmic for each of the objects.
struct OrderedMerge<Model: PersistentModel> {
  private let objects: [Model]
  private let isBefore: (Model, Model) -> Bool
  private var next = 0

  init(_ objects: [Model], isBefore: @escaping (Model, Model) -> Bool) {
    self.objects = objects
    self.isBefore = isBefore
  }

  /// The next part of the others, with the objects that belong before one of them.
  mutating func merged(_ rows: [Model]) -> [Model] {
    guard next < objects.count else { return rows }
    var result: [Model] = []
    result.reserveCapacity(rows.count + objects.count - next)
    var start = 0
    while next < objects.count {
      let end = firstIndex(in: rows, from: start, after: objects[next])
      result += rows[start..<end]
      start = end
      guard end < rows.count else { break }
      result.append(objects[next])
      next += 1
    }
    return result + rows[start...]
  }

  /// The objects that belong after all others.
  var rest: ArraySlice<Model> { objects[next...] }

  private func firstIndex(in rows: [Model], from start: Int, after object: Model) -> Int {
    var (low, high) = (start, rows.count)
    while low < high {
      let middle = (low + high) / 2
      if isBefore(object, rows[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension ContextCore {
  /// The entities of pending objects that are of an entity, as tags.
  fileprivate func pendingEntities(of entity: Int32) -> [Int32] {
    let store = store(entity)
    return unit.lookup.entities.filter { other in
      EntityTag.store(other) == store.index
        && store.isKind(EntityTag.entity(other), of: EntityTag.entity(entity))
    }
  }

  /// The rows of an entity that are deleted here, or of which one of some properties is changed; of any entity if `nil`.
  fileprivate func pendingRows(of entity: Int32?, besides other: Int32, reading names: Set<String>) -> [ObjectKey] {
    let entities =
      entity.map { pendingEntities(of: $0) }
      ?? unit.lookup.entities.filter { EntityTag.store($0) == EntityTag.store(other) }
    return entities.flatMap { entity in
      let properties = names.compactMap { binding(entity)?.index(of: $0) }
      let changed = unit.lookup.live(entity).filter { object in properties.contains { object._$state.isChanged($0) } }
      return (changed + unit.lookup.deleted(entity)).compactMap { $0._$state.rowKey }
    }
  }
}

extension [any PersistentModel] {
  /// New objects before changed ones, each in the order in which they came, none twice.
  fileprivate var inOrderOfArrival: [any PersistentModel] {
    guard count > 1 else { return self }
    var known: Set<ObjectIdentifier> = []
    func rank(_ object: any PersistentModel) -> (Int, Int32) {
      (object._$state.status == .inserted ? 0 : 1, object._$state.place)
    }
    return filter { known.insert(ObjectIdentifier($0)).inserted }.sorted { rank($0) < rank($1) }
  }
}

extension FetchExpression {
  /// The conditions that all have to hold.
  fileprivate var conjuncts: [FetchExpression] {
    if case .and(let parts) = self { parts.flatMap(\.conjuncts) } else { [self] }
  }

  /// A condition that a value of the fetched row has to be equal to a constant, if there is one that has to hold.
  fileprivate var equality: (name: String, value: StoreValue)? {
    for condition in conjuncts {
      switch condition {
      case .comparison(.equal, .attribute(FetchPath(), let name, []), .constant(let value)),
        .comparison(.equal, .constant(let value), .attribute(FetchPath(), let name, [])):
        if value != .null { return (name, value) }
      default: break
      }
    }
    return nil
  }
}
