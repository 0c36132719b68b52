extension String {
  /// Whether both texts have the same bytes, as databases compare names. Swift's texts are also equal if one has a
  /// composed and the other a decomposed letter.
  package func hasBytes(of other: String) -> Bool {
    let (bytes, others) = (utf8, other.utf8)
    guard bytes.count == others.count else { return false }
    // Most names are in one piece of memory, where this takes a fraction of the time.
    let result = bytes.withContiguousStorageIfAvailable { one in
      others.withContiguousStorageIfAvailable { one.elementsEqual($0) }
    }
    return (result ?? nil) ?? bytes.elementsEqual(others)
  }
}
