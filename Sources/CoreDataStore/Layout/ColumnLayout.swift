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
  /// All columns in the order of `CREATE TABLE`, without `Z_PK`, `Z_ENT` and `Z_OPT`.
  package let columns: [ColumnLayout]
}

/// A column with an attribute's value, or with the value of a composite's element.
package struct AttributeColumn: Sendable, Hashable {
  package let column: ColumnLayout
  /// The names from the attribute down to the element: a single name, or several for a composite (CD-2.4).
  package let path: [String]
  /// The attribute, or the element of the composite.
  package let attribute: AttributeDescription

  package var name: Identifier { column.name }
}
