/// The objects of the rows of a to-many relationship and their keys, by owner.
///
/// The type is not generic, as ``RowObjects``.
struct RelatedObjects {
  private var objects: [AnyObject] = []
  private var keys: [Int64] = []
  private var places: [Int64: Range<Int>] = [:]
  /// The owner of the last rows.
  private var owner: Int64?
  /// The place of that owner's first row.
  private var start = 0

  /// Adds the object of a row. The rows of an owner come one after the other.
  mutating func append(_ object: consuming AnyObject, _ key: Int64, of owner: Int64) {
    if owner != self.owner {
      close()
      self.owner = owner
    }
    objects.append(object)
    keys.append(key)
  }

  /// Ends the rows of the last owner.
  mutating func close() {
    if let owner { places[owner] = start..<objects.count }
    owner = nil
    start = objects.count
  }

  /// The objects of an owner in the order of the rows.
  func objects(of owner: Int64) -> ArraySlice<AnyObject> { objects[places[owner] ?? 0..<0] }

  /// The keys of the objects of several owners, in the order of the owners.
  func keys(of owners: [Int64]) -> [Int64] {
    var result: [Int64] = []
    result.reserveCapacity(keys.count)
    for owner in owners { if let place = places[owner] { result += keys[place] } }
    return result
  }
}
