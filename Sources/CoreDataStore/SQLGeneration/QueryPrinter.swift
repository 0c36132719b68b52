import SQLite
import StoreRequests

/// Prints the expressions of one statement as SQL, and collects the values of its placeholders in the order of their places.
///
/// Each variable of the expression is one row source with an alias; each path from it is joined once, on first need. The
/// text depends on the shape of what is printed only: constants become placeholders.
struct QueryPrinter {
  let layout: StoreLayout
  /// Values of the placeholders printed so far.
  var bindings: [StoreValue] = []
  /// Whether what is printed speaks of groups of rows, so that aggregates of them have a meaning.
  var allowsGroupAggregates = false
  private var scopes: [FetchVariable: Scope] = [:]
  private var aliasCount = 0

  /// How deep expressions may nest; SQLite's parser has a stack of 100 entries, of which a level takes at least one.
  static let depthLimit = 80

  /// How many rows may be joined to one; SQLite joins 64 tables at most, of which a join table may be one.
  static let joinLimit = 62

  init(_ layout: StoreLayout) { self.layout = layout }

  /// A row source: a table under an alias, and what is joined to it.
  struct Scope {
    let entity: EntityLayout
    let alias: String
    /// The text after `FROM`, growing with every path.
    var source: String
    /// Rows joined so far, by the relationships that lead to them.
    var joined: [[String]: Row] = [:]
  }

  /// A row an expression can take columns of.
  struct Row {
    let alias: String
    let entity: EntityLayout

    /// The printed name of a column of this row.
    func column(_ name: Identifier) -> String { "\(alias).\(name)" }

    /// The key of the object that a to-one relationship leads to.
    ///
    /// Of a one-to-one relationship a store may have one side only, and either counts (CD-3.1): where the row's own key is
    /// `NULL`, the first row that leads back. Cost: then a look-up in the index of the keys at the other end.
    func key(of relationship: ToOneLayout) -> String { reading(column(relationship.key), or: "Z_PK", of: relationship) }

    /// The entity's number of the object that a to-one relationship leads to.
    func entityNumber(of relationship: ToOneLayout) -> String {
      guard let name = relationship.entityColumn else { return "\(relationship.destinationNumber)" }
      return reading(column(name), or: "Z_ENT", of: relationship)
    }

    private func reading(_ own: String, or other: Identifier, of relationship: ToOneLayout) -> String {
      guard let inverseKey = relationship.inverseKey else { return own }
      let back = "WHERE \(inverseKey) = \(column("Z_PK")) ORDER BY Z_PK LIMIT 1"
      return "coalesce(\(own), (SELECT \(other) FROM \(relationship.destinationTable) \(back)))"
    }
  }

  /// Introduces a variable over an entity's rows.
  ///
  /// - Parameters:
  ///   - name: what the rows are called in the text: the relationship that leads to them; none for those being fetched.
  ///   - source: prints the text after `FROM` for the alias; the entity's own table by default.
  mutating func open(
    _ variable: FetchVariable, over entity: EntityLayout, named name: String = "",
    source: ((_ alias: String) -> String)? = nil
  ) -> Row {
    let alias = nextAlias(name)
    scopes[variable] = Scope(
      entity: entity, alias: alias,
      source: source?(alias) ?? "\(entity.table) \(alias)")
    return Row(alias: alias, entity: entity)
  }

  /// The entity of a variable's rows; `nil` for one that is not introduced.
  func entity(of variable: FetchVariable) -> EntityLayout? { scopes[variable]?.entity }

  /// Ends a variable, and gives its source with everything that was joined to it.
  mutating func close(_ variable: FetchVariable) -> String {
    scopes.removeValue(forKey: variable)?.source ?? ""
  }

