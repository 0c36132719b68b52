extension ExportValue {
  /// A composite's elements from the values and paths of its leaves; `null` if no leaf has a value (CD-2.4).
  static func composite(_ leaves: ArraySlice<(path: ArraySlice<String>, value: ExportValue)>) -> ExportValue {
    var elements: [Element] = []
    var index = leaves.startIndex
    while index < leaves.endIndex {
      guard let name = leaves[index].path.first else { break }
      // The leaves of one element are adjacent.
      var end = index
      while end < leaves.endIndex, leaves[end].path.first == name { end += 1 }
      let value: ExportValue
      if leaves[index].path.count == 1 {
        value = leaves[index].value
        end = index + 1
      } else {
        let inner = leaves[index..<end].map { (path: $0.path.dropFirst(), value: $0.value) }
        value = composite(inner[...])
      }
      if value != .null { elements.append(Element(name, value)) }
      index = end
    }
    return elements.isEmpty ? .null : .composite(elements)
  }
}
