/// One committed state of a store, for a program that reads all of its rows. Belongs to one thread.
///
/// It is valid inside the closure that an engine gives it to.
package protocol TransferSnapshot: AnyObject {
  var entities: EntityTable { get }

  /// The rows that satisfy a request. Not all of them are in memory at a time.
  ///
  /// - Throws: ``QueryError``; the engine's own errors.
  func rows(_ request: FetchRequest) throws -> any ObjectRows

  /// The members of a to-many relationship of several owners, without their values. The members of one owner stand together, in the
  /// relationship's order, or by key if it has none.
  func related(to relationship: (entityName: String, name: String), owners: [ObjectKey]) throws -> any ObjectRows

  /// The largest key that an object of a hierarchy ever had; 0 if there was none.
  func lastKey(of root: StoreEntity) throws -> Int64

  /// The keys of an entity's rows whose to-one relationship leads to no object of its destination. Cost: one query.
  func keysWithoutObject(_ relationship: StoreRelationship, of entity: StoreEntity) throws -> Set<Int64>

  /// Whether a leaf of an attribute has a value that could not be read, and was given as `NULL`.
  func hasUnreadableValue(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool

  /// Whether the stored text of a leaf is not UTF-8. Readers then got U+FFFD instead of the wrong bytes.
  func hasRepairedText(_ leaf: Int, of attribute: StoreAttribute, _ object: ObjectKey) throws -> Bool

  /// What the store has besides its model and its rows, such as a history: clauses for a message.
  func otherContents() throws -> [String]
}