  /// `t1_boss`: a number, which makes it one of its kind and no keyword, and what a reader may go by.
  mutating func nextAlias(_ name: String = "") -> String {
    defer { aliasCount += 1 }
    // Names come from models: only what is plain gets into the text.
    let plain = name.utf8.prefix(24).filter { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    return plain.isEmpty ? "t\(aliasCount)" : "t\(aliasCount)_\(String(decoding: plain, as: UTF8.self))"
  }

  /// A placeholder for a value.
  mutating func placeholder(_ value: StoreValue) -> String {
    bindings.append(value)
    return "?"
  }

  // MARK: Paths

  /// The row that relationships lead to from a variable's row, joined if it is not yet.
  mutating func row(_ variable: FetchVariable, _ relationships: some Collection<String>) throws -> Row {
    guard let scope = scopes[variable] else { throw QueryError.unknownVariable(variable.number) }
    var row = Row(alias: scope.alias, entity: scope.entity)
    var walked: [String] = []
    for relationship in relationships {
      walked.append(relationship)
      if let known = scopes[variable]?.joined[walked] {
        row = known
        continue
      }
      guard scopes[variable]?.joined.count ?? 0 < Self.joinLimit else {
        throw QueryError.tooManyPaths(limit: Self.joinLimit)
      }
      let key = try layout.toOne(relationship, of: row.entity)
      let next = Row(alias: nextAlias(relationship), entity: try layout.destination(of: key))
      let kind = kindFilter(next.entity, next)
      scopes[variable]?.source +=
        "\(variable == .root ? "\n" : " ")LEFT JOIN \(next.entity.table) \(next.alias) ON \(next.alias).Z_PK = \(row.key(of: key))\(kind)"
      scopes[variable]?.joined[walked] = next
      row = next
    }
    return row
  }

  /// The entity whose properties a path leads to: the one it is cast to, or else the destination of its last step.
  func entity(_ path: FetchPath, at row: Row) throws -> EntityLayout {
    try path.castTo.map { try layout.existingEntity($0) } ?? row.entity
  }

  /// `value` where the path's cast holds, `NULL` elsewhere.
  func cast(_ path: FetchPath, at row: Row, _ value: String) throws -> String {
    guard let name = path.castTo else { return value }
    let entity = try layout.existingEntity(name)
    return "CASE WHEN \(row.column("Z_ENT")) \(kindTest(entity)) THEN \(value) END"
  }

  /// The key of the object a path leads to: that of its row, since a foreign key may lead nowhere (CD-3.1).
  mutating func key(_ path: FetchPath) throws -> (sql: String, entity: EntityLayout) {
    let row = try row(path.variable, path.relationships)
    return (try cast(path, at: row, row.column("Z_PK")), try entity(path, at: row))
  }

  /// The foreign key that is a path's last step, which serves an index; `nil` where the path ends otherwise.
  mutating func foreignKey(_ path: FetchPath) throws -> ForeignKey? {
    guard path.castTo == nil, let last = path.relationships.last else { return nil }
    let row = try row(path.variable, path.relationships.dropLast())
    let relationship = try layout.toOne(last, of: row.entity)
    let destination = try layout.destination(of: relationship)
    let kind = destination.superentityName == nil ? "" : " AND Z_ENT \(kindTest(destination))"
    return ForeignKey(row: row, relationship: relationship, destination: destination, kindFilter: kind)
  }

  /// A key that leads from a row to one of another entity, or nowhere (CD-3.1).
  struct ForeignKey {
    let row: Row
    let relationship: ToOneLayout
    let destination: EntityLayout
    let kindFilter: String

    var sql: String { row.key(of: relationship) }

    /// A subquery of the destination's keys that pass a test; names of columns are those of its rows.
    func destinations(_ test: String) -> String {
      "(SELECT Z_PK FROM \(destination.table) WHERE Z_PK \(test)\(kindFilter))"
    }

    /// A test that is true of all rows whose key passes a test, and maybe of others, for indexes to find; `nil` where ``sql``
    /// is itself what an index has.
    func candidates(_ test: () -> String) -> String? {
      guard let inverseKey = relationship.inverseKey else { return nil }
      return "(\(row.column(relationship.key)) \(test()) OR \(row.column("Z_PK")) IN "
        + "(SELECT \(inverseKey) FROM \(destination.table) WHERE Z_PK \(test())))"
    }
  }

  /// ` AND …`: that a row is of the entity, as a table of several entities has others too; nothing for a root entity.
  func kindFilter(_ entity: EntityLayout, _ row: Row) -> String {
    entity.superentityName == nil ? "" : " AND \(row.column("Z_ENT")) \(kindTest(entity))"
  }

  /// `= n` or `IN (…)` for the numbers of an entity and its subentities.
  func kindTest(_ entity: EntityLayout) -> String { SQLText.numbersTest(entity.kindNumbers) }
}
