import ManagedModel
import SQLite
import StoreRequests

/// A uniqueness constraint that a migration adds at its end, after it has merged rows with equal values.
struct PendingUniqueness: Sendable {
  let entity: String
  let constraint: [String]
  let table: Identifier
  let columns: [Identifier]
  /// The SQL of the unique index.
  let definition: String
}

extension PendingUniqueness {
  /// A query for the duplicates: key and entity of each, then key and entity of the row that is kept instead.
  ///
  /// NULL is equal to nothing, as in SQLite's unique indexes.
  func duplicates(_ policy: ChangeSet.DuplicatePolicy) -> String {
    let group = "PARTITION BY \(list) ORDER BY Z_PK" + (policy == .overwrite ? " DESC" : "")
    return "SELECT Z_PK, Z_ENT, KEEPER, KEEPER_ENT FROM (SELECT Z_PK, Z_ENT, first_value(Z_PK) OVER w AS KEEPER, "
      + "first_value(Z_ENT) OVER w AS KEEPER_ENT FROM \(table) WHERE \(known) WINDOW w AS (\(group))) WHERE Z_PK <> KEEPER"
  }

  /// A query for the number of duplicates.
  var count: String {
    "SELECT ifnull(sum(n - 1), 0) FROM (SELECT count(*) n FROM \(table) WHERE \(known) GROUP BY \(list) HAVING n > 1)"
  }

  /// A query for the equal values of the first duplicates, as text.
  func example(_ entity: EntityLayout) -> String {
    let texts = zip(constraint, columns).map { name, column in
      switch entity.property(named: name) {
      case .attribute(let attribute)? where attribute.description.type == .date:
        "strftime('%Y-%m-%dT%H:%M:%SZ', \(column) + 978307200, 'unixepoch')"
      case .attribute(let attribute)? where attribute.description.type == .string: "'“' || \(column) || '”'"
      case .toOne?: "'object ' || \(column)"
      default: "CASE typeof(\(column)) WHEN 'blob' THEN hex(\(column)) ELSE CAST(\(column) AS TEXT) END"
      }
    }
    return "SELECT \(texts.joined(separator: " || ', ' || ")) FROM \(table) WHERE \(known) GROUP BY \(list) "
      + "HAVING count(*) > 1 ORDER BY min(Z_PK) LIMIT 1"
  }

  private var list: String { columns.map(\.description).joined(separator: ", ") }
  private var known: String { columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ") }
}
