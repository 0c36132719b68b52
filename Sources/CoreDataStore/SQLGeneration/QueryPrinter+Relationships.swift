import SQLite

extension QueryPrinter {
  /// A correlated subquery over the objects of a to-many relationship.
  ///
  /// - Parameter select: prints what to select; it may speak of the variable.
  mutating func subquery(
    _ path: FetchPath, _ relationshipName: String, _ variable: FetchVariable, condition: FetchExpression?, depth: Int,
    select: (inout QueryPrinter) throws -> String
  ) throws -> String {
    let owner = try key(path)
    let relationship = try layout.toMany(relationshipName, of: owner.entity)
    let destination = try layout.destination(of: relationship)
    let row: Row
    let link: String
    switch relationship.storage {
    case .key(let side):
      row = open(variable, over: destination)
      link = "\(row.column(side.key)) = \(owner.sql)\(kindFilter(relationship, destination, row))"
    case .joinTable(let side):
      let pairs = nextAlias()
      row = open(variable, over: destination) { alias in
        "\(side.table) \(pairs) JOIN \(destination.table) \(alias) ON \(alias).Z_PK = \(pairs).\(side.otherColumn)"
      }
      link = "\(pairs).\(side.ownColumn) = \(owner.sql)"
    }
    let selected = try select(&self)
    let filter = try condition.map { try " AND (\(self.condition($0, depth: depth)))" } ?? ""
    return "(SELECT \(selected) FROM \(close(variable)) WHERE \(link)\(filter))"
  }

  /// Needed only where the key belongs to a superentity of the destination, whose other rows may bear it too.
  private func kindFilter(_ relationship: ToManyLayout, _ destination: EntityLayout, _ row: Row) -> String {
    guard let inverse = relationship.inverse, inverse.entityName != destination.name else { return "" }
    return " AND \(row.column("Z_ENT")) \(kindTest(destination))"
  }
}
