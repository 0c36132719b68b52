package import SQLite

/// A join table of a many-to-many relationship (CD-3.3).
package struct JoinTableLayout: Sendable, Hashable {
  package let name: Identifier
  package let master: Side
  /// Equal to `master` for a relationship that is its own inverse.
  package let other: Side
  /// Holds the master's key, and is the first column.
  package let masterColumn: Identifier
  /// Holds the other's key, and is the second column.
  package let otherColumn: Identifier

  /// One end: a relationship of the entity that declares it.
  package struct Side: Sendable, Hashable {
    package let entityName: String
    package let relationshipName: String
    package let isOrdered: Bool
  }

  package var isReflexive: Bool { master == other }

  /// The place of a master among the other's objects; `nil` where the other's relationship is not ordered.
  package var masterOrderColumn: Identifier? {
    other.isOrdered && !isReflexive ? JoinTableLayout.orderColumn(of: masterColumn) : nil
  }

  /// The place of an other among the master's objects; `nil` where the master's relationship is not ordered.
  package var otherOrderColumn: Identifier? {
    master.isOrdered && !isReflexive ? JoinTableLayout.orderColumn(of: otherColumn) : nil
  }

  /// `Z_23USERS` → `Z_FOK_23USERS`.
  private static func orderColumn(of column: Identifier) -> Identifier {
    Identifier("Z_FOK_" + column.name.dropFirst(2))
  }
}
