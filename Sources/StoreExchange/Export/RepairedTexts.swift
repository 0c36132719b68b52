import ErrorReporting

/// The texts of a store whose bytes are not UTF-8. Readers put U+FFFD in place of the wrong bytes, so these texts are not exported
/// as they are.
package struct RepairedTexts: Sendable, Hashable {
  package private(set) var count = 0
  /// The first texts: the property and the object of each.
  private var places: [String] = []
  private static let limit = 20

  /// Records a text whose bytes are not UTF-8.
  ///
  /// - Parameter place: the property and the object.
  mutating func add(_ place: () -> (String, String)) {
    count += 1
    guard count <= Self.limit else { return }
    let (property, object) = place()
    places.append("\(quoted(property)) of \(object)")
  }

  /// A clause for each of the first texts, and one for the number of further texts.
  package var descriptions: [String] {
    let further = count - places.count
    return places.map { "the text \($0) is not in UTF-8: U+FFFD is printed instead of the wrong bytes" }
      + (further > 0 ? ["\(counted(further, "more text is", "more texts are")) not in UTF-8"] : [])
  }
}
