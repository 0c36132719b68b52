package import ManagedModel

/// The rows of another store on their way into a new one, all in one transaction. Belongs to one thread.
///
/// It is valid inside the closure that an engine gives it to.
package protocol RowLoad: AnyObject {
  var entities: EntityTable { get }

  /// The value that the store gives back for a value of an attribute of a type: another one if the store keeps fewer digits.
  func stored(_ value: StoreValue, as type: AttributeType) -> StoreValue

  /// Keeps a key and all smaller ones of a hierarchy from objects that are made later.
  func reserve(_ key: Int64, of root: StoreEntity) throws

  /// Writes a part: insertions, and pairs and orders of rows that were written before. Nothing else is in it.
  ///
  /// - Parameter keys: the keys of the insertions, in their order.
  /// - Throws: ``SaveError``; the engine's own errors.
  func write(_ part: ChangeSet, keys: [Int64]) throws
}
