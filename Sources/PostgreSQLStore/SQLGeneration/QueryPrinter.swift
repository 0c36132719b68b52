import ManagedModel
import PostgreSQL
import StoreRequests

/// Prints the expressions of a statement as SQL, and collects its parameters.
///
/// Each variable of an expression is a table with an alias. The first use of a path joins its tables; later uses share the join.
///
/// Some functions of PostgreSQL have the result of Swift's function only for some values. For example, both find the same small
/// letters for a text of ASCII, but not for any text. The printer then adds a *doubt*: the condition under which both results are
/// equal. A statement with doubts selects more rows than the request, and memory tests each of them; see ``isExact``.
struct QueryPrinter {
  let layout: StoreLayout
  /// Answers what the printer asks about the request's constants.
  var reader: ConstantReader
  /// The sources of the placeholders' values.
  private(set) var bindings: [Binding] = []
  /// The values of the placeholders.
  var parameters: [Parameter] { bindings.map { $0.parameter(reader.constants) } }
  /// The conditions under which the values printed so far are the values of their expressions.
  var doubts: [String] = []
  /// Whether the printed conditions are true for the very rows for which the expressions are true.
  var isExact = true
  /// Whether the expressions are about groups of rows, so that aggregates are allowed.
  var allowsGroupAggregates = false
  /// Whether the expressions are about the rows of a group, inside an aggregate.
  var isAboutRows = false
  /// The SQL of expressions that are printed the same way each time.
  private(set) var kept: [FetchExpression: SQLValue] = [:]
  private var scopes: [FetchVariable: Scope] = [:]
  private var aliasCount = 0

  /// The nesting depth of expressions, which bounds the server's stack.
  static let depthLimit = 80
  /// The most rows joined to one row.
  static let joinLimit = 62

  init(_ layout: StoreLayout, _ reader: ConstantReader = ConstantReader()) {
    self.layout = layout
    self.reader = reader
  }

  /// Thrown within the printer for an expression that has no form in SQL: memory evaluates the condition around it.
  struct Undecidable: Error {}

  /// A row source: a table with an alias, and the tables joined to it.
  struct Scope {
    let entity: StoreEntity
    let alias: String
    /// The text after `FROM`, which grows with every path.
    var source: String
    /// The joined rows, by the steps that lead to them.
    var joined: [[FetchPath.Step]: Row] = [:]
  }

  /// A row whose columns expressions can use.
  struct Row {
    let alias: String
    let entity: StoreEntity

    func column(_ name: Identifier) -> String { "\(alias).\(name)" }

    var key: String { column(TableLayout.key) }
  }

  // MARK: Placeholders

  /// A placeholder for a value.
  mutating func placeholder(_ binding: Binding) -> String {
    bindings.append(binding)
    return "$\(bindings.count)"
  }

  /// A placeholder for an integer, such as the key of an object.
  mutating func integer(_ value: Int64) -> String {
    placeholder(
      reader.source(.integer(value), .compared(with: .integer)).map { .value(.integer64, $0) }
        ?? .parameter(.integer(value)))
  }

  /// A placeholder for a constant as a value of a kind; `nil` if no value of the kind equals it.
  mutating func placeholder(_ constant: StoreValue, as kind: SQLValue.Kind) -> String? {
    reader.source(constant, .compared(with: kind)).map { placeholder(.value(kind.type, $0)) }
  }

  /// Prints expressions, and uses the same SQL wherever they occur from now on.
  ///
  /// An expression that is part of another one is printed anew there: the length of a text that is also grouped by is that of the
  /// row's text, not that of the composed text.
  mutating func keep(_ expressions: [FetchExpression]) throws {
    var printed: [FetchExpression: SQLValue] = [:]
    for expression in expressions where printed[expression] == nil {
      if case .object(let path) = expression {
        let row = try row(path.variable, path.steps)
        printed[expression] = SQLValue(sql: try cast(path, at: row, row.key), kind: .integer)
        continue
      }
      var value = try value(expression)
      switch value.kind {
      case .text: value = SQLValue(sql: value.composed, kind: .text, isComposed: true)
      // Beyond 64 bits the server reports an error.
      case .wideInteger: value = SQLValue(sql: "(\(value.sql))::bigint", kind: .integer)
      default: break
      }
      printed[expression] = value
    }
    kept.merge(printed) { $1 }
  }

  /// Prints; forgets the parameters of an expression that turns out to have no form in SQL.
  mutating func attempt<Result>(_ print: (inout Self) throws -> Result) throws -> Result {
    let count = bindings.count
    do { return try print(&self) } catch let problem as Undecidable {
      bindings.removeSubrange(count...)
      throw problem
    }
  }

  // MARK: Variables and paths

  /// Opens a variable over an entity's rows.
  ///
  /// - Parameters:
  ///   - name: a word for the alias, such as the relationship that leads to the rows; empty for fetched rows.
  ///   - source: prints the text after `FROM` for the alias; by default the entity's own table.
  mutating func open(
    _ variable: FetchVariable, over entity: StoreEntity, named name: String = "",
    source: ((_ alias: String) -> String)? = nil
  ) -> Row {
    let alias = nextAlias(name)
    scopes[variable] = Scope(
      entity: entity, alias: alias, source: source?(alias) ?? "\(layout.table(of: entity).sql) \(alias)")
    return Row(alias: alias, entity: entity)
  }

