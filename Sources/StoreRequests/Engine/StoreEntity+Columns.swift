extension StoreEntity {
  /// The names of the values of a column, in their order: an attribute's, a composite's leaves', or a relationship's, which has two.
  package func valueNames(of column: ColumnSelection) -> [String] {
    switch property(named: column.propertyName) {
    case .attribute(let attribute): attribute.leaves.map { $0.path.joined(separator: ".") }
    case .toOne: [column.propertyName, column.propertyName]
    case .toMany, nil: []
    }
  }
}
