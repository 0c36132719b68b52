extension EntityDescription {
  /// The fetch indexes, each once. Some models state an index twice with equal elements; their stores have it once.
  package var distinctFetchIndexes: [FetchIndexDescription] {
    guard fetchIndexes.count > 1 else { return fetchIndexes }
    var seen: Set<FetchIndexDescription> = []
    return fetchIndexes.filter { seen.insert($0).inserted }
  }

  /// The compound indexes whose properties no fetch index has. A compiled model states each fetch index of several properties in both
  /// forms, XML in one.
  var furtherCompoundIndexes: Set<[String]> {
    guard !compoundIndexes.isEmpty else { return [] }
    let stated = fetchIndexes.map { index in
      index.elements.map { element in
        switch element.subject {
        case .property(let name): name
        case .expression(let format): format
        }
      }
    }
    return Set(compoundIndexes).subtracting(stated)
  }

  /// The fetch indexes that equal an earlier one, each once.
  package var repeatedFetchIndexes: [FetchIndexDescription] {
    guard fetchIndexes.count > 1 else { return [] }
    var counts: [FetchIndexDescription: Int] = [:]
    return fetchIndexes.filter { index in
      counts[index, default: 0] += 1
      return counts[index] == 2
    }
  }
}
