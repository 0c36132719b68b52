import ErrorReporting

/// An engine that keeps full-text indexes, and answers requests with a ``TextCondition``.
///
/// Without a sort order, the result of a ranked condition is in the order of relevance, the best match first.
package protocol SearchEngine: StoreEngine {
  /// Makes the index of some text attributes of an entity and its subentities, or replaces its index of other attributes.
  ///
  /// Does nothing if the entity has this index. Each later change of the store updates the index in its own transaction.
  /// - Returns: whether the store has changed.
  /// - Throws: ``SearchError``, ``QueryError``; the engine's own errors.
  @discardableResult
  func makeSearchIndex(on attributes: [String], of entityName: String) throws -> Bool

  /// Removes the index of an entity.
  ///
  /// - Returns: whether there was one.
  @discardableResult
  func removeSearchIndex(of entityName: String) throws -> Bool

  /// The attributes that a search for objects of an entity reads: the attributes of the entity's index, or of its nearest
  /// superentity's index.
  ///
  /// - Throws: ``SearchError/noIndex(entity:)``, ``SearchError/incompleteIndex(entity:)``
  func searchedAttributes(of entityName: String) throws -> [String]

  /// The positions of the objects that satisfy a condition, by the rules of the index. The objects need no rows.
  ///
  /// - Parameter texts: for each object the values of ``searchedAttributes(of:)``.
  func positions(of condition: TextCondition, entityName: String, in texts: [[StoreValue]]) throws -> Set<Int>
}

/// The reason why a store makes or uses no search index.
package enum SearchError: ReportableError, Sendable, Hashable {
  case noIndex(entity: String)
  /// The table of the index exists, but not with the text and the triggers that keep it up to date.
  case incompleteIndex(entity: String)
  case notSearched(property: String, entity: String, searched: [String])
  case notText(property: String, entity: String)
  case noProperties(entity: String)
  /// A definition of another program, with which SQLite runs no trigger of a search index.
  case otherDefinition(String)
  /// A table or a trigger of another program, which has the name of a search index.
  case foreignDefinition(String)
  /// SQLite is built without FTS5.
  case unavailable
}

extension SearchError {
  package var problem: String { phrase.problem }
  package var remedy: String? { phrase.remedy }

  private var phrase: (problem: String, remedy: String) {
    switch self {
    case .noIndex(let entity):
      ("entity \(quoted(entity)) has no search index", "call makeSearchIndex(for:on:) of the container before")
    case .incompleteIndex(let entity):
      (
        "the search index of entity \(quoted(entity)) was changed by another program, and may lack rows",
        "call makeSearchIndex(for:on:) of the container, which makes it anew"
      )
    case .notSearched(let property, let entity, let searched):
      (
        "the search index of entity \(quoted(entity)) does not include \(quoted(property))",
        "search in \(searched.map(quoted).joined(separator: ", ")), or make the index anew"
      )
    case .notText(let property, let entity):
      (
        "property \(quoted(property)) of entity \(quoted(entity)) cannot be in a search index",
        "name stored attributes that are strings, and not derived"
      )
    case .noProperties(let entity):
      ("a search index of entity \(quoted(entity)) needs a property", "name one or more stored strings")
    case .otherDefinition(let name):
      (
        "the store has a definition \(quoted(name)) of another program with functions that this library does not know; "
          + "triggers of a search index cannot run beside it",
        "drop it before making the index"
      )
    case .foreignDefinition(let name):
      (
        "the store has a definition \(quoted(name)) that another program made, and which has the name of a search index",
        "rename or drop it"
      )
    case .unavailable:
      (
        "this SQLite is built without FTS5, so that each save would fail after making a search index",
        "use an SQLite with FTS5"
      )
    }
  }
}
