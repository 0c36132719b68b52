internal import Foundation
internal import StoreRequests

/// The descriptor and the sections of live results, and the facts about the descriptor that the results need.
struct LiveQuery<Model: PersistentModel, Title: Hashable> {
  /// The descriptor that the client gave.
  var original: FetchDescriptor<Model>
  let sectioning: Sectioning<Model, Title>?
  /// The values that ``prepare(_:)`` computes.
  private var prepared: Prepared?

  private struct Prepared {
    let plan: FetchPlan<Model>
    let binding: EntityBinding
    let dependencies: ResultDependencies
    var isIncremental: Bool
    let evaluation: (Model) throws -> Bool
    /// The order of objects within a section whose title stands for several values; `nil` if no title does.
    let sectionOrder: DescriptorOrder<Model>?
  }

  init(_ descriptor: FetchDescriptor<Model>, _ sectioning: Sectioning<Model, Title>?) {
    original = descriptor
    self.sectioning = sectioning
  }

  /// The descriptor that is fetched: with the order of the sections before its own.
  var descriptor: FetchDescriptor<Model> {
    guard let sectioning else { return original }
    var sorted = original
    sorted.sortBy = sectioning.order(before: original.sortBy)
    return sorted
  }

  /// Returns the title of an object's section; `nil` without sections.
  var title: ((Model) -> Title)? { sectioning?.title }

  /// Whether sections are consecutive in the descriptor's order; if not, objects are grouped in memory.
  ///
  /// A fetch without unsaved changes has the order of the rows, but the titles come from the objects.
  var isSorted: Bool { sectioning.map { $0.isSorted && includesPendingChanges } ?? true }

  var includesPendingChanges: Bool { original.includePendingChanges }

  /// Prepares the query for a context.
  ///
  /// - Throws: ``SwiftDataError``: `unsupportedPredicate`, `unsupportedSortDescriptor`, `unknownSchema`.
  mutating func prepare(_ core: ContextCore) throws {
    let bindings = try core.container.existingBindings(of: Model.self)
    guard let binding = bindings.first else { return }
    let descriptor = descriptor
    let plan = try FetchPlan(descriptor, resolver: StoreResolver(store: core.store(binding.tag)))
    var dependencies = ResultDependencies()
    for binding in bindings {
      dependencies.formUnion(ResultDependencies(of: descriptor, title: sectioning?.keyPath, binding, core))
    }
    prepared = Prepared(
      plan: plan, binding: binding,
      dependencies: dependencies,
      isIncremental: bindings.count == 1 && descriptor.includePendingChanges && descriptor.fetchLimit == nil
        && (descriptor.fetchOffset ?? 0) <= 0 && descriptor.search == nil,
      evaluation: plan.evaluation(),
      sectionOrder: sectioning?.isSameValue == nil ? nil : DescriptorOrder(original.sortBy))
  }

  var dependencies: ResultDependencies { prepared?.dependencies ?? ResultDependencies() }

  /// Whether changed objects can be merged into the results without a fetch.
  var isIncremental: Bool { prepared?.isIncremental ?? false }

  /// Makes each update fetch, because memory cannot evaluate the predicate.
  mutating func refuseMerging() { prepared?.isIncremental = false }

  /// Whether the predicate selects an object.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` if memory cannot evaluate it.
  func isSelected(_ object: Model) throws -> Bool { try prepared?.evaluation(object) ?? false }

  /// The order of a fetch: by the sort descriptors, then by key; new objects last, in the order of their insertion.
  ///
  /// A section whose title stands for several values, as an empty title for `nil` too, has the order that the client gave.
  func isBefore(_ left: Model, _ right: Model) -> Bool {
    var order = prepared?.plan.order(left, right) ?? .orderedSame
    if order != .orderedSame, let own = prepared?.sectionOrder, isOneSectionOfSeveralValues(left, right) {
      order = own(left, right)
    }
    switch order {
    case .orderedAscending: return true
    case .orderedDescending: return false
    case .orderedSame:
      switch (left._$state.key, right._$state.key) {
      case (0, 0): return left._$state.place < right._$state.place
      case (0, _): return false
      case (_, 0): return true
      case (let first, let second): return first < second
      }
    }
  }

  private func isOneSectionOfSeveralValues(_ left: Model, _ right: Model) -> Bool {
    guard let sectioning, let isSameValue = sectioning.isSameValue else { return false }
    return !isSameValue(left, right) && sectioning.title(left) == sectioning.title(right)
  }

  /// Sorts fetched objects where the fetch states no complete order, so that later changes can be merged; and sections whose titles
  /// stand for several values.
  func inOrder(_ objects: [Model]) -> [Model] { sortingSections(of: inFetchedOrder(objects)) }

  /// Brings each section with several values into the order of its objects.
  private func sortingSections(of objects: [Model]) -> [Model] {
    guard isSorted, let sectioning, let isSameValue = sectioning.isSameValue else { return objects }
    var objects = objects
    var start = 0
    while start < objects.count {
      var end = start + 1
      var isMixed = false
      while end < objects.count {
        if !isSameValue(objects[end - 1], objects[end]) {
          guard sectioning.title(objects[end - 1]) == sectioning.title(objects[end]) else { break }
          isMixed = true
        }
        end += 1
      }
      if isMixed { objects[start..<end].sort(by: isBefore) }
      start = end
    }
    return objects
  }

  private func inFetchedOrder(_ objects: [Model]) -> [Model] {
    guard let prepared, prepared.isIncremental, prepared.plan.sortsInMemory || prepared.plan.descriptor.sortBy.isEmpty
    else { return objects }
    let isOrdered = zip(objects, objects.dropFirst()).allSatisfy { !isBefore($1, $0) }
    return isOrdered ? objects : objects.sorted(by: isBefore)
  }

  /// Loads the objects of rows that other contexts saved. Cost: one query for each entity.
  func load(_ rows: Set<ObjectKey>, _ core: ContextCore) throws -> [Model] {
    guard !rows.isEmpty else { return [] }
    return try Dictionary(grouping: rows, by: \.entity).sorted { $0.key < $1.key }.flatMap { tag, rows -> [Model] in
      guard let binding = core.binding(tag) else { return [] }
      let keys = rows.map { ObjectKey(entity: EntityTag.entity(tag), key: $0.key) }.sorted { $0.key < $1.key }
      return try core.load(keys, of: binding).compactMap { downcast($0, to: Model.self) }
    }
  }
}
