public import Foundation

/// What to fetch: which objects, in which order, how many, and what to load with them.
///
///     var descriptor = FetchDescriptor<Book>(
///       predicate: #Predicate { $0.author?.name == name }, sortBy: [SortDescriptor(\.title)])
///     descriptor.fetchLimit = 20
///     let books = try context.fetch(descriptor)
///
/// Apple: `FetchDescriptor`.
public struct FetchDescriptor<T: PersistentModel> {
  /// Which objects; all of them if `nil`.
  public var predicate: Predicate<T>?
  /// The order of the objects; without any, that of their first save.
  public var sortBy: [SortDescriptor<T>]
  /// How many objects at most; all of them if `nil`.
  public var fetchLimit: Int?
  /// How many objects to pass over at the beginning.
  public var fetchOffset: Int?
  /// Whether unsaved changes of the context count; they do by default.
  public var includePendingChanges: Bool = true
  /// The properties to load with the fetch; all of them if there are none.
  ///
  /// Any other is loaded, with the whole object, when it is first read, or when the object is changed: one query, for more and
  /// more objects at a time in a loop over the result. Those that `sortBy` and `relationshipKeyPathsForPrefetching` name are
  /// loaded too; to-many relationships are not. No effect where objects have to be filtered or sorted in memory.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose objects are to be loaded with the fetch, in one more query for each step and 512 objects.
  ///
  /// A key path may lead along to-one relationships (`\.author?.publisher`); what it passes is loaded as well.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// A descriptor with a predicate and an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// Key paths are not marked as `Sendable`, but those of model classes hold nothing that changes.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor: Equatable {
  /// Whether two descriptors ask for the same; predicates are compared by what they say, captured values included.
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    PredicateEquality.areEqual(left.predicate, right.predicate)
      && left.sortBy == right.sortBy && left.fetchLimit == right.fetchLimit && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
  }
}
