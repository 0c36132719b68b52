extension String {
  /// Whether both texts have the same bytes, as databases compare names. Swift's texts are also equal if one has a
  /// composed and the other a decomposed letter.
  package func hasBytes(of other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
