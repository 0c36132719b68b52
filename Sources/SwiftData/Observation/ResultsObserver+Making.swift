public import Foundation

// Initializers without sections.
extension ResultsObserver where SectionTitle == Never {
  /// Observes the results of a descriptor in a context.
  ///
  /// - Parameters:
  ///   - fetchDescriptor: selects and orders the objects.
  ///   - modelContext: has the objects.
  ///   - isolation: the actor of the context; by default the caller's actor.
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(LiveQuery(fetchDescriptor, nil), modelContext, isolation)
  }

  /// Observes the results of a descriptor in a container: in its main context on the main actor, otherwise in a new context.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(), modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(LiveQuery(fetchDescriptor, nil), modelContainer.context(on: isolation), isolation)
  }

  /// Observes the objects that a predicate selects, in an order, in a context.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContext: ModelContext,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil), modelContext, isolation)
  }

  /// Observes the objects that a predicate selects, in an order, in a container; see ``init(fetchDescriptor:modelContainer:isolation:)``.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), nil),
      modelContainer.context(on: isolation), isolation)
  }
}
