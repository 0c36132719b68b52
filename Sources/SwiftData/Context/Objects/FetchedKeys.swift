/// The keys of one fetch, in its order.
///
/// When one object loads a value, the objects after it load the same value, so that a loop over the result does not
/// query for each object.
struct FetchedKeys {
  let binding: EntityBinding
  let keys: [Int64]
  /// The end of the last search; the next search usually starts there.
  var position = 0

  /// The number of objects loaded together.
  static let batchSize = 256
  /// The number of fetches whose keys are kept.
  static let limit = 8

  /// One batch of keys from a given key on; `nil` if the key is not in the fetch.
  mutating func batch(from key: Int64) -> ArraySlice<Int64>? {
    var found: Int?
    if position < keys.count { found = keys[position...].firstIndex(of: key) }
    guard let index = found ?? keys[..<min(position, keys.count)].firstIndex(of: key) else { return nil }
    position = index
    return keys[index...].prefix(FetchedKeys.batchSize)
  }
}
