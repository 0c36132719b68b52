package import SQLite

/// A join table of a many-to-many relationship (CD-3.3).
package struct JoinTableLayout: Sendable, Hashable {
  package let name: Identifier
  package let master: Side
  /// Equal to `master` for a relationship that is its own inverse.
  package let other: Side
  /// The first column, with the master's key.
  package let masterColumn: Identifier
  /// The second column, with the other's key.
  package let otherColumn: Identifier

  /// One end: a relationship of the entity that declares it.
  package struct Side: Sendable, Hashable {
    package let entityName: String
    package let relationshipName: String
    package let isOrdered: Bool
  }

  package var isReflexive: Bool { master == other }

  /// The order key of a master among the other's objects; `nil` if the other's relationship is not ordered.
  package var masterOrderColumn: Identifier? {
    other.isOrdered && !isReflexive ? JoinTableLayout.orderColumn(of: masterColumn) : nil
  }

  /// The order key of the other among the master's objects; `nil` if the master's relationship is not ordered.
  package var otherOrderColumn: Identifier? {
    master.isOrdered && !isReflexive ? JoinTableLayout.orderColumn(of: otherColumn) : nil
  }

  /// For example `Z_23USERS` → `Z_FOK_23USERS`.
  private static func orderColumn(of column: Identifier) -> Identifier {
    Identifier("Z_FOK_" + column.name.dropFirst(2))
  }
}
