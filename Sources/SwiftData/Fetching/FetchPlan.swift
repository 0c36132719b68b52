internal import CoreDataStore
internal import Foundation

/// A descriptor made ready: what the store is asked, and what is left to do with the rows it gives.
///
/// The request has no columns; the context adds those it needs. Where filtering or sorting is left to do, the request has no
/// limit and no offset either: they apply to what is left after it.
struct FetchPlan<Model: PersistentModel> {
  let descriptor: FetchDescriptor<Model>
  let request: FetchRequest
  /// The relationships whose objects are to be loaded with the fetch: persistent names along each path.
  let prefetchedRelationships: [[String]]
  /// Persistent names of the properties that the descriptor asks for; all of them if `nil`.
  let selectedProperties: [String]?
  /// Whether the store's order is not the wanted one.
  let sortsInMemory: Bool
  /// What the store could not evaluate, to be asked of each object that it selects; `nil` if it evaluates everything.
  private let remainder: InMemoryEvaluation<Model>?

  /// Makes a descriptor ready.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor`` or
  ///   ``SwiftDataError/unsupportedKeyPath``, with the part that is not supported.
  init(_ descriptor: FetchDescriptor<Model>, resolver: any ModelResolver, allowsInMemory: Bool = true) throws {
    self.descriptor = descriptor
    let entityName = try rethrowing(.unsupportedPredicate, "\(Model.self)") { try resolver.entityName(of: Model.self) }
    let lowering = try rethrowing(.unsupportedPredicate, entityName) {
      let lowering = try descriptor.predicate.map { try PredicateLowering($0, resolver: resolver) }
      if !allowsInMemory, let problem = lowering?.remainder.first?.problem { throw problem }
      return lowering
    }
    let remainder = lowering?.remainder.map(\.expression) ?? []
    self.remainder = try rethrowing(.unsupportedPredicate, entityName) {
      guard let predicate = descriptor.predicate, !remainder.isEmpty else { return nil }
      return try InMemoryEvaluation(remainder, of: predicate.variable)
    }
    let terms = try descriptor.sortBy.map { sort in
      try rethrowing(.unsupportedSortDescriptor, entityName) { try SortLowering(sort, resolver: resolver).term }
    }
    sortsInMemory = terms.contains { $0 == nil }
    if sortsInMemory, !allowsInMemory {
      throw SwiftDataError(
        .unsupportedSortDescriptor,
        "the objects of \(entityName) cannot be sorted by the store as asked — sort by persisted properties")
    }
    let isComplete = self.remainder == nil && !sortsInMemory
    request = FetchRequest(
      entityName: entityName, predicate: lowering?.condition,
      sortTerms: sortsInMemory ? [] : terms.compactMap(\.self),
      limit: isComplete ? descriptor.fetchLimit : nil, offset: isComplete ? descriptor.fetchOffset : nil)
    prefetchedRelationships = try rethrowing(.unsupportedKeyPath, entityName) {
      try descriptor.relationshipKeyPathsForPrefetching.map { try resolver.relationship($0, of: Model.self) }
    }
    selectedProperties = try rethrowing(.unsupportedKeyPath, entityName) {
      let names = try descriptor.propertiesToFetch.map { try resolver.property($0, of: Model.self) }
      return names.isEmpty ? nil : names
    }
  }

  /// Persistent names of the properties to load at once, with those that sorting and prefetching read; all of them if `nil`,
  /// as where the store does not decide alone.
  var propertiesToLoad: [String]? {
    guard let selectedProperties, !filtersInMemory, !sortsInMemory else { return nil }
    let sorted = request.sortTerms.compactMap { term -> String? in
      if case .attribute(let path, let name, _) = term.expression { path.relationships.first ?? name } else { nil }
    }
    return selectedProperties + sorted + prefetchedRelationships.compactMap(\.first)
  }

  /// Whether the store selects objects that are not wanted.
  var filtersInMemory: Bool { remainder != nil }

  /// Whether an object that the store has selected is wanted.
  func isWanted(_ object: Model) throws -> Bool {
    guard let remainder else { return true }
    return try rethrowing(.unsupportedPredicate, request.entityName) { try remainder.matches(object) }
  }

  /// Evaluates the whole predicate for objects that the store does not know, or does not know as they are now.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate`` for a predicate that cannot be evaluated in memory.
  func evaluation() throws -> (Model) throws -> Bool {
    guard let predicate = descriptor.predicate else { return { _ in true } }
    let entityName = request.entityName
    let evaluation = try rethrowing(.unsupportedPredicate, entityName) {
      try InMemoryEvaluation([predicate.expression], of: predicate.variable)
    }
    return { object in try rethrowing(.unsupportedPredicate, entityName) { try evaluation.matches(object) } }
  }

  /// How the descriptor orders two objects; objects it does not part keep the store's order, new ones come last.
  func order(_ left: Model, _ right: Model) -> ComparisonResult {
    for sort in descriptor.sortBy {
      let result = sort.compare(left, right)
      if result != .orderedSame { return result }
    }
    return .orderedSame
  }

  /// Filters, sorts and cuts what the store has selected, as far as that is left to do.
  func finish(_ objects: [Model]) throws -> [Model] {
    guard filtersInMemory || sortsInMemory else { return objects }
    var result = try objects.filter(isWanted)
    if sortsInMemory { result = sorted(result) }
    return slice(result)
  }

  /// Objects in the descriptor's order; those it does not part stay in the order they have.
  func sorted(_ objects: [Model]) -> [Model] {
    descriptor.sortBy.isEmpty ? objects : objects.sorted { order($0, $1) == .orderedAscending }
  }

  /// The part of all the objects that offset and limit ask for.
  func slice(_ objects: [Model]) -> [Model] {
    let rest = objects.dropFirst(max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit >= 0 else { return Array(rest) }
    return Array(rest.prefix(limit))
  }
}

/// Phrases what was found out about a descriptor as an error of SwiftData.
private func rethrowing<Result>(
  _ kind: SwiftDataError.Kind, _ entityName: String, _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let problem as UnsupportedExpression {
    throw SwiftDataError(kind, problem.explanation(entityName: entityName))
  } catch let error as SwiftDataError {
    throw error
  } catch {
    throw SwiftDataError(
      kind, "evaluating the predicate on \(entityName) in memory failed", underlyingError: error)
  }
}

extension ModelResolver {
  /// The names of the relationships that a key path leads along.
  fileprivate func relationship<Model>(_ keyPath: PartialKeyPath<Model>, of type: any PersistentModel.Type) throws
    -> [String]
  {
    try route(of: keyPath, from: type).map { step in
      switch step {
      case .toOne(let name, _), .toMany(let name, _): return name
      default: throw UnsupportedExpression(sketch: sketch(keyPath), reason: "it is not a relationship")
      }
    }
  }

  /// The name of the persisted property that a key path leads to.
  fileprivate func property<Model>(_ keyPath: PartialKeyPath<Model>, of type: any PersistentModel.Type) throws -> String
  {
    switch try route(of: keyPath, from: type).first {
    case .attribute(let name, _, _), .composite(let name, _, _), .toOne(let name, _), .toMany(let name, _): return name
    case .identifier, nil:
      throw UnsupportedExpression(sketch: sketch(keyPath), reason: "it is not a persisted property")
    }
  }
}
