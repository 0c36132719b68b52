public import Foundation

// Lists. Apple: the initializers of `Query`, without those that take an animation or a transaction of SwiftUI.
extension Query where Result == [Element] {
  /// All objects of the class, in the order of their first saves.
  public init() { self.init(FetchDescriptor()) }

  /// All objects that a predicate selects, in an order.
  public init(
    filter: Predicate<Element>? = nil, sort descriptors: [SortDescriptor<Element>] = [],
    modelContext: ModelContext? = nil
  ) {
    self.init(listing: FetchDescriptor(predicate: filter, sortBy: descriptors), modelContext)
  }

  /// The objects of a descriptor.
  public init(_ descriptor: FetchDescriptor<Element>, modelContext: ModelContext? = nil) {
    self.init(listing: descriptor, modelContext)
  }

  /// The objects that a predicate selects, in the order of a property.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) {
    self.init(listing: FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), modelContext)
  }

  /// The objects that a predicate selects, in the order of an optional property, `nil` first.
  public init<Value: Comparable>(
    filter: Predicate<Element>? = nil, sort keyPath: KeyPath<Element, Value?>, order: SortOrder = .forward,
    modelContext: ModelContext? = nil
  ) {
    self.init(listing: FetchDescriptor(predicate: filter, sortBy: [querySort(keyPath, order)]), modelContext)
  }

  private init(listing descriptor: FetchDescriptor<Element>, _ context: ModelContext?) {
    self.init(descriptor, context, empty: []) { descriptor, context in
      LiveQueryResult(try ResultsObserver<Element, Never>(LiveQuery(descriptor, nil), context, nil)) { $0.array }
    }
  }
}

extension Query {
  /// Results in sections.
  init<Title>(
    _ descriptor: FetchDescriptor<Element>, _ sectioning: Sectioning<Element, Title>, _ context: ModelContext?
  ) where Result == SectionedResults<Element, Title> {
    let empty = SectionedResults<Element, Title>(ResultList(), SectionRuns([]))
    self.init(descriptor, context, empty: empty) { descriptor, context in
      LiveQueryResult(try ResultsObserver(LiveQuery(descriptor, sectioning), context, nil)) { $0.sections ?? empty }
    }
  }
}

/// A sort descriptor for a key path; strings are sorted by `.localizedStandard`.
func querySort<Model: PersistentModel, Value: Comparable>(
  _ keyPath: KeyPath<Model, Value>, _ order: SortOrder
) -> SortDescriptor<Model> {
  if let text = keyPath as? KeyPath<Model, String> { return SortDescriptor(sendableKeyPath(text), order: order) }
  return SortDescriptor(sendableKeyPath(keyPath), order: order)
}

/// A sort descriptor for a key path to an optional value.
func querySort<Model: PersistentModel, Value: Comparable>(
  _ keyPath: KeyPath<Model, Value?>, _ order: SortOrder
) -> SortDescriptor<Model> {
  if let text = keyPath as? KeyPath<Model, String?> { return SortDescriptor(sendableKeyPath(text), order: order) }
  return SortDescriptor(sendableKeyPath(keyPath), order: order)
}
