extension Array {
  /// The first elements in a given order. Elements that are equal in this order keep their places relative to each other.
  ///
  /// Cost: for few elements of many about one comparison for each element, else a sort.
  package func sortedPrefix(_ count: Int, by isBefore: (Element, Element) throws -> Bool) rethrows -> [Element] {
    guard count > 0 else { return [] }
    // Each insertion moves elements.
    guard count <= 4096, count <= self.count / 8 else { return Array(try sorted(by: isBefore).prefix(count)) }
    var first = try self[..<count].sorted(by: isBefore)
    for element in self[count...] where try isBefore(element, first[count - 1]) {
      var (low, high) = (0, count - 1)
      while low < high {
        let middle = (low + high) / 2
        if try isBefore(element, first[middle]) { high = middle } else { low = middle + 1 }
      }
      first.removeLast()
      first.insert(element, at: low)
    }
    return first
  }
}
