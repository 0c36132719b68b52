import PostgreSQL
import StoreRequests

// The order of statements in a database whose foreign keys are checked at once: a row comes after the rows that it refers to, and
// goes before them. Foreign keys of a store's own tables are checked at the end, so that nobody has to sort.
extension SaveTransaction {
  /// The tables' hierarchies, each after those that it refers to. In a cycle the first one comes first.
  static func hierarchiesByReference(_ layout: StoreLayout) -> [Int] {
    var order: [Int] = []
    var seen: Set<Int> = []
    func add(_ hierarchy: Int) {
      guard seen.insert(hierarchy).inserted else { return }
      for column in layout.tables[hierarchy].columns {
        if let reference = column.reference { add(reference.hierarchy) }
      }
      order.append(hierarchy)
    }
    for hierarchy in layout.tables.indices { add(hierarchy) }
    return order
  }

  /// The indexes of the planned insertions, in the parts in which they are written.
  func partsOfInsertions() throws -> [[Int]] {
    guard strategy.ordersByReference else { return [Array(plan.indices)] }
    let byHierarchy = try Dictionary(grouping: plan.indices) { index in
      try layout.existingEntity(changes.insertions[index].entity).hierarchy
    }
    return Self.hierarchiesByReference(layout).compactMap { byHierarchy[$0] }
  }

  /// The indexes of the updates before the insertions, and of those that may refer to a new row.
  func partsOfUpdates() throws -> (before: [Int], after: [Int]) {
    guard strategy.ordersByReference, !plan.isEmpty else { return (Array(changes.updates.indices), []) }
    let new = try Set(changes.insertions.map { try layout.existingEntity($0.entity).hierarchy })
    func mayReferToNewRow(_ update: ChangeSet.Update) throws -> Bool {
      let entity = try layout.existingEntity(update.object.entity)
      return update.columns.contains { column in
        guard case .toOne(let toOne)? = try? layout.property(column.propertyName, of: entity) else { return false }
        return toOne.key.reference.map { new.contains($0.hierarchy) } ?? false
      }
    }
    var parts: (before: [Int], after: [Int]) = ([], [])
    for (index, update) in changes.updates.enumerated() {
      if try mayReferToNewRow(update) { parts.after.append(index) } else { parts.before.append(index) }
    }
    return parts
  }
}

extension ServerStore {
  /// The foreign key that refused a statement although a later one would have satisfied it; `nil` for a foreign key that is checked
  /// at the end, as those of a store's own tables are.
  func immediateConstraint(_ error: PostgreSQLError) -> (table: TableLayout, name: Identifier)? {
    guard error.state == .foreignKeyViolation, !pool.isLending, let name = error.constraint,
      let table = layout.table(named: error)
    else { return nil }
    let rows = try? pool.withConnection { connection in
      try connection.run(
        "SELECT 1 FROM pg_constraint WHERE conrelid = $1::regclass AND conname = $2 AND contype = 'f' AND NOT condeferred",
        [.text(table.sql), .text(name)])
    }
    return rows?.rowCount == 1 ? (table, Identifier(name)) : nil
  }
}
