internal import Foundation
internal import FoundationAdditions
internal import StoreRequests

/// A descriptor split into a request to the store and the work left to do in memory.
///
/// The request has no columns; the context adds the columns it needs. If filtering or sorting happens in memory, the
/// request has no limit and no offset; ``slice(_:)`` applies them afterwards.
struct FetchPlan<Model: PersistentModel> {
  let descriptor: FetchDescriptor<Model>
  private(set) var request: FetchRequest
  /// What the store can do of a request.
  let capabilities: StoreCapabilities
  /// The relationships whose objects are loaded with the fetch: stored names along each path.
  let prefetchedRelationships: [[String]]
  /// Stored names of the properties that the descriptor selects; all of them if `nil`.
  let selectedProperties: [String]?
  /// Whether the store cannot sort as wanted, so that the objects are sorted in memory.
  let sortsInMemory: Bool
  /// Stored names of the properties that the order reads; `nil` if it reads values that are computed.
  private let sortedProperties: [String]?
  private let descriptorOrder: DescriptorOrder<Model>
  /// The part of the predicate that the store cannot evaluate; `nil` if the store evaluates all of it.
  private let remainder: InMemoryEvaluation<Model>?
  /// Whether the request has all parts of the predicate. The store may decide about some of them only in part.
  let hasWholeCondition: Bool

  /// Splits a descriptor into the store's part and the part left for memory.
  ///
  /// - Throws: ``SwiftDataError/unsupportedPredicate``, ``SwiftDataError/unsupportedSortDescriptor`` or
  ///   ``SwiftDataError/unsupportedKeyPath``, with the part that is not supported.
  init(_ descriptor: FetchDescriptor<Model>, resolver: any ModelResolver, allowsInMemory: Bool = true) throws {
    self.descriptor = descriptor
    descriptorOrder = DescriptorOrder(descriptor.sortBy)
    let entityName = try rethrowing(.unsupportedPredicate, "\(Model.self)") { try resolver.entityName(of: Model.self) }
    let capabilities = resolver.capabilities
    self.capabilities = capabilities
    let lowering = try rethrowing(.unsupportedPredicate, entityName) {
      let lowering = try descriptor.predicate.map { predicate in
        capabilities.contains(.filter)
          ? try PredicateLowering(predicate, resolver: resolver) : PredicateLowering(inMemory: predicate)
      }
      if !allowsInMemory, let problem = lowering?.remainder.first?.problem { throw problem }
      return lowering
    }
    let remainder = lowering?.remainder.map(\.expression) ?? []
    self.remainder = descriptor.predicate.flatMap { predicate in
      remainder.isEmpty ? nil : InMemoryEvaluation(remainder, of: predicate.variable)
    }
    hasWholeCondition = lowering?.hasWholeCondition ?? true
    let search = try Self.searchCondition(descriptor, entityName, resolver)
    let terms = try descriptor.sortBy.map { sort in
      guard capabilities.contains(.sort) else { return SortTerm?.none }
      return try rethrowing(.unsupportedSortDescriptor, entityName, .order) {
        let term = try SortLowering(sort, resolver: resolver).term
        return try term.flatMap { try resolver.sorts(by: $0, Model.self) ? $0 : nil }
      }
    }
    sortsInMemory = terms.contains { $0 == nil }
    if sortsInMemory, !allowsInMemory {
      throw SwiftDataError(
        .unsupportedSortDescriptor,
        "the objects of \(entityName) cannot be sorted by the store as asked — sort by persisted properties")
    }
    sortedProperties = try? descriptor.sortBy.map { try Self.firstProperty(of: $0, resolver) }
    let isComplete = self.remainder == nil && !sortsInMemory
    request = FetchRequest(
      entityName: entityName, predicate: lowering?.condition, search: search,
      sortTerms: sortsInMemory ? [] : terms.compactMap(\.self),
      limit: isComplete ? descriptor.fetchLimit : nil, offset: isComplete ? descriptor.fetchOffset : nil)
    prefetchedRelationships = try rethrowing(.unsupportedKeyPath, entityName, .prefetching) {
      try descriptor.relationshipKeyPathsForPrefetching.map { try resolver.relationship($0, of: Model.self) }
    }
    selectedProperties = try rethrowing(.unsupportedKeyPath, entityName, .propertiesToFetch) {
      let names = try descriptor.propertiesToFetch.map { try resolver.property($0, of: Model.self) }
      return names.isEmpty ? nil : names
    }
  }

  private static func searchCondition(
    _ descriptor: FetchDescriptor<Model>, _ entityName: String, _ resolver: any ModelResolver
  ) throws -> TextCondition? {
    guard let search = descriptor.search else { return nil }
    guard resolver.capabilities.contains(.search) else {
      throw SwiftDataError(
        .unsupportedPredicate,
        "The store of \(entityName) has no full-text search: filter with a predicate instead.")
    }
    var weights: [String: Double] = [:]
    for (property, weight) in search.weights {
      let name = try resolver.searchedProperty(property, of: Model.self)
      guard weight.isFinite, weight >= 0 else {
        throw SwiftDataError(
          .unsupportedKeyPath,
          "The weight \(weight) of the property \(entityName).\(name) is no finite number of at least 0.")
      }
      weights[name] = weight
    }
    var condition = search.condition(
      try search.properties.map { try resolver.searchedProperty($0, of: Model.self) }, weights: weights)
    condition.isRanked = descriptor.sortBy.isEmpty
    return condition
  }

