package import SQLite

extension StoredTables {
  /// The pairs of a many-to-many relationship and its inverse, which one table holds (CD-3.3).
  package struct Pairs: Sendable {
    package let ownerName: String
    package let relationshipName: String
    package let destinationName: String
    /// Whether a pair has the destination's position among the owner's objects.
    package var hasPositions: Bool { side.orderColumn != nil }
    /// Whether a pair has the owner's position among the objects of the inverse.
    package var hasOwnerPositions: Bool { side.inverseOrderColumn != nil }
    fileprivate let side: ToManyLayout.JoinSide
  }

  /// The names of the columns of pairs in a result; `nil` leaves a position out.
  package struct PairNames: Sendable {
    package let owner: Identifier
    package let destination: Identifier
    package let position: Identifier?
    package let ownerPosition: Identifier?

    package init(owner: Identifier, destination: Identifier, position: Identifier?, ownerPosition: Identifier?) {
      self.owner = owner
      self.destination = destination
      self.position = position
      self.ownerPosition = ownerPosition
    }
  }

  /// In the order of their tables' creation.
  package var pairs: [Pairs] {
    layout.joinTables.compactMap { join in
      guard
        case .toMany(let relationship)? = layout.entity(named: join.master.entityName)?
          .property(named: join.master.relationshipName), case .joinTable(let side) = relationship.storage
      else { return nil }
      return Pairs(
        ownerName: join.master.entityName, relationshipName: join.master.relationshipName,
        destinationName: relationship.destinationName, side: side)
    }
  }

  /// The query for the pairs whose two objects exist.
  package func select(_ pairs: Pairs, as names: PairNames) -> String {
    let side = pairs.side
    let columns: [(name: Identifier?, column: Identifier?)] = [
      (names.owner, side.ownColumn), (names.destination, side.otherColumn), (names.position, side.orderColumn),
      (names.ownerPosition, side.inverseOrderColumn),
    ]
    let terms = columns.compactMap { name, column in
      name.flatMap { name in column.map { "j.\($0) AS \(name.quoted)" } }
    }
    func exists(_ entity: String, _ column: Identifier) -> String {
      guard let table = layout.entity(named: entity)?.table else { return "0" }
      return "EXISTS (SELECT 1 FROM main.\(table) t WHERE t.Z_PK = j.\(column))"
    }
    return "SELECT \(terms.joined(separator: ", ")) FROM main.\(side.table) j"
      + " WHERE \(exists(pairs.ownerName, side.ownColumn)) AND \(exists(pairs.destinationName, side.otherColumn))"
  }
}
