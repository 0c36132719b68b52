import SQLite
import StoreRequests

extension RowBinder {
  /// Lets a source bind its part of a statement, and checks that the source has bound every value of this part.
  ///
  /// - Throws: ``SaveError``, which names the property of a value that cannot be stored, or an error of the source.
  static func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to statement: Statement, width: Int, entity: EntityLayout
  ) throws {
    // Objects of model classes already have values of the right types.
    if let row = source as? StoreValuesRow, row.isChecked { try row.check(columns, of: entity) }
    try bind(source, columns, to: statement, width: width, entityName: entity.name) { column in
      switch entity.property(named: column.propertyName) {
      case .attribute(let attribute): attribute.columns.map { $0.path.joined(separator: ".") }
      case .toOne: [column.propertyName, column.propertyName]
      case .toMany, nil: []
      }
    }
  }
}

extension StoreValuesRow {
  /// Checks the row's values against the columns.
  ///
  /// - Throws: ``SaveError/unstorable(entity:property:_:)``
  fileprivate func check(_ columns: [ColumnSelection], of entity: EntityLayout) throws {
    for column in columns {
      guard case .attribute(let attribute) = entity.property(named: column.propertyName),
        case .values(let values) = contents[column.propertyName]
      else { continue }
      for (column, value) in zip(attribute.columns, values) {
        do throws(UnstorableValue) { try column.check(value) } catch {
          throw SaveError.unstorable(
            entity: entity.name, property: column.path.joined(separator: "."), error)
        }
      }
    }
  }
}
