// A uniqueness constraint names properties, and elements of composites by paths such as `address.city`.
extension Sequence<String> {
  /// The properties at which the paths begin, each once: `address` for `address.city`.
  package var propertyNames: [String] {
    var seen: Set<String> = []
    return map { $0.split(separator: ".").first.map(String.init) ?? $0 }.filter { seen.insert($0).inserted }
  }
}

extension StoreAttribute {
  /// The position of the leaf to which a path leads, or of the raw value of an enumeration there; `nil` if there is none.
  ///
  /// - Parameter path: begins with the attribute's name.
  package func position(of path: String) -> Int? {
    if leaves.count == 1 { return 0 }
    let names = path.split(separator: ".").map(String.init)
    let paths = [names, names + names.suffix(1)]
    return leaves.firstIndex { paths.contains($0.path) }
  }
}