  /// The operand of an aggregate over a variable's rows. The server takes an aggregate of other rows only for one of the query around.
  func operand(_ value: SQLValue, over variable: FetchVariable) -> SQLValue {
    guard let scope = scopes[variable] else { return value }
    let aliases = [scope.alias] + scope.joined.values.map(\.alias)
    if aliases.contains(where: { value.sql.usesAlias($0) }) { return value }
    let key = Row(alias: scope.alias, entity: scope.entity).key
    return SQLValue(sql: "CASE WHEN \(key) IS NOT NULL THEN \(value.sql) END", kind: value.kind)
  }

  /// The entity of an open variable's rows.
  func entity(of variable: FetchVariable) -> StoreEntity? { scopes[variable]?.entity }

  /// Closes a variable. Returns its source with all tables that were joined to it.
  mutating func close(_ variable: FetchVariable) -> String { scopes.removeValue(forKey: variable)?.source ?? "" }

  /// For example `t1_boss`. The number makes it unique, and distinct from keywords; the name is for readers.
  mutating func nextAlias(_ name: String = "") -> String {
    defer { aliasCount += 1 }
    // Names come from models, so only plain characters get into the text.
    let plain = name.lowercased().utf8.prefix(24).filter { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
      default: false
      }
    }
    return plain.isEmpty ? "t\(aliasCount)" : "t\(aliasCount)_\(String(decoding: plain, as: UTF8.self))"
  }

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
      let cast = try step.castTo.map { try layout.entities.existingEntity($0) }
      let toOne = try layout.toOne(step.relationship, of: cast ?? row.entity)
      let next = Row(alias: nextAlias(step.relationship), entity: try layout.destination(of: toOne.relationship))
      let kind = cast.flatMap { kindTest($0, row) }.map { " AND \($0)" } ?? ""
      let table = layout.table(of: next.entity).sql
      let join =
        "\(variable == .root ? "\n" : " ")LEFT JOIN \(table) \(next.alias) ON \(next.key) = \(row.column(toOne.key.name))\(kindFilter(next))\(kind)"
      scopes[variable]?.source += join
      scopes[variable]?.joined[walked] = next
      row = next
    }
    return row
  }

  /// The entity at the end of a path: the class of its cast, or else the destination of its last step.
  func entity(_ path: FetchPath, at row: Row) throws -> StoreEntity {
    try path.castTo.map { try layout.entities.existingEntity($0) } ?? row.entity
  }

  /// `value` if the path's cast succeeds, else `NULL`.
  func cast(_ path: FetchPath, at row: Row, _ value: String) throws -> String {
    guard let name = path.castTo else { return value }
    let test = try kindTest(layout.entities.existingEntity(name), row)
    return test.map { "CASE WHEN \($0) THEN \(value) END" } ?? value
  }

  /// The key of the object at the end of a path; `NULL` if there is none.
  mutating func key(_ path: FetchPath) throws -> (sql: String, entity: StoreEntity) {
    if path.castTo == nil, let last = path.steps.last, last.castTo == nil {
      let owner = try row(path.variable, path.steps.dropLast())
      let toOne = try layout.toOne(last.relationship, of: owner.entity)
      let destination = try layout.destination(of: toOne.relationship)
      // The foreign key makes sure that the row exists, so no join is needed.
      if kept[.object(path)] == nil, toOne.isEnforced, layout.table(of: destination).root.number == destination.number {
        return (owner.column(toOne.key.name), destination)
      }
    }
    let row = try row(path.variable, path.steps)
    return (try cast(path, at: row, row.key), try entity(path, at: row))
  }

  // MARK: Entities

  /// ` AND …`: the test that a row has the entity, for a table with several entities; empty for a root entity.
  func kindFilter(_ row: Row) -> String {
    layout.table(of: row.entity).root.number == row.entity.number
      ? "" : kindTest(row.entity, row).map { " AND \($0)" } ?? ""
  }

  /// The test that a row is of an entity or of one of its subentities; `nil` if all rows of the table are.
  func kindTest(_ entity: StoreEntity, _ row: Row) -> String? { kindTest(entity.kindNumbers, row) }

  func kindTest(_ numbers: [Int32], _ row: Row) -> String? {
    let table = layout.table(of: row.entity)
    let names = numbers.compactMap { layout.entities.entity(numbered: $0) }.filter { wanted in
      table.entities.contains { $0.number == wanted.number }
    }.map { sqlLiteral($0.name) }
    guard table.hasKinds, names.count < table.entities.count else { return names.isEmpty ? "FALSE" : nil }
    switch names.count {
    case 0: return "FALSE"
    case 1: return "\(row.column(TableLayout.kind)) = \(names[0])"
    default: return "\(row.column(TableLayout.kind)) IN (\(names.joined(separator: ", ")))"
    }
  }
}

extension String {
  /// Whether SQL has a column of an alias. The name of another alias may end in the same characters.
  fileprivate func usesAlias(_ alias: String) -> Bool {
    ranges(of: "\(alias).").contains { range in
      guard range.lowerBound > startIndex else { return true }
      let before = self[index(before: range.lowerBound)]
      return !(before.isLetter || before.isNumber || before == "_")
    }
  }
}