  /// Stored names of the properties to load at once, including properties that sorting and prefetching read.
  ///
  /// `nil` loads all properties, which filtering in memory needs, and sorting by computed values.
  var propertiesToLoad: [String]? {
    guard let selectedProperties, let sortedProperties, !filtersInMemory else { return nil }
    return selectedProperties + sortedProperties + prefetchedRelationships.compactMap(\.first)
  }

  /// The properties to load at first if memory sorts, and the descriptor wants a part of the objects only; else `nil`.
  ///
  /// The objects of the part are then loaded by their keys.
  var propertiesToSort: [String]? {
    let wantsPart = (descriptor.fetchLimit ?? -1) >= 0 || (descriptor.fetchOffset ?? 0) > 0
    return sortsInMemory && !filtersInMemory && wantsPart ? sortedProperties : nil
  }

  /// The plan for the rows of the store that do not satisfy any of some conditions.
  func excluding(_ conditions: [FetchExpression]) -> FetchPlan {
    guard !conditions.isEmpty else { return self }
    var plan = self
    plan.request.predicate = .conjunction((request.predicate.map { [$0] } ?? []) + conditions.map { .not($0) })
    return plan
  }

  /// The property of the fetched class that a sort descriptor's key path begins with.
  private static func firstProperty(of sort: SortDescriptor<Model>, _ resolver: any ModelResolver) throws -> String {
    switch try sort.keyPath.flatMap({ try resolver.route(of: $0, from: Model.self).first }) {
    case .attribute(let name, _, _)?, .composite(let name, _, _)?, .toOne(let name, _)?, .toMany(let name, _)?:
      return name
    case .identifier?, nil: throw UnsupportedExpression(sketch: "SortDescriptor", reason: "it reads no property")
    }
  }

  /// Whether the store's result is in the order of relevance, which only the store knows.
  var isRanked: Bool { request.search != nil && descriptor.sortBy.isEmpty }

  /// Whether the store's result may contain objects that the predicate does not select.
  var filtersInMemory: Bool { remainder != nil }

  /// Whether an object of the store's result satisfies the part of the predicate that the store cannot evaluate.
  func isWanted(_ object: Model) throws -> Bool {
    guard let remainder else { return true }
    return try rethrowing(.unsupportedPredicate, request.entityName) { try remainder.matches(object) }
  }

  /// Evaluates the whole predicate in memory, for new and changed objects.
  ///
  /// The function throws ``SwiftDataError/unsupportedPredicate`` for a predicate that cannot be evaluated in memory.
  func evaluation() -> (Model) throws -> Bool {
    guard let predicate = descriptor.predicate else { return { _ in true } }
    let entityName = request.entityName
    let evaluation = InMemoryEvaluation([predicate.expression], of: predicate.variable)
    return { object in try rethrowing(.unsupportedPredicate, entityName) { try evaluation.matches(object) } }
  }

  /// Compares two objects by the descriptor's sort order.
  ///
  /// Objects that compare as equal keep the store's order; unsaved objects come last.
  func order(_ left: Model, _ right: Model) -> ComparisonResult { descriptorOrder(left, right) }

  /// Filters, sorts and slices the store's result, as far as the store did not.
  func finish(_ objects: [Model]) throws -> [Model] {
    guard filtersInMemory || sortsInMemory else { return objects }
    var result = try objects.filter(isWanted)
    if sortsInMemory { result = sortedPart(result) { order($0, $1) == .orderedAscending } }
    return slice(result)
  }

  /// The objects in the descriptor's order; objects that compare as equal keep their order.
  func sorted(_ objects: [Model]) -> [Model] {
    descriptor.sortBy.isEmpty ? objects : objects.sorted(by: descriptorOrder)
  }

  /// The objects up to the end of the part that the offset and the limit select. Only this part is sorted.
  func sortedPart(_ objects: [Model], by isBefore: (Model, Model) -> Bool) -> [Model] {
    guard let limit = descriptor.fetchLimit, limit >= 0 else { return objects.sorted(by: isBefore) }
    let offset = max(0, descriptor.fetchOffset ?? 0)
    return objects.sortedPrefix(limit.addingClamped(offset), from: offset, by: isBefore)
  }

  /// The part of all results that the offset and the limit select.
  func slice<Element>(_ objects: [Element]) -> [Element] {
    let rest = objects.dropFirst(max(0, descriptor.fetchOffset ?? 0))
    guard let limit = descriptor.fetchLimit, limit >= 0 else { return Array(rest) }
    return Array(rest.prefix(limit))
  }
}

/// Rethrows an error about a descriptor as ``SwiftDataError``.
private func rethrowing<Result>(
  _ kind: SwiftDataError.Kind, _ entityName: String, _ part: DescriptorPart = .predicate, _ body: () throws -> Result
) throws -> Result {
  do {
    return try body()
  } catch let problem as UnsupportedExpression {
    throw SwiftDataError(kind, problem.explanation(part, entityName: entityName))
  } catch let error as SwiftDataError {
    throw error
  } catch {
    throw SwiftDataError(
      kind, "evaluating the predicate on \(entityName) in memory failed", underlyingError: error)
  }
}

extension ModelResolver {
  /// The name of the property of a full-text search.
  ///
  /// - Throws: ``SwiftDataError/unsupportedKeyPath``
  func searchedProperty<Model>(_ keyPath: PartialKeyPath<Model>, of type: any PersistentModel.Type) throws -> String {
    guard let route = try? route(of: keyPath, from: type), route.count == 1,
      case .attribute(let name, [], false)? = route.first
    else {
      throw SwiftDataError(
        .unsupportedKeyPath,
        "The property \(type).\(sketch(keyPath)) cannot be in a search index: name stored strings of the class itself.")
    }
    return name
  }

  /// The names of the relationships along a key path.
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
