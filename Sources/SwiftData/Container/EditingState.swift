public import Foundation

/// The identity of a context towards its stores: who fetches and who saves.
///
/// A custom store receives it with each request, and can keep the state that belongs to one context under its `id`.
/// Apple: `EditingState`.
public struct EditingState: Identifiable, Sendable {
  /// Identifies the context.
  public let id: UUID
  /// The author of the context's changes, which a store's history records with each save; `nil` for no author.
  public var author: String?

  /// Makes a state; by default with a new identity and without an author.
  public init(id: UUID = UUID(), author: String? = nil) {
    self.id = id
    self.author = author
  }
}

extension ModelContext {
  /// The context's identity, and the author of its changes.
  ///
  /// A new context has a new `id`. A store keeps its state of a context under this `id`, so assign another only before
  /// the first fetch. Apple: `ModelContext.editingState`.
  public var editingState: EditingState {
    get { core.editingState }
    set { core.editingState = newValue }
  }

  /// The author that the history records with each save of the context; `nil` by default. The same as
  /// `editingState.author`.
  ///
  /// Apple: `ModelContext.author`.
  public var author: String? {
    get { core.editingState.author }
    set { core.editingState.author = newValue }
  }
}
