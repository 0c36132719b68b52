public import Foundation

// Initializers with sections by strings.
extension ResultsObserver where SectionTitle == String {
  /// Observes the results of a descriptor in a context, in sections by a string.
  ///
  /// The sections are in the order of their titles; `sortBy` orders the objects within a section.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(fetchDescriptor, Sectioning(sectionBy)), modelContext, isolation)
  }

  /// Observes the results of a descriptor in a container, in sections by a string.
  ///
  /// The sections are in the order of their titles; `sortBy` orders the objects within a section.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(fetchDescriptor, Sectioning(sectionBy)), modelContainer.context(on: isolation), isolation)
  }

  /// Observes the objects that a predicate selects in a context, in sections by a string.
  ///
  /// The sections are in the order of their titles; `sortBy` orders the objects within a section.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy)), modelContext,
      isolation)
  }

  /// Observes the objects that a predicate selects in a container, in sections by a string.
  ///
  /// The sections are in the order of their titles; `sortBy` orders the objects within a section.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy)),
      modelContainer.context(on: isolation), isolation)
  }

  /// Observes the results of a descriptor in a context, in sections by an optional string.
  ///
  /// Objects without a value are in a section with an empty title.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(fetchDescriptor, Sectioning(sectionBy)), modelContext, isolation)
  }

  /// Observes the results of a descriptor in a container, in sections by an optional string.
  ///
  /// Objects without a value are in a section with an empty title.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(fetchDescriptor, Sectioning(sectionBy)), modelContainer.context(on: isolation), isolation)
  }

  /// Observes the objects that a predicate selects in a context, in sections by an optional string.
  ///
  /// Objects without a value are in a section with an empty title.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy)), modelContext,
      isolation)
  }

  /// Observes the objects that a predicate selects in a container, in sections by an optional string.
  ///
  /// Objects without a value are in a section with an empty title.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, String?>, modelContainer: ModelContainer, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy)),
      modelContainer.context(on: isolation), isolation)
  }
}

// Initializers with sections by other values.
extension ResultsObserver {
  /// Observes the results of a descriptor in a context, in sections by a value of any hashable type. Not in Apple's
  /// framework.
  ///
  /// The sections are in the order of the value if it has one, otherwise in the order of their first objects.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(fetchDescriptor, Sectioning(sectionBy)), modelContext, isolation)
  }

  /// Observes the results of a descriptor in a container, in sections by a value of any hashable type. Not in Apple's
  /// framework.
  ///
  /// The sections are in the order of the value if it has one, otherwise in the order of their first objects.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  @_disfavoredOverload
  public convenience init(
    fetchDescriptor: FetchDescriptor<Element> = FetchDescriptor<Element>(),
    sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(fetchDescriptor, Sectioning(sectionBy)), modelContainer.context(on: isolation), isolation)
  }

  /// Observes the objects that a predicate selects in a context, in sections by a value of any hashable type. Not in
  /// Apple's framework.
  ///
  /// The sections are in the order of the value if it has one, otherwise in the order of their first objects.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>, modelContext: ModelContext, isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy)), modelContext,
      isolation)
  }

  /// Observes the objects that a predicate selects in a container, in sections by a value of any hashable type. Not in
  /// Apple's framework.
  ///
  /// The sections are in the order of the value if it has one, otherwise in the order of their first objects.
  ///
  /// - Throws: ``SwiftDataError``, as ``ModelContext/fetch(_:)`` does.
  @_disfavoredOverload
  public convenience init(
    filterBy: Predicate<Element>? = nil, sortBy: [SortDescriptor<Element>]? = nil,
    sectionBy: KeyPath<Element, SectionTitle>, modelContainer: ModelContainer,
    isolation: isolated (any Actor)? = #isolation
  ) throws {
    try self.init(
      LiveQuery(FetchDescriptor(predicate: filterBy, sortBy: sortBy ?? []), Sectioning(sectionBy)),
      modelContainer.context(on: isolation), isolation)
  }
}
