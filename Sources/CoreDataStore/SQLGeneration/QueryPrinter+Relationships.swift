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
      link = "\(row.column(side.key)) = \(owner.sql)"
    case .joinTable(let side):
      let pairs = nextAlias()
      row = open(variable, over: destination) { alias in
        "\(side.table) \(pairs) JOIN \(destination.table) \(alias) ON \(alias).Z_PK = \(pairs).\(side.otherColumn)"
      }
      link = "\(pairs).\(side.ownColumn) = \(owner.sql)"
    }
    let kind = kindFilter(destination, row)
    let selected = try select(&self)
    let filter = try condition.map { try " AND (\(self.condition($0, depth: depth)))" } ?? ""
    return "(SELECT \(selected) FROM \(close(variable)) WHERE \(link)\(kind)\(filter))"
  }
}
