import ManagedModel
import StoreRequests

extension MemoryEngine {
  /// Lets the keys of one-to-one relationships agree of which a save has written one; see ``PartnerLinks``.
  ///
  /// - Parameter written: the rows that the save has inserted and updated, with the properties that it has written.
  func alignPartners(
    _ written: [(object: ObjectKey, properties: [String])], _ content: inout Content, _ result: inout SaveResult
  ) throws {
    for pair in OneToOne.all(in: entities) {
      let keys = pair.sides.map { side in
        written.filter {
          entities.isKind($0.object.entity, of: side.entity.number) && $0.properties.contains(side.name)
        }
        .map(\.object.key)
      }
      var links = PartnerLinks(isReflexive: pair.isReflexive)
      for (index, keys) in keys.enumerated() {
        let side = PartnerLinks.Side(rawValue: index) ?? .first
        for key in keys { note(key, side, pair, content, &links) }
      }
      for change in links.changes(written: keys, isRequired: { pair.side($0).isRequired }) {
        let side = pair.side(change.side)
        guard change.partner != nil || !side.isRequired else {
          throw SaveError.noPartner(entity: side.entity.name, relationship: side.name)
        }
        var row = content.rows[side.entity.hierarchy]?[change.object.key]
        row?.values[side.name] =
          change.partner.map { [.integer($0.key), .integer(Int64($0.entity))] } ?? [.null, .null]
        if !written.contains(where: { $0.object == change.object }) && !result.relinked.contains(change.object) {
          row?.version += 1
        }
        content.rows[side.entity.hierarchy]?[change.object.key] = row
        result.relinked.append(change.object)
      }
    }
  }

  /// Notes the rows whose keys disagree with a written one: its partner, other owners of the partner, and former partners.
  private func note(
    _ key: Int64, _ side: PartnerLinks.Side, _ pair: OneToOne<PartnerSide>, _ content: Content,
    _ links: inout PartnerLinks
  ) {
    let inverse = links.inverse(of: side)
    func rows(_ side: PartnerLinks.Side) -> [Row] {
      let entity = pair.side(side).entity
      return (content.rows[entity.hierarchy] ?? [:]).values.filter { entities.isKind($0.entity, of: entity.number) }
    }
    func destination(of row: Row, _ side: PartnerLinks.Side) -> Int64? {
      if case .integer(let key)? = row.values[pair.side(side).name]?.first { key } else { nil }
    }
    guard let own = rows(side).first(where: { $0.key == key }) else { return }
    let partner = destination(of: own, side)
    let others =
      rows(side).filter { $0.key != key && partner != nil && destination(of: $0, side) == partner }.map { ($0, side) }
      + rows(inverse).filter { ($0.key == partner) != (destination(of: $0, inverse) == key) }.map { ($0, inverse) }
    guard !others.isEmpty else { return }
    links.note(ObjectKey(entity: own.entity, key: key), side, leadsTo: partner)
    for (row, side) in others {
      links.note(ObjectKey(entity: row.entity, key: row.key), side, leadsTo: destination(of: row, side))
    }
  }
}
