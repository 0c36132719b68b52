extension EntityDescription {
  /// The fetch indexes, each once. Some models state an index twice with equal elements; their stores have it once.
  package var distinctFetchIndexes: [FetchIndexDescription] {
    guard fetchIndexes.count > 1 else { return fetchIndexes }
    var seen: Set<FetchIndexDescription> = []
    return fetchIndexes.filter { seen.insert($0).inserted }
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
