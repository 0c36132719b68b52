import PostgreSQL
import StoreRequests

extension SaveTransaction {
  /// The most passes of one save. A save that has changed keys checks the pairs again: it may have waited for other
  /// transactions, and sees their rows only then.
  private static let lookLimit = 4

  /// Makes both keys of each one-to-one relationship agree if the save has written one of them, see ``PartnerLinks``.
  ///
  /// Cost: a statement for each written relationship, and a few if keys change.
  mutating func alignPartners() throws {
    guard !layout.oneToOne.isEmpty else { return }
    let written = try changes.keys(plan) { number, columns -> [RelationshipName] in
      let entity = try layout.existingEntity(number)
      return columns.compactMap { selection in
        guard case .toOne(let relationship)? = entity.property(named: selection.propertyName) else { return nil }
        return relationship.oneToOneName
      }
    }
    guard !written.isEmpty else { return }
    for pair in layout.oneToOne {
      let keys = pair.sides.map { written[$0.name] ?? [] }
      for _ in 0..<Self.lookLimit where keys.contains(where: { !$0.isEmpty }) {
        if try !align(pair, keys) { break }
      }
    }
  }

  /// - Returns: whether keys were changed.
  private mutating func align(_ pair: OneToOne<OneToOneSide>, _ keys: [[Int64]]) throws -> Bool {
    var links = PartnerLinks(isReflexive: pair.isReflexive)
    for (index, keys) in keys.enumerated() where !keys.isEmpty {
      guard let side = PartnerLinks.Side(rawValue: index) else { continue }
      let inverse = links.inverse(of: side)
      let rows = try connection.run(pair.disagreements(side, inverse: inverse), [.integers(keys)])
      for row in 0..<rows.rowCount {
        links.note(rows.object(row, 0), side, leadsTo: rows.key(row, 2))
        links.note(rows.object(row, 4), rows.integer(row, 3) == 0 ? side : inverse, leadsTo: rows.key(row, 6))
      }
    }
    guard !links.isEmpty else { return false }
    let changes = links.changes(written: keys, isRequired: { pair.side($0).isRequired })
    try link(changes, of: pair)
    return !changes.isEmpty
  }

  /// Writes keys of pairs, as updates of their rows.
  private mutating func link(_ changes: [PartnerLinks.Change], of pair: OneToOne<OneToOneSide>) throws {
    let batchUpdated = Set(result.batchUpdated)
    var rows: [RowGroups.Row] = []
    for change in changes {
      let side = pair.side(change.side)
      let entity = try layout.existingEntity(change.object.entity)
      let name = side.name.relationship
      guard change.partner != nil || !side.isRequired else {
        throw SaveError.noPartner(entity: entity.name, relationship: name)
      }
      let isCounted = !writtenRows.insert(change.object).inserted || batchUpdated.contains(change.object)
      let shape = RowShape(
        entity: change.object.entity, columns: [ColumnSelection(entityName: entity.name, propertyName: name)])
      rows.append(
        .init(
          key: change.object.key, shape: shape, isCounted: isCounted,
          source: StoreValuesRow([name: .object(change.partner)])))
      if relinked[change.object]?.contains(name) != true { relinked[change.object, default: []].append(name) }
      result.relinked.append(change.object)
    }
    var groups = RowGroups(layout, count: rows.count) { rows[$0] }
    var next = try groups.next()
    while let group = next { next = try update(group, places: group.indexes) { try groups.next() }.value }
  }
}

extension QueryResult {
  /// The object whose key and entity's number two columns have.
  fileprivate func object(_ row: Int, _ column: Int) -> ObjectKey {
    ObjectKey(entity: Int32(truncatingIfNeeded: integer(row, column + 1)), key: integer(row, column))
  }

  fileprivate func key(_ row: Int, _ column: Int) -> Int64? { isNull(row, column) ? nil : integer(row, column) }
}
