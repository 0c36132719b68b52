import ManagedModel
import PostgreSQL
import StoreRequests

/// The plan for one insertion: its row, the row's version after the save, and what to do.
struct PlannedInsertion {
  let object: ObjectKey
  let version: Int64
  let action: Action

  enum Action {
    case insert
    /// The insertion overwrites a row that exists, or that an earlier insertion of the same save makes.
    ///
    /// `isCounted` tells that another change of this save already counts as the row's change.
    case overwrite(isCounted: Bool)
    /// The row that exists stands for the insertion, and keeps its values.
    case keep
  }
}

extension SaveTransaction {
  /// Gives every insertion its key and tells its source, before the save binds a row.
  ///
  /// Insertions whose unique values include a relationship come last, when the keys that they refer to are known.
  mutating func planInsertions() throws {
    guard !changes.insertions.isEmpty else { return }
    var counts: [Int: Int] = [:]
    for insertion in changes.insertions {
      let entity = try layout.existingEntity(insertion.entity)
      guard !entity.description.isAbstract else { throw SaveError.abstractEntity(entity.name) }
      counts[entity.hierarchy, default: 0] += 1
    }
    var uniqueness = try UniquenessResolver(changes, connection: connection, layout: layout)
    var fresh: [Int: ArraySlice<Int64>] = [:]
    var planned = [PlannedInsertion?](repeating: nil, count: changes.insertions.count)
    var later: [Int] = []
    func plan(_ index: Int) throws {
      let insertion = changes.insertions[index]
      let entity = try layout.existingEntity(insertion.entity)
      if let match = try uniqueness.match(index, entity) {
        insertion.source.assign(match.object, wasMerged: true)
        if changes.duplicates == .keep {
          // A match tells the version that the row would have after a change by the insertion.
          let version = match.isCounted ? match.version : match.version - 1
          planned[index] = PlannedInsertion(object: match.object, version: version, action: .keep)
          return
        }
        planned[index] = PlannedInsertion(
          object: match.object, version: match.version, action: .overwrite(isCounted: match.isCounted))
        return
      }
      if fresh[entity.hierarchy]?.isEmpty ?? true {
        fresh[entity.hierarchy] = try keys.take(
          max(1, counts[entity.hierarchy] ?? 1), hierarchy: entity.hierarchy, over: connection)[...]
      }
      guard let key = fresh[entity.hierarchy]?.popFirst() else { return }
      counts[entity.hierarchy, default: 1] -= 1
      let object = ObjectKey(entity: insertion.entity, key: key)
      insertion.source.assign(object, wasMerged: false)
      uniqueness.willInsert(object)
      planned[index] = PlannedInsertion(object: object, version: 1, action: .insert)
    }
    for index in changes.insertions.indices {
      if uniqueness.dependsOnKeys(index) { later.append(index) } else { try plan(index) }
    }
    for index in later { try plan(index) }
    self.plan = planned.compactMap(\.self)
    for (index, insertion) in self.plan.enumerated() {
      result.inserted.append((insertion.object, insertion.version))
      switch insertion.action {
      case .insert: break
      case .overwrite, .keep: result.merged.append((index, insertion.object))
      }
    }
    for (index, planned) in self.plan.enumerated() {
      guard case .overwrite = planned.action else { continue }
      let known = overwritten[planned.object] ?? []
      overwritten[planned.object] =
        known + changes.insertions[index].columns.map(\.propertyName).filter { !known.contains($0) }
    }
  }

  mutating func insertRows() throws {
    var groups: [RowShape: RowGroup] = [:]
    var shapes: [RowShape] = []
    for (index, planned) in plan.enumerated() {
      guard case .insert = planned.action else { continue }
      let insertion = changes.insertions[index]
      let shape = RowShape(entity: insertion.entity, columns: insertion.columns)
      if groups[shape] == nil {
        groups[shape] = try RowGroup(shape, in: layout)
        shapes.append(shape)
      }
      guard let group = groups[shape] else { continue }
      try group.add(planned.object.key, insertion.source)
      writtenRows.insert(planned.object)
      if group.isFull {
        try insert(group)
        groups[shape] = try RowGroup(shape, in: layout)
      }
    }
    for shape in shapes { if let group = groups[shape], !group.keyList.isEmpty { try insert(group) } }
    try overwriteRows()
  }

  private mutating func insert(_ group: RowGroup) throws {
    let table = group.table
    let columns = [TableLayout.key] + (table.hasKinds ? [TableLayout.kind] : []) + group.written.map(\.name)
    let values =
      ["s.k"] + (table.hasKinds ? [sqlLiteral(group.entity.name)] : []) + group.written.indices.map { "s.c\($0)" }
    let list = (["k"] + group.written.indices.map { "c\($0)" }).joined(separator: ", ")
    let arrays = (["$1::bigint[]"] + group.arrays(from: 2)).joined(separator: ", ")
    _ = try connection.run(
      "INSERT INTO \(table.sql) (\(columns.map { "\($0)" }.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM unnest(\(arrays)) s(\(list))",
      [group.keys.parameter] + group.parameters)
    for (ordered, _) in orderedColumns(of: group) { unordered[ordered, default: []] += group.keyList }
  }

  /// Writes the values of insertions over the rows that have the same unique values; the last insertion of a row decides.
  private mutating func overwriteRows() throws {
    for (index, planned) in plan.enumerated() {
      guard case .overwrite(let isCounted) = planned.action else { continue }
      let insertion = changes.insertions[index]
      let shape = RowShape(entity: planned.object.entity, columns: insertion.columns)
      let group = try RowGroup(shape, in: layout)
      try group.add(planned.object.key, insertion.source)
      _ = try update(group, bumpsVersion: !isCounted)
      writtenRows.insert(planned.object)
    }
  }
}
