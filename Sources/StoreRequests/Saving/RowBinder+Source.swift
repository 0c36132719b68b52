extension RowBinder {
  /// Lets a source bind its part of a row, and checks that the source has bound every value of this part.
  ///
  /// - Parameters:
  ///   - width: the number of values that the columns have.
  ///   - names: the names of a column's values, for errors, in their order.
  /// - Throws: ``SaveError``, which names the property of a value that cannot be stored, or an error of the source.
  package static func bind(
    _ source: any RowSource, _ columns: [ColumnSelection], to sink: any ParameterSink, width: Int, entityName: String,
    names: (ColumnSelection) -> [String]
  ) throws {
    var binder = RowBinder(sink, startingAt: 1)
    do { try source.bind(columns, into: &binder) } catch let problem as UnstorableValue {
      let all = columns.flatMap(names)
      let position = binder.index - 1
      throw SaveError.unstorable(
        entity: entityName, property: position < all.count ? all[position] : columns.last?.propertyName ?? "", problem)
    }
    guard binder.index == width + 1 else {
      throw SaveError.wrongWidth(entity: entityName, expected: width, bound: binder.index - 1)
    }
  }
}
