internal import Foundation
internal import StoreRequests

/// An engine that fetches with a whole descriptor, including its predicate and its order.
///
/// The engine of a custom store is one. It cannot evaluate ``FetchExpression``, but the store may understand predicates.
protocol DescriptorEngine: StoreEngine {
  /// The rows that a descriptor selects, as far as the store can select and sort.
  func fetch<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, columns: [ColumnSelection], for state: EditingState
  ) throws -> DescriptorRows

  /// The number of rows that a descriptor selects; `nil` if the store cannot count them.
  func count<Model: PersistentModel>(_ descriptor: FetchDescriptor<Model>, for state: EditingState) throws -> Int?

  /// The keys of the rows that a descriptor selects, in its order; `nil` if the store cannot tell them.
  func keys<Model: PersistentModel>(
    _ descriptor: FetchDescriptor<Model>, for state: EditingState
  ) throws -> [ObjectKey]?

  /// Whether the store deletes objects by a predicate; a change set may then have a ``DescriptorDeletion``.
  var deletesByPredicate: Bool { get }

  /// Removes all objects; `nil`, and nothing done, if the store cannot.
  ///
  /// - Returns: the objects that contexts may have.
  func eraseAll() throws -> [ObjectKey]?

  /// Whether another container's engine has the same store open.
  func hasSameStore(as other: any DescriptorEngine) -> Bool

  /// Forgets values that the store gave before another container saved to it; called from any thread.
  func storeDidChangeElsewhere()

  /// Tells the store that a context ends.
  func contextDidEnd(_ state: EditingState)
}

/// The answer to a descriptor, and the work that is left.
struct DescriptorRows {
  let rows: any ObjectRows
  /// Whether the rows are to be filtered in memory. Then, or if they are to be sorted, the limits are to be applied, too.
  let filtersInMemory: Bool
  let sortsInMemory: Bool
}

/// The deletion of all objects that a predicate selects, for a store that deletes them without loading them.
struct DescriptorDeletion<Model: PersistentModel>: DeletionRequest {
  let predicate: Predicate<Model>?
  let includeSubclasses: Bool
  let editingState: EditingState
}
