package import Foundation

/// A value as a column holds it (CD-5); for predicates, tools and tests. Rows of objects never go through it.
package enum StoreValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)
}

/// The identity of a row in a store: its entity's number and its primary key.
package struct ObjectKey: Sendable, Hashable {
  /// `Z_ENT` of the row: the actual entity, not a superentity (CD-6).
  package var entity: Int32
  /// `Z_PK`.
  package var key: Int64

  package init(entity: Int32, key: Int64) {
    self.entity = entity
    self.key = key
  }
}
