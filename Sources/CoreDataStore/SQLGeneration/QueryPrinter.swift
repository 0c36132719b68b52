import SQLite
import StoreRequests

/// Prints the expressions of a statement as SQL, and collects the values of its placeholders in order.
///
/// Each variable of an expression is a table with an alias. The first use of a path joins its tables; later uses share the join.
/// The text depends on the shape of the expressions: constants become placeholders.
struct QueryPrinter {
  let layout: StoreLayout
  /// Values of the placeholders printed so far.
  var bindings: [StoreValue] = []
  /// Whether a constant's value decided about the text; its class may decide at any time (see `FetchShape`).
  var dependsOnValues = false
  /// Whether the expressions are about groups of rows, so that aggregates are allowed.
  var allowsGroupAggregates = false
  private var scopes: [FetchVariable: Scope] = [:]
  private var aliasCount = 0

  /// The nesting depth of expressions. SQLite's parser has a stack of 100 entries, and a level takes at least one.
  static let depthLimit = 80

  /// The most rows joined to one row. SQLite joins at most 64 tables, and a join table may be one of them.
  static let joinLimit = 62

  /// More constants than this are printed as literals. SQLite has at most 32,766 placeholders.
  static let placeholderLimit = 8192

  init(_ layout: StoreLayout) { self.layout = layout }

  /// A row source: a table with an alias, and the tables joined to it.
  struct Scope {
    let entity: EntityLayout
    let alias: String
    /// The text after `FROM`, which grows with every path.
    var source: String
    /// The joined rows, by the steps that lead to them.
    var joined: [[FetchPath.Step]: Row] = [:]
  }

  /// A row whose columns expressions can use.
  struct Row {
    let alias: String
    let entity: EntityLayout

    /// The printed name of a column of this row.
    func column(_ name: Identifier) -> String { "\(alias).\(name)" }

    /// The key of a to-one relationship's object.
    ///
    /// A store may have set only one side of a one-to-one relationship, and either side counts (CD-3.1). If the row's own
    /// key is `NULL`, the first row that refers back is the object. Cost: a look-up in the index of the inverse key, in
    /// that case.
    func key(of relationship: ToOneLayout) -> String { reading(column(relationship.key), or: "Z_PK", of: relationship) }

    /// The entity number of a to-one relationship's object.
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

  /// Opens a variable over an entity's rows.
  ///
  /// - Parameters:
  ///   - name: a word for the alias, such as the relationship that leads to the rows; empty for fetched rows.
  ///   - source: prints the text after `FROM` for the alias; by default the entity's own table.
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

  /// The entity of a variable's rows; `nil` if the variable is not open.
  func entity(of variable: FetchVariable) -> EntityLayout? { scopes[variable]?.entity }

  /// Closes a variable. Returns its source with all tables that were joined to it.
  mutating func close(_ variable: FetchVariable) -> String {
    scopes.removeValue(forKey: variable)?.source ?? ""
  }

