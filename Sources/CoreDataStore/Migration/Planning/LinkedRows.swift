import SQLite

/// The rows of join tables that are written already, so that the mappings of both sides of a relationship write them once.
struct LinkedRows {
  private struct Part: Hashable {
    let new: Identifier
    let old: Identifier
    /// Whether the first column of the one table is the second of the other.
    let isCrossed: Bool
    /// The entity mappings of the first and of the second column.
    let first: Int
    let second: Int
  }

  private var parts: Set<Part> = []

  /// The entity mappings of members whose links are still to be written.
  func missing(_ link: MappedLink, of owners: Int, in rows: MappedRows) -> [Int] {
    // A listed row may have several new rows. The first of them is used.
    guard !(link.members + [owners]).contains(where: { rows.isListed[$0] }), link.side?.orderColumn == nil else {
      return link.members
    }
    return link.members.filter { member in part(link, owners, member).map { !parts.contains($0) } ?? true }
  }

  mutating func add(_ link: MappedLink, of owners: Int) {
    for member in link.members { part(link, owners, member).map { _ = parts.insert($0) } }
  }

  private func part(_ link: MappedLink, _ owners: Int, _ member: Int) -> Part? {
    guard let new = link.side, case .toMany(let former) = link.former, case .joinTable(let old) = former.storage,
      !new.isReflexive, !old.isReflexive
    else { return nil }
    let isFirst = new.ownColumn.name < new.otherColumn.name
    return Part(
      new: new.table, old: old.table, isCrossed: isFirst != (old.ownColumn.name < old.otherColumn.name),
      first: isFirst ? owners : member, second: isFirst ? member : owners)
  }
}

extension MappedLink {
  /// The new join table; `nil` for keys.
  fileprivate var side: ToManyLayout.JoinSide? {
    guard case .toMany(let toMany) = relationship, case .joinTable(let side) = toMany.storage else { return nil }
    return side
  }
}
