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
      let owners = pair.sides.map { rows(leading: $0, content) }
      for (index, keys) in keys.enumerated() {
        let side = PartnerLinks.Side(rawValue: index) ?? .first
        for key in keys { note(key, side, pair, content, owners, &links) }
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

  /// The rows of one side of a relationship, by the key of the row that they lead to.
  private func rows(leading side: PartnerSide, _ content: Content) -> [Int64: [Row]] {
    let kinds = Set(side.entity.kindNumbers)
    var rows: [Int64: [Row]] = [:]
    for row in (content.rows[side.entity.hierarchy] ?? [:]).values where kinds.contains(row.entity) {
      if let key = destination(of: row, side) { rows[key, default: []].append(row) }
    }
    return rows
  }

  private func destination(of row: Row, _ side: PartnerSide) -> Int64? {
    if case .integer(let key)? = row.values[side.name]?.first { key } else { nil }
  }

  /// Notes the rows whose keys disagree with a written one: its partner, other owners of the partner, and former partners.
  ///
  /// - Parameter owners: the rows of each side by the key that they lead to.
  private func note(
    _ key: Int64, _ side: PartnerLinks.Side, _ pair: OneToOne<PartnerSide>, _ content: Content,
    _ owners: [[Int64: [Row]]], _ links: inout PartnerLinks
  ) {
    let inverse = links.inverse(of: side)
    let (near, far) = (pair.side(side), pair.side(inverse))
    guard let own = content.rows[near.entity.hierarchy]?[key],
      entities.isKind(own.entity, of: near.entity.number)
    else { return }
    let partner = destination(of: own, near)
    var others = (partner.flatMap { owners[side.rawValue][$0] } ?? []).filter { $0.key != key }.map { ($0, side) }
    let row = partner.flatMap { content.rows[far.entity.hierarchy]?[$0] }
    if let row, entities.isKind(row.entity, of: far.entity.number), destination(of: row, far) != key {
      others.append((row, inverse))
    }
    others += (owners[inverse.rawValue][key] ?? []).filter { $0.key != partner }.map { ($0, inverse) }
    guard !others.isEmpty else { return }
    links.note(ObjectKey(entity: own.entity, key: key), side, leadsTo: partner)
    for (row, side) in others {
      links.note(ObjectKey(entity: row.entity, key: row.key), side, leadsTo: destination(of: row, pair.side(side)))
    }
  }
}
