public import Foundation

/// Describes a fetch: its predicate, order and limit, and the properties and relationships to load with the objects.
///
///     var descriptor = FetchDescriptor<Book>(
///       predicate: #Predicate { $0.author?.name == name }, sortBy: [SortDescriptor(\.title)])
///     descriptor.fetchLimit = 20
///     let books = try context.fetch(descriptor)
///
/// Apple: `FetchDescriptor`.
public struct FetchDescriptor<T: PersistentModel> {
  /// Selects the objects; all of them if `nil`.
  public var predicate: Predicate<T>?
  /// The sort order; if empty, the order of the objects' first saves.
  public var sortBy: [SortDescriptor<T>]
  /// Words that the objects must have as well, by a search index; `nil` for no such condition.
  ///
  /// Without a sort order the best match comes first, and unsaved objects with the words come last. A class needs an index:
  /// ``ModelContainer/makeSearchIndex(for:on:)``. Cost: that of the matches, not of all objects; for unsaved objects, an index in
  /// memory. Not in Apple's framework.
  public var search: TextSearch<T>?
  /// The largest number of objects; no limit if `nil`.
  public var fetchLimit: Int?
  /// The number of objects to skip at the beginning.
  public var fetchOffset: Int?
  /// Whether the fetch includes the context's unsaved changes; `true` by default.
  public var includePendingChanges: Bool = true
  /// The properties to load with the fetch; if empty, all properties.
  ///
  /// Reading any other property, or changing the object, loads the whole object with one query. In a loop over the
  /// result, each such query loads more objects than the query before. Properties named by `sortBy` and
  /// `relationshipKeyPathsForPrefetching` are loaded too; to-many relationships are not. Has no effect if memory
  /// filters the objects, or sorts them by a computed value.
  public var propertiesToFetch: [PartialKeyPath<T>] = []
  /// The relationships whose objects are loaded with the fetch; costs one query for each step.
  ///
  /// A key path may pass through to-one relationships (`\.author?.publisher`); the objects on the way are loaded too.
  public var relationshipKeyPathsForPrefetching: [PartialKeyPath<T>] = []

  /// A descriptor with a predicate and an order.
  public init(predicate: Predicate<T>? = nil, sortBy: [SortDescriptor<T>] = []) {
    self.predicate = predicate
    self.sortBy = sortBy
  }
}

/// Key paths are not marked `Sendable`, but key paths of model classes hold no mutable state.
extension FetchDescriptor: @unchecked Sendable {}

extension FetchDescriptor: Equatable {
  /// Whether two descriptors describe the same fetch; predicates are compared by their expressions and captured values.
  public static func == (left: FetchDescriptor, right: FetchDescriptor) -> Bool {
    PredicateEquality.areEqual(left.predicate, right.predicate)
      && left.sortBy == right.sortBy && left.search == right.search && left.fetchLimit == right.fetchLimit
      && left.fetchOffset == right.fetchOffset
      && left.includePendingChanges == right.includePendingChanges
      && left.propertiesToFetch == right.propertiesToFetch
      && left.relationshipKeyPathsForPrefetching == right.relationshipKeyPathsForPrefetching
  }
}

extension FetchDescriptor: CustomStringConvertible, CustomReflectable {
  /// The descriptor with its predicate as it may have been written; captured values are left out.
  ///
  /// Foundation's own description of a predicate ends the program where an operator is not Foundation's, such as
  /// `localizedStandardContains(_:)` on Linux.
  public var description: String {
    let parts = customMirror.children.map { "\($0.label ?? ""): \($0.value)" }
    return "FetchDescriptor<\(T.self)>(\(parts.joined(separator: ", ")))"
  }

  /// The properties that differ from their defaults; the predicate as text.
  public var customMirror: Mirror {
    var children: [Mirror.Child] = []
    if let predicate { children.append(("predicate", SwiftData.sketch(predicate.expression))) }
    if !sortBy.isEmpty { children.append(("sortBy", sortBy.map { SwiftData.sketch($0) })) }
    if let search {
      let properties = search.properties.map { SwiftData.sketch($0) }
      children.append(
        ("search", "\(search.text) (\(search.matching))" + (properties.isEmpty ? "" : " in \(properties)")))
    }
    if let fetchLimit { children.append(("fetchLimit", fetchLimit)) }
    if let fetchOffset { children.append(("fetchOffset", fetchOffset)) }
    if !includePendingChanges { children.append(("includePendingChanges", false)) }
    if !propertiesToFetch.isEmpty {
      children.append(("propertiesToFetch", propertiesToFetch.map { SwiftData.sketch($0) }))
    }
    if !relationshipKeyPathsForPrefetching.isEmpty {
      children.append(
        ("relationshipKeyPathsForPrefetching", relationshipKeyPathsForPrefetching.map { SwiftData.sketch($0) }))
    }
    return Mirror(self, children: children, displayStyle: .struct)
  }
}
