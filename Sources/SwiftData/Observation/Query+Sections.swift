public import Foundation

// Sections by strings. Apple: the initializers of `Query` with `sectionBy` (iOS 27).
extension Query where Result == SectionedResults<Element, String> {
  /// All objects that a predicate selects, in an order, in sections by a string.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), Sectioning(sectionBy), modelContext)
  }

  /// The objects of a descriptor, in sections by a string.
  public init(
    _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
  ) {
    self.init(descriptor, Sectioning(sectionBy), modelContext)
  }

  /// The objects that a predicate selects, in the order of a property, in sections by a string.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), Sectioning(sectionBy), modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional property, `nil` first, in sections by a string.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, String>, modelContext: ModelContext? = nil
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), Sectioning(sectionBy), modelContext)
  }

  /// All objects that a predicate selects, in an order, in sections by an optional string; `nil` has an empty title.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), Sectioning(sectionBy), modelContext)
  }

  /// The objects of a descriptor, in sections by an optional string; `nil` has an empty title.
  public init(
    _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) {
    self.init(descriptor, Sectioning(sectionBy), modelContext)
  }

  /// The objects that a predicate selects, in the order of a property, in sections by an optional string; `nil` has an empty title.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), Sectioning(sectionBy), modelContext)
  }

  /// The objects that a predicate selects, in sections by an optional string.
  ///
  /// They are in the order of an optional property, `nil` first. The section of `nil` has an empty title.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, String?>, modelContext: ModelContext? = nil
  ) {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), Sectioning(sectionBy), modelContext)
  }
}

// Sections by values of other types. Not in Apple's framework.
extension Query {
  /// All objects that a predicate selects, in an order, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable>(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title> {
    self.init(FetchDescriptor(predicate: filter, sortBy: descriptors), Sectioning(sectionBy), modelContext)
  }

  /// The objects of a descriptor, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable>(
    _ descriptor: FetchDescriptor<Element>, sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title> {
    self.init(descriptor, Sectioning(sectionBy), modelContext)
  }

  /// The objects that a predicate selects, in the order of a property, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), Sectioning(sectionBy), modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional property, `nil` first, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable, Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title> {
    self.init(
      FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), Sectioning(sectionBy), modelContext)
  }
}
