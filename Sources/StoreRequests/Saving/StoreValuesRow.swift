/// A row of plain values to save; for tools and tests, which have no model classes.
package final class StoreValuesRow: RowSource {
  /// The content of a property.
  package enum Content {
    /// The value of an attribute, or those of a composite's leaves in declared order.
    case values([StoreValue])
    /// The destination of a to-one relationship.
    case object(ObjectKey?)
    /// A new row of the same save as the destination of a to-one relationship.
    case row(StoreValuesRow)
  }

  /// Contents by property name.
  package var contents: [String: Content]
  /// The row's identity, once a save has assigned it.
  package private(set) var object: ObjectKey?
  /// Whether a row with the same unique values existed and took the values of this row.
  package private(set) var wasMerged = false

  /// Whether a save compares the values with the types of their columns.
  package let isChecked: Bool

  /// - Parameter isChecked: `false` if the values have the right types already, or are copies of another store's values.
  package init(_ contents: [String: Content] = [:], isChecked: Bool = true) {
    self.contents = contents
    self.isChecked = isChecked
  }

  /// A row of attributes that take one column each.
  package convenience init(values: [String: StoreValue]) {
    self.init(values.mapValues { .values([$0]) })
  }

  /// - Throws: ``QueryError/missingValue(property:entity:)`` for a column that the row has no content for.
  package func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
    for column in columns {
      switch contents[column.propertyName] {
      case .values(let values): for value in values { try binder.bind(value) }
      case .object(let object): try binder.bind(object)
      case .row(let row): try binder.bind(row.object)
      case nil: throw QueryError.missingValue(property: column.propertyName, entity: column.entityName)
      }
    }
  }

  package func assign(_ object: ObjectKey, wasMerged: Bool) {
    self.object = object
    self.wasMerged = wasMerged
  }
}
