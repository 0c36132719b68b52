import SQLite
import StoreRequests

extension RowBinder {
  /// Lets a source bind its part of a statement, and checks that the source has bound every value of this part.
  ///
  /// - Throws: ``SaveError``, which names the property of a value that cannot be stored, or an error of the source.
  static func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to statement: Statement, width: Int, entity: EntityLayout
  ) throws {
    var binder = RowBinder(statement, startingAt: 1)
    do {
      // Objects of model classes already have values of the right types.
      if let row = source as? StoreValuesRow, row.isChecked { try row.check(columns, of: entity) }
      try source.bind(columns, into: &binder)
    } catch let problem as UnstorableValue {
      throw SaveError.unstorable(
        entity: entity.name, property: property(at: binder.index - 1, of: columns, entity), problem)
    }
    guard binder.index == width + 1 else {
      throw SaveError.wrongWidth(entity: entity.name, expected: width, bound: binder.index - 1)
    }
  }

  /// Returns the property whose value stands at a position, counted from 0.
  private static func property(at position: Int, of columns: [ColumnSelection], _ entity: EntityLayout) -> String {
    var end = 0
    for column in columns {
      switch entity.property(named: column.propertyName) {
      case .attribute(let attribute):
        if position < end + attribute.columns.count {
          return attribute.columns[position - end].path.joined(separator: ".")
        }
        end += attribute.columns.count
      case .toOne: end += 2
      case .toMany, nil: break
      }
      if position < end { return column.propertyName }
    }
    return columns.last?.propertyName ?? ""
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