  /// For example `t1_boss`. The number makes it unique, and distinct from keywords; the name is for readers.
  mutating func nextAlias(_ name: String = "") -> String {
    defer { aliasCount += 1 }
    // Names come from models, so only plain characters get into the text.
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

  /// A placeholder for a value, or a literal if there are too many placeholders.
  mutating func placeholder(_ value: StoreValue) -> String {
    guard bindings.count < Self.placeholderLimit else {
      dependsOnValues = true
      return value.sqlLiteral
    }
    bindings.append(value)
    return "?"
  }

  // MARK: Paths

  /// The row at the end of steps from a variable's row, joined on first use.
  mutating func row(_ variable: FetchVariable, _ steps: some Collection<FetchPath.Step>) throws -> Row {
    guard let scope = scopes[variable] else { throw QueryError.unknownVariable(variable.number) }
    var row = Row(alias: scope.alias, entity: scope.entity)
    var walked: [FetchPath.Step] = []
    for step in steps {
      walked.append(step)
      if let known = scopes[variable]?.joined[walked] {
        row = known
        continue
      }
      guard scopes[variable]?.joined.count ?? 0 < Self.joinLimit else {
        throw QueryError.tooManyPaths(limit: Self.joinLimit)
      }
      let cast = try step.castTo.map { try layout.existingEntity($0) }
      let key = try layout.toOne(step.relationship, of: cast ?? row.entity)
      let next = Row(alias: nextAlias(step.relationship), entity: try layout.destination(of: key))
      let kind = kindFilter(next.entity, next) + (cast.map { kindFilter($0, row) } ?? "")
      scopes[variable]?.source +=
        "\(variable == .root ? "\n" : " ")LEFT JOIN \(next.entity.table) \(next.alias) ON \(next.alias).Z_PK = \(row.key(of: key))\(kind)"
      scopes[variable]?.joined[walked] = next
      row = next
    }
    return row
  }

  /// The entity at the end of a path: the class of its cast, or else the destination of its last step.
  func entity(_ path: FetchPath, at row: Row) throws -> EntityLayout {
    try path.castTo.map { try layout.existingEntity($0) } ?? row.entity
  }

  /// `value` if the path's cast succeeds, else `NULL`.
  func cast(_ path: FetchPath, at row: Row, _ value: String) throws -> String {
    guard let name = path.castTo else { return value }
    let entity = try layout.existingEntity(name)
    return "CASE WHEN \(row.column("Z_ENT")) \(kindTest(entity)) THEN \(value) END"
  }

  /// The key of the object at the end of a path. It is the key of the joined row, since a foreign key may refer to no
  /// row (CD-3.1).
  mutating func key(_ path: FetchPath) throws -> (sql: String, entity: EntityLayout) {
    let row = try row(path.variable, path.steps)
    return (try cast(path, at: row, row.column("Z_PK")), try entity(path, at: row))
  }

  /// The foreign key of a path's last step, which an index serves; `nil` for other paths.
  mutating func foreignKey(_ path: FetchPath) throws -> ForeignKey? {
    guard path.castTo == nil, let last = path.steps.last, last.castTo == nil else { return nil }
    let row = try row(path.variable, path.steps.dropLast())
    let relationship = try layout.toOne(last.relationship, of: row.entity)
    let destination = try layout.destination(of: relationship)
    let kind = destination.superentityName == nil ? "" : " AND Z_ENT \(kindTest(destination))"
    return ForeignKey(row: row, relationship: relationship, destination: destination, kindFilter: kind)
  }

  /// A key that refers to a row of another entity, or to no row (CD-3.1).
  struct ForeignKey {
    let row: Row
    let relationship: ToOneLayout
    let destination: EntityLayout
    let kindFilter: String

    var sql: String { row.key(of: relationship) }

    /// A subquery of the destination's keys that pass a test. Column names in the test are the destination's.
    func destinations(_ test: String) -> String {
      "(SELECT Z_PK FROM \(destination.table) WHERE Z_PK \(test)\(kindFilter))"
    }

    /// A test that is true for all rows whose key passes a test, and possibly for other rows, so that an index can
    /// serve it; `nil` if an index serves ``sql`` itself.
    func candidates(_ test: () -> String) -> String? {
      guard let inverseKey = relationship.inverseKey else { return nil }
      return "(\(row.column(relationship.key)) \(test()) OR \(row.column("Z_PK")) IN "
        + "(SELECT \(inverseKey) FROM \(destination.table) WHERE Z_PK \(test())))"
    }
  }

  /// ` AND …`: the test that a row has the entity, for a table with several entities; empty for a root entity.
  func kindFilter(_ entity: EntityLayout, _ row: Row) -> String {
    entity.superentityName == nil ? "" : " AND \(row.column("Z_ENT")) \(kindTest(entity))"
  }

  /// `= n` or `IN (…)` for the numbers of an entity and its subentities.
  func kindTest(_ entity: EntityLayout) -> String { SQLText.numbersTest(entity.kindNumbers) }
}
