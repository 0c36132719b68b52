internal import Foundation
internal import StoreRequests

/// The results of a fetch, kept equal to a fresh fetch while objects change.
///
/// It hears each change of its context, and collects the changed objects of its class. ``update()`` evaluates the predicate for
/// them in memory, removes them from their old positions and inserts them at their new ones. It fetches again if a change may affect
/// other objects (``ResultDependencies``), or if the descriptor has a limit, ignores unsaved changes, or reads several stores.
final class LiveResults<Model: PersistentModel, Title: Hashable> {
  let context: ModelContext
  private(set) var query: LiveQuery<Model, Title>
  /// The results in the order of the query's descriptor.
  private(set) var ordered = OrderedResults<Model>()
  private(set) var sections: SectionRuns<Title>?
  /// The results in the order in which clients see them.
  private(set) var list = ResultList<Model>()
  /// Grows whenever ``list`` and ``sections`` are set.
  private(set) var setCount = 0
  /// Called at the first change since the last update; it may be one that affects nothing.
  var onChange: () -> Void = {}
  /// Called after an update with the difference that it made.
  var onUpdate: (ResultsDifference<Model>) -> Void = { _ in }

  /// Objects of the class that may have changed since the last update.
  private var changed: [ObjectIdentifier: Model] = [:]
  /// Rows that other contexts saved and that have no object here.
  private var newRows: Set<ObjectKey> = []
  private var needsFetch = true
  private var hasNoticed = false
  private static var mostRounds: Int { 4 }
  private var core: ContextCore { context.core }

  /// - Throws: ``SwiftDataError``, as a fetch does.
  init(_ query: LiveQuery<Model, Title>, _ context: ModelContext) throws {
    self.context = context
    self.query = query
    try self.query.prepare(core)
    core.inbox.keepInsertions()
    let stream = core.changeStream
    // Not removed by a deinitializer, which may run on another thread.
    stream.addListener(isLost: { [weak self] in self == nil }, hearBatch: { [weak self] in self?.noteBatches() }) {
      [weak self, weak stream] change in
      if let self { hear(change) } else { stream?.noteLostListener() }
    }
    try update()
  }

  /// Replaces the query.
  ///
  /// - Throws: ``SwiftDataError``; the results then stay those of the previous query.
  func replace(_ query: LiveQuery<Model, Title>) throws {
    let previous = self.query
    var query = query
    try query.prepare(core)
    self.query = query
    needsFetch = true
    do {
      try update()
    } catch {
      self.query = previous
      throw error
    }
  }

  /// The position of an object in ``list``; `nil` if it is not a result.
  func position(of object: Model) -> Int? {
    query.isSorted ? ordered.position(of: object) : list.firstIndex { $0 === object }
  }

  // MARK: Changes

  private func hear(_ change: ContextChange) {
    switch change {
    case .inserted(let object), .deleted(let object), .willRefresh(let object): note(object, nil)
    case .willChange(let object, let property): note(object, property)
    case .linked, .replaced, .rolledBack, .willSave: break
    case .saved(let saved):
      for identifier in saved.inserted + saved.updated + saved.refreshed { note(identifier) }
      for identifier in saved.deleted where query.dependencies.hasPaths { note(identifier) }
      if !query.includesPendingChanges { noteFetch() }
    case .merged(let rows): note(rows)
    }
  }

  private func note(_ object: any PersistentModel, _ property: Int?) {
    let tag = object._$state.entity
    let isRoot = query.dependencies.roots.contains(tag)
    let reaches = query.dependencies.reach(tag, property)
    guard isRoot || reaches else { return }
    if isRoot, let model = downcast(object, to: Model.self) { changed[ObjectIdentifier(model)] = model }
    if reaches { needsFetch = true }
    notice()
  }

  /// Notes a saved object: its key orders it among equals, and the save may have merged or computed values.
  ///
  /// An object that is not in memory was changed by SQL, or by the store itself.
  private func note(_ identifier: PersistentIdentifier) {
    guard let row = core.container.row(of: identifier) else { return }
    let object = core.registered(row.tag, row.key)
    if object == nil, query.dependencies.reach(row.tag, nil) { return noteFetch() }
    guard query.dependencies.roots.contains(row.tag) else { return }
    if let object { return note(object, nil) }
    newRows.insert(ObjectKey(entity: row.tag, key: row.key))
    notice()
  }

