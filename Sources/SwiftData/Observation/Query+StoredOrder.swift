public import Foundation

// Orders of Booleans and enumerations, which no Foundation compares. Not in Apple's framework.
extension Query where Result == [Element] {
  /// The objects that a predicate selects, in the order of a Boolean, `false` first.
  public init(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Bool>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], modelContext: modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional Boolean: `nil`, `false`, `true`.
  public init(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Bool?>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], modelContext: modelContext)
  }

  /// The objects that a predicate selects, in the order of an enumeration's raw value.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) where Value.RawValue: Comparable & Sendable {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], modelContext: modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional enumeration's raw value, `nil` first.
  @_disfavoredOverload
  public init<Value: RawRepresentable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) where Value.RawValue: Comparable & Sendable {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], modelContext: modelContext)
  }
}

extension Query {
  /// The objects that a predicate selects, in the order of a Boolean, `false` first, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Bool>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title> {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], sectionBy: sectionBy,
      modelContext: modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional Boolean: `nil`, `false`, `true`, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Bool?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title> {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], sectionBy: sectionBy,
      modelContext: modelContext)
  }

  /// The objects that a predicate selects, in the order of an enumeration's raw value, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable, Value: RawRepresentable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title>, Value.RawValue: Comparable & Sendable {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], sectionBy: sectionBy,
      modelContext: modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional enumeration's raw value, `nil` first, in sections by a value.
  @_disfavoredOverload
  public init<Title: Hashable, Value: RawRepresentable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    sectionBy: KeyPath<Element, Title>, modelContext: ModelContext? = nil
  ) where Result == SectionedResults<Element, Title>, Value.RawValue: Comparable & Sendable {
    self.init(
      filter: filter, sort: [SortDescriptor(sendableKeyPath(keyPath), order: order)], sectionBy: sectionBy,
      modelContext: modelContext)
  }
}
