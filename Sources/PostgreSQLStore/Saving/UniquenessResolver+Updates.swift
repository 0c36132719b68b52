import PostgreSQL
import StoreRequests

extension UniquenessResolver {
  /// The values of a constraint that an updated row will have.
  struct UpdatedRow {
    let object: ObjectKey
    let entityName: String
    let constraint: UniqueConstraint
    let values: UniqueValues
    /// The version that the row has before the save.
    let version: Int64
  }

  /// A constraint of an updated row, some of whose properties get new values.
  private struct Wanted {
    let update: ChangeSet.Update
    let entity: StoreEntity
    let constraint: UniqueConstraint
  }

  /// The updated rows with a changed unique value, in the order of the updates. Leaves out rows that are gone, and values
  /// with a `NULL`, which equal no value. Cost: one query for each constraint.
  ///
  /// - Parameter withKeys: `true` for constraints that include a relationship, `false` for all others, `nil` for both.
  func updatedRows(withKeys: Bool? = nil) throws -> [UpdatedRow] {
    var wanted: [Wanted] = []
    for update in changes.updates where !update.columns.isEmpty {
      let entity = try layout.existingEntity(update.object.entity)
      let changed = Set(update.columns.map(\.propertyName))
      for constraint in constraints(of: entity) where !changed.isDisjoint(with: constraint.propertyNames) {
        let hasKey = constraint.propertyNames.contains {
          if case .toOne = entity.property(named: $0) { true } else { false }
        }
        if withKeys == nil || withKeys == hasKey {
          wanted.append(Wanted(update: update, entity: entity, constraint: constraint))
        }
      }
    }
    var present: [Identifier: PresentRows] = [:]
    for (name, group) in Dictionary(grouping: wanted, by: \.constraint.name) {
      if let constraint = group.first?.constraint {
        present[name] = try presentRows(group.map(\.update.object.key), constraint)
      }
    }
    return try wanted.compactMap { wanted in
      let (object, constraint) = (wanted.update.object, wanted.constraint)
      guard let found = present[constraint.name], let row = found.rows[object.key] else { return nil }
      let given = try givenForms(wanted)
      let forms = constraint.columns.enumerated().map { index, column in
        (column.type, given[column.name] ?? found.result.form(row, 2 + index))
      }
      return UniqueValues(constraint, forms).map { values in
        UpdatedRow(
          object: object, entityName: wanted.entity.name, constraint: constraint, values: values,
          version: found.result.integer(row, 1))
      }
    }
  }

  /// Rows as they are before the save: key, version, and the columns of a constraint.
  private struct PresentRows {
    let result: QueryResult
    /// The places of the rows by their keys.
    let rows: [Int64: Int]
  }

  private func presentRows(_ keys: [Int64], _ constraint: UniqueConstraint) throws -> PresentRows {
    let names = constraint.columns.map { ", \($0.name)" }.joined()
    let result = try connection.run(
      "SELECT \(TableLayout.key), \(TableLayout.version)\(names) FROM \(layout.table(of: constraint.entity).sql) "
        + "WHERE \(TableLayout.key) = ANY ($1)", [.integers(keys)])
    return PresentRows(
      result: result,
      rows: Dictionary(
        (0..<result.rowCount).map { (result.integer($0, 0), $0) }, uniquingKeysWith: { first, _ in first }))
  }

  /// The forms of the values that an update gives the columns of a constraint.
  private func givenForms(_ wanted: Wanted) throws -> [Identifier: [UInt8]?] {
    let changed = Set(wanted.update.columns.map(\.propertyName))
    let columns = wanted.constraint.propertyNames.filter(changed.contains).map {
      ColumnSelection(entityName: wanted.entity.name, propertyName: $0)
    }
    let places = try layout.columns(columns, of: wanted.entity)
    let sink = RowSink(places)
    try RowBinder.bind(wanted.update.source, columns, to: sink, width: places.count, entity: wanted.entity)
    return Dictionary(
      zip(places, sink.forms).compactMap { place, form in place.map { ($0.name, form) } },
      uniquingKeysWith: { first, _ in first })
  }
}

extension QueryResult {
  /// The binary form of a value; `nil` for `NULL`.
  fileprivate func form(_ row: Int, _ column: Int) -> [UInt8]? { bytes(row, column).map { Array($0) } }
}
