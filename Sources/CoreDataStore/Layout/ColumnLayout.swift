package import ManagedModel
package import SQLite

/// A column of an entity table.
package struct ColumnLayout: Sendable, Hashable {
  package let name: Identifier
  package let type: ColumnType
}

/// A table of a root entity and its subentities (CD-2).
package struct TableLayout: Sendable, Hashable {
  package let name: Identifier
  /// The root entity's number.
  package let rootNumber: Int
  /// All columns in the order of `CREATE TABLE`, `Z_PK`, `Z_ENT` and `Z_OPT` not among them.
  package let columns: [ColumnLayout]
}

/// A column that holds an attribute's value, or one element of a composite attribute's.
package struct AttributeColumn: Sendable, Hashable {
  package let column: ColumnLayout
  /// The names from the attribute down to the element: one, or more for composites (CD-2.4).
  package let path: [String]
  /// The attribute, or the element of the composite.
  package let attribute: AttributeDescription

  package var name: Identifier { column.name }
}