  /// Notes that a change by a predicate waits for the save; a fetch makes it by objects if it concerns the results.
  private func noteBatches() {
    let written = core.unit.batches.reduce(into: Set<Int32>()) { $0.formUnion($1.scope.written) }
    let dependencies = query.dependencies
    if written.contains(where: { dependencies.roots.contains($0) || dependencies.reach($0, nil) }) { noteFetch() }
  }

  private func note(_ rows: ChangedRows) {
    if !rows.isComplete || !query.includesPendingChanges { return noteFetch() }
    for row in rows.inserted { note(row) }
    for row in rows.updated { note(row) }
    for row in rows.deleted where query.dependencies.reach(row.entity, nil) { noteFetch() }
    if !rows.exclusiveOwners.isEmpty, query.dependencies.areUnknown { noteFetch() }
  }

  private func note(_ row: ObjectKey) {
    if query.dependencies.reach(row.entity, nil) { noteFetch() }
    guard query.dependencies.roots.contains(row.entity) else { return }
    if let object = core.registered(row.entity, row.key) {
      note(object, nil)
    } else {
      newRows.insert(row)
      notice()
    }
  }

  /// Makes the next update fetch.
  func noteFetch() {
    needsFetch = true
    notice()
  }

  private func notice() {
    guard !hasNoticed else { return }
    hasNoticed = true
    onChange()
  }

  // MARK: Updates

  /// Brings the results to the state that a fetch has now.
  ///
  /// Cost: nothing that grows with the number of results, if nothing or little changed.
  /// - Throws: ``SwiftDataError``; the results stay as they were, and the next call tries again.
  func update() throws {
    // A client that reads the results when it hears of a change sees the results before the change.
    guard !core.changeStream.isSending else { return }
    let difference = try core.exclusiveUse.during("updating results") { try updated() }
    if let difference, !difference.isEmpty { onUpdate(difference) }
  }

  private func updated() throws -> ResultsDifference<Model>? {
    try core.prepareToFetch()
    hasNoticed = false
    let before = list
    var total: ResultsDifference<Model>?
    var all: [ObjectIdentifier: Model] = [:]
    // Reading rows may show newer values, which are changes in turn. A fetch after the first round ends this nearly always.
    for round in 1... {
      guard needsFetch || !changed.isEmpty || !newRows.isEmpty, round <= Self.mostRounds else { break }
      let (objects, rows) = (changed, newRows)
      (changed, newRows) = ([:], [])
      let mustFetch = needsFetch || round > 1 || !query.isIncremental || query.dependencies.readMisfits(core)
      needsFetch = false
      all.merge(objects) { first, _ in first }
      do {
        let difference = mustFetch ? try fetch(objects) : try merged(objects, rows)
        total = round == 1 ? difference : self.difference(from: before, updated: all)
      } catch {
        needsFetch = true
        if let total, !total.isEmpty { onUpdate(total) }
        throw error
      }
    }
    return total
  }

  /// Fetches the results again.
  private func fetch(_ changed: [ObjectIdentifier: Model]) throws -> ResultsDifference<Model> {
    let objects = query.inOrder(try core.fetch(query.descriptor))
    let before = list
    ordered = OrderedResults(objects)
    sections = query.isSorted ? query.title.map { title in SectionRuns(objects.lazy.map(title)) } : nil
    show()
    return difference(from: before, updated: changed)
  }

  /// Merges changed objects, or fetches if memory cannot evaluate the predicate or the order.
  private func merged(
    _ changed: [ObjectIdentifier: Model], _ rows: Set<ObjectKey>
  ) throws -> ResultsDifference<Model> {
    let before = list
    do {
      let difference = try merge(changed, rows)
      // The merge may have read the first row whose value does not fit.
      guard query.dependencies.readMisfits(core) else { return difference }
    } catch SwiftDataError.unsupportedPredicate {
      query.refuseMerging()
    }
    _ = try fetch(changed)
    return difference(from: before, updated: changed)
  }

