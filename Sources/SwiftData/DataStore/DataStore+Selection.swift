extension DataStoreFetchResult {
  /// The fetched objects of the class and its subclasses, each once, within the descriptor's limits.
  ///
  /// A store that is written as Apple's example returns all its objects, whatever class and limits the descriptor has. More objects than
  /// the limit tell that the store skipped none either.
  func selected(by descriptor: FetchDescriptor<ModelType>) -> [SnapshotType] {
    let names = SnapshotClasses.entityNames(of: ModelType.self)
    var known: Set<PersistentIdentifier> = []
    let own = fetchedSnapshots.filter {
      names.contains($0.persistentIdentifier.entityName) && known.insert($0.persistentIdentifier).inserted
    }
    guard let limit = descriptor.fetchLimit, limit >= 0, own.count > limit else { return own }
    return Array(own.dropFirst(max(0, descriptor.fetchOffset ?? 0)).prefix(limit))
  }
}
