import ManagedModel

/// An entity in the making.
struct EntityDraft {
  let table: Catalogue.Table
  let name: String
  /// By the numbers of the columns.
  var columns: [Int: PropertyDescription] = [:]
  /// The relationships without a column: inverses and many-to-many relationships.
  var inverses: [PropertyDescription] = []
  var names = NameClaims()
  var uniquenessConstraints: [[String]] = []
  var indexes: [FetchIndexDescription] = []

  /// Columns in their order, then inverses.
  var entity: EntityDescription {
    EntityDescription(
      name: name, properties: columns.sorted { $0.key < $1.key }.map(\.value) + inverses,
      uniquenessConstraints: uniquenessConstraints, fetchIndexes: indexes)
  }

  /// The names of the properties of some columns; `nil` if a column has none.
  func properties(_ numbers: [Int]) -> [String]? {
    let names = numbers.compactMap { columns[$0]?.name }
    return names.count == numbers.count ? names : nil
  }
}

extension Catalogue.Table {
  /// The columns of each primary key, uniqueness constraint and plain unique index; the primary key is the first.
  var keys: [[Int]] {
    constraints.filter { $0.kind == .primaryKey }.map(\.columns)
      + constraints.filter { $0.kind == .unique }.map(\.columns)
      + indexes.filter { $0.isUnique && !$0.isPartial && !$0.hasExpressions }.map(\.columns)
  }

  /// Whether a key tells all rows apart.
  var hasKey: Bool {
    keys.contains { key in key.allSatisfy { column($0)?.isRequired == true } }
  }

  var foreignKeys: [Catalogue.Constraint] { constraints.filter { $0.kind == .foreignKey } }

  /// The two foreign keys of a table that has pairs of rows and nothing else; `nil` for any other table.
  var pair: (own: Catalogue.Constraint, other: Catalogue.Constraint)? {
    let links = foreignKeys.sorted { ($0.columns.first ?? 0) < ($1.columns.first ?? 0) }
    guard columns.count == 2, links.count == 2, links.allSatisfy({ $0.columns.count == 1 }),
      links.map(\.columns) == columns.map({ [$0.number] }), columns.allSatisfy(\.isRequired),
      keys.contains(where: { Set($0) == Set(columns.map(\.number)) })
    else { return nil }
    return (links[0], links[1])
  }
}