  /// Decides about changed objects in memory, and puts them where they belong.
  private func merge(
    _ changed: [ObjectIdentifier: Model], _ rows: Set<ObjectKey>
  ) throws -> ResultsDifference<Model> {
    var changed = changed
    for object in try query.load(rows, core) { changed[ObjectIdentifier(object)] = object }
    var wanted = try changed.values.filter { try isSelected($0) }
    wanted.sort(by: query.isBefore)
    let before = list
    var old: [ResultPlace<Model>] = []
    for object in changed.values {
      if let position = ordered.position(of: object) { old.append(ResultPlace(element: object, position: position)) }
    }
    old.sort { $0.position < $1.position }
    if old.count + wanted.count > 64 + ordered.list.count / 16 {
      rebuild(besides: changed, wanted)
      return difference(from: before, updated: changed)
    }
    for place in old.reversed() { ordered.remove(at: place.position) }
    var new: [ResultPlace<Model>] = []
    for object in wanted {
      let position = ordered.list.insertionPosition(of: object, query.isBefore)
      ordered.insert(object, at: position)
      new.append(ResultPlace(element: object, position: position))
    }
    if sections != nil, let title = query.title {
      sections?.remove(at: old.map(\.position))
      sections?.insert(new.map { (title($0.element), $0.position) })
    }
    show()
    guard query.isSorted else { return difference(from: before, updated: changed) }
    return ResultsDifference(from: old, to: new, isUpdated: { _ in true }, results: FetchResultsCollection(list))
  }

  /// Merges many changed objects in one pass.
  private func rebuild(besides changed: [ObjectIdentifier: Model], _ wanted: [Model]) {
    let kept = ordered.list.filter { changed[ObjectIdentifier($0)] == nil }
    var merge = OrderedMerge(wanted, isBefore: query.isBefore)
    let objects = merge.merged(kept) + merge.rest
    ordered = OrderedResults(objects)
    if sections != nil, let title = query.title { sections = SectionRuns(objects.lazy.map(title)) }
    show()
  }

  /// Sets the list that clients see.
  private func show() {
    setCount += 1
    if query.isSorted {
      list = ordered.list
    } else if let title = query.title {
      var groups = Groups<Model, Title>()
      for object in ordered.list { groups.add(object, to: title(object)) }
      list = ResultList(groups.elements)
      sections = SectionRuns(list.lazy.map(title))
    }
  }

  /// Whether a fetch selects an object.
  private func isSelected(_ object: Model) throws -> Bool {
    func isHere() -> Bool {
      switch object._$state.status {
      case .inserted: object._$state.owner === core
      // An alias has the row of its original.
      case .changed, .clean, .fault: object._$state.owner === core && core.isObjectOfItsRow(object)
      case .detached, .deleted, .orphaned: false
      }
    }
    // Evaluating may find out that the row is gone.
    return try isHere() && query.isSelected(object) && isHere()
  }

  /// The difference between two states, without knowledge of the changed objects. Cost: linear.
  private func difference(
    from before: ResultList<Model>, updated: [ObjectIdentifier: Model]
  ) -> ResultsDifference<Model> {
    func places(_ list: some Sequence<Model>, _ first: Int) -> [ResultPlace<Model>] {
      list.enumerated().map { ResultPlace(element: $1, position: first + $0) }
    }
    func isUpdated(_ model: Model) -> Bool { updated[ObjectIdentifier(model)] != nil }
    // Objects at the beginning and at the end that stay cost a comparison.
    var start = 0
    let shorter = Swift.min(before.count, list.count)
    while start < shorter, before[start] === list[start], !isUpdated(list[start]) { start += 1 }
    var end = 0
    while end < shorter - start, before[before.count - 1 - end] === list[list.count - 1 - end],
      !isUpdated(list[list.count - 1 - end])
    { end += 1 }
    return ResultsDifference(
      from: places(before.dropFirst(start).dropLast(end), start),
      to: places(list.dropFirst(start).dropLast(end), start),
      isUpdated: isUpdated, results: FetchResultsCollection(list))
  }
}

/// Objects by title, the titles in the order of their first objects.
private struct Groups<Model, Title: Hashable> {
  private var members: [[Model]] = []
  private var places: [Title: Int] = [:]

  mutating func add(_ object: Model, to title: Title) {
    if let place = places[title] {
      members[place].append(object)
    } else {
      places[title] = members.count
      members.append([object])
    }
  }

  var elements: [Model] { members.flatMap(\.self) }
}
