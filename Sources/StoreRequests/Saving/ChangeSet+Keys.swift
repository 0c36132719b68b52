extension ChangeSet {
  /// The keys of the rows in which a save writes some properties, by the names that the caller gives the properties.
  ///
  /// - Parameters:
  ///   - plan: the plan for each insertion.
  ///   - names: the names of an entity's columns that the caller asks for.
  package func keys<Name: Hashable>(
    _ plan: [PlannedInsertion], writing names: (_ entity: Int32, [ColumnSelection]) throws -> [Name]
  ) rethrows -> [Name: [Int64]] {
    var keys: [Name: [Int64]] = [:]
    var last: (entity: Int32, columns: [ColumnSelection], names: [Name])?
    func add(_ key: Int64, _ entity: Int32, _ columns: [ColumnSelection]) throws {
      // Successive rows mostly share one array of columns.
      if last?.entity != entity || last?.columns != columns {
        last = (entity, columns, try names(entity, columns))
      }
      for name in last?.names ?? [] { keys[name, default: []].append(key) }
    }
    for update in updates { try add(update.object.key, update.object.entity, update.columns) }
    for (insertion, planned) in zip(insertions, plan) {
      if case .keep = planned.action { continue }
      try add(planned.object.key, insertion.entity, insertion.columns)
    }
    return keys
  }
}
