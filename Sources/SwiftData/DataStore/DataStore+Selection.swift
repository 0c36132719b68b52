extension DataStore {
  /// The fetched objects of the class and its subclasses, each once, within the descriptor's limits.
  ///
  /// A store that is written as Apple's example returns all its objects, whatever class and limits the descriptor has.
  ///
  /// Cost: for an offset, at most two more fetches, the first one of a single object.
  func selected<Model: PersistentModel>(
    _ result: DataStoreFetchResult<Model, Snapshot>, by request: DataStoreFetchRequest<Model>
  ) throws -> [Snapshot] {
    let descriptor = request.descriptor
    let objects = result.objectsOfClass
    let offset = max(0, descriptor.fetchOffset ?? 0)
    let limit = descriptor.fetchLimit.flatMap { $0 >= 0 ? $0 : nil } ?? .max
    func slice(_ objects: [Snapshot]) -> [Snapshot] { Array(objects.dropFirst(offset).prefix(limit)) }
    // A store that ignores the limit is taken to ignore the offset, too.
    if objects.count > limit { return slice(objects) }
    guard offset > 0, let first = objects.first else { return objects }
    func fetch(limit: Int?) throws -> [Snapshot] {
      var asked = descriptor
      (asked.fetchOffset, asked.fetchLimit) = (nil, limit)
      return try self.fetch(DataStoreFetchRequest(editingState: request.editingState, descriptor: asked)).objectsOfClass
    }
    guard try fetch(limit: 1).first?.persistentIdentifier == first.persistentIdentifier else { return objects }
    // The store skipped no objects; it may have stopped at the limit.
    guard objects.count == limit else { return slice(objects) }
    let (end, isTooLarge) = offset.addingReportingOverflow(limit)
    return try slice(fetch(limit: isTooLarge ? nil : end))
  }
}

extension DataStoreFetchResult {
  /// The fetched objects of the class and its subclasses, each once.
  fileprivate var objectsOfClass: [SnapshotType] {
    let names = SnapshotClasses.entityNames(of: ModelType.self)
    var known: Set<PersistentIdentifier> = []
    return fetchedSnapshots.filter {
      names.contains($0.persistentIdentifier.entityName) && known.insert($0.persistentIdentifier).inserted
    }
  }
}
