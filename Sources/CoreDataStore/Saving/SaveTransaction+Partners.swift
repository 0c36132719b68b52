import SQLite
import StoreRequests

extension SaveTransaction {
  /// Makes the two keys of a one-to-one relationship agree if the save has written one of them; see ``PartnerLinks``.
  ///
  /// Cost: a statement for each written relationship and run of keys, and a few for each key that changes.
  mutating func alignPartners() throws {
    guard !layout.oneToOne.isEmpty else { return }
    let written = try changes.keys(plan) { number, columns -> [RelationshipName] in
      let entity = try layout.existingEntity(number)
      return columns.compactMap { selection in
        guard case .toOne(let relationship) = entity.property(named: selection.propertyName) else { return nil }
        return relationship.oneToOneName
      }
    }
    guard !written.isEmpty else { return }
    for pair in layout.oneToOne {
      let keys = pair.sides.map { written[$0.name] ?? [] }
      guard keys.contains(where: { !$0.isEmpty }) else { continue }
      var links = PartnerLinks(isReflexive: pair.isReflexive)
      for (index, keys) in keys.enumerated() {
        guard let side = PartnerLinks.Side(rawValue: index) else { continue }
        for run in Self.runs(keys) { try findDisagreements(of: pair, side, run, &links) }
      }
      guard !links.isEmpty else { continue }
      let changes = links.changes(written: keys, isRequired: { pair.side($0).isRequired })
      for change in changes { try link(change, pair.side(change.side)) }
    }
  }

  private func findDisagreements(
    of pair: OneToOne<OneToOneSide>, _ side: PartnerLinks.Side, _ run: ClosedRange<Int64>, _ links: inout PartnerLinks
  ) throws {
    let inverse = links.inverse(of: side)
    let statement = try connection.statement(pair.disagreements(side, inverse: inverse))
    defer { statement.reset() }
    try statement.bind(run.lowerBound, at: 1)
    try statement.bind(run.upperBound, at: 2)
    while try statement.step() {
      let otherSide = statement.integer(3) == 0 ? side : inverse
      guard let row = object(statement, at: 0, pair.side(side)),
        let other = object(statement, at: 4, pair.side(otherSide))
      else { continue }
      links.note(row, side, leadsTo: statement.isNull(2) ? nil : statement.integer(2))
      links.note(other, otherSide, leadsTo: statement.isNull(6) ? nil : statement.integer(6))
    }
  }

  /// The object of a row; `nil` if the row's entity lacks the relationship, as in a damaged store.
  private func object(_ statement: Statement, at column: Int, _ side: OneToOneSide) -> ObjectKey? {
    guard let number = Int32(exactly: statement.integer(column + 1)),
      let entity = layout.entity(numbered: Int(number)), entity.lineage.contains(side.name.entity)
    else { return nil }
    return ObjectKey(entity: number, key: statement.integer(column))
  }

  /// Writes one key of a pair, as an update of its row.
  private mutating func link(_ change: PartnerLinks.Change, _ side: OneToOneSide) throws {
    let object = change.object
    let entity = try layout.existingEntity(object.entity)
    let name = side.name.relationship
    guard change.partner != nil || !side.isRequired else {
      throw SaveError.noPartner(entity: entity.name, relationship: name)
    }
    let isInserted =
      insertedOutOfTurn.contains(object) || keys.allocated(entity.rootNumber)?.contains(object.key) == true
    let isInBatch = try batches?.hasUpdated(object, of: entity) == true
    let isCounted = isInserted || isInBatch || updatedRows.contains(object)
    if !isCounted, let version = try version(of: object.key, entity), version >= Int64.max - 1 {
      throw DamagedCounter.outOfVersions(entity: entity.name)
    }
    let columns = [ColumnSelection(entityName: entity.name, propertyName: name)]
    let (write, statement) = try self.statement(
      .update(bumpsVersion: !isCounted, checksVersion: false), entity, columns)
    try statement.bind(object.key, at: write.keyIndex)
    try bind(
      StoreValuesRow([name: .object(change.partner)]), columns, to: statement, width: write.width, entity: entity)
    let before = try destinationEntities(of: object, entity, write.entityColumns)
    try self.write(statement, entity: entity)
    try checkIsWritten(entity)
    result.relinked.append(object)
    guard !isInserted else { return }
    let hasOtherEntity = zip(before, try destinationEntities(of: object, entity, write.entityColumns)).contains {
      $0.number != $1.number
    }
    let slots = ChangeBitmap.slots(of: name, in: entity) + (hasOtherEntity ? [.entityColumn(name)] : [])
    if isInBatch {
      try batches?.add(slots, to: object, of: entity)
    } else {
      updatedRows.insert(object)
      history.updated(object, of: entity, slots: slots)
    }
  }

  /// Keys as runs without gaps.
  private static func runs(_ keys: [Int64]) -> [ClosedRange<Int64>] {
    var runs: [ClosedRange<Int64>] = []
    for key in keys.sorted() {
      if let last = runs.last, last.upperBound >= key - 1 {
        runs[runs.count - 1] = last.lowerBound...max(last.upperBound, key)
      } else {
        runs.append(key...key)
      }
    }
    return runs
  }
}
