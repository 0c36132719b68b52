import PostgreSQL
import StoreRequests

/// A statement that reads rows, with its parameters.
struct SelectStatement {
  let sql: String
  let parameters: [Parameter]
  /// Whether the statement selects the very rows of the request, and not more.
  let isExact: Bool

  /// The key, entity number and version before a row's selected columns.
  private static func header(_ row: QueryPrinter.Row, in layout: StoreLayout) -> [String] {
    [row.key, layout.table(of: row.entity).number(of: row.alias), row.column(TableLayout.version)]
  }

  // MARK: Requests

  /// Rows of a request: key, entity, version, and the selected columns.
  static func rows(_ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    try SelectStatement(request, in: layout) { _, row in
      (header(row, in: layout) + (try columns(request.columns, of: row, in: layout))).joined(separator: ", ")
    }
  }

  /// Key and entity of each row of a request.
  static func keys(_ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    try SelectStatement(request, in: layout) { _, row in
      "\(row.key), \(layout.table(of: row.entity).number(of: row.alias))"
    }
  }

  /// The number of rows of a request, within its limit and offset.
  static func count(_ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    var request = request
    request.sortTerms = []
    let isCut = request.limit != nil || request.offset != nil
    let rows = try SelectStatement(request, in: layout, isOrdered: false) { _, _ in isCut ? "1" : "count(*)" }
    guard isCut else { return rows }
    return SelectStatement(
      sql: "SELECT count(*) FROM (\(rows.sql)) t", parameters: rows.parameters, isExact: rows.isExact)
  }

  init(sql: String, parameters: [Parameter], isExact: Bool = true) {
    self.sql = sql
    self.parameters = parameters
    self.isExact = isExact
  }

  private init(
    _ request: FetchRequest, in layout: StoreLayout, isOrdered: Bool = true,
    select: (inout QueryPrinter, QueryPrinter.Row) throws -> String
  ) throws {
    let entity = try layout.entities.existingEntity(request.entityName)
    var printer = QueryPrinter(layout)
    let row = printer.open(.root, over: entity)
    let selected = try select(&printer, row)
    let conditions = try printer.conditions(
      request.predicate, on: row, includesSubentities: request.includesSubentities)
    var order = try request.sortTerms.map { try $0.sql(&printer) }
    if isOrdered { order.append(row.key) }
    let limit = printer.limit(request.limit, offset: request.offset)
    sql = "SELECT \(selected)\nFROM \(printer.close(.root))" + Self.filter(conditions) + Self.order(order) + limit
    parameters = printer.parameters
    isExact = printer.isExact
  }

  // MARK: Values

  /// The values of a request, each in its width.
  init(_ request: ValueRequest, in layout: StoreLayout) throws {
    let entity = try layout.entities.existingEntity(request.entityName)
    let isGrouped = request.isGrouped
    if isGrouped {
      let expressions =
        request.values + request.sortTerms.map(\.expression) + [request.groupPredicate].compactMap(\.self)
      guard expressions.allSatisfy({ $0.isGrouped(by: request.groups) }) else { throw QueryError.differsInGroup }
    }
    guard request.groupPredicate == nil || !request.groups.isEmpty else { throw QueryError.noGroups }
    if request.values.isEmpty { throw QueryError.noValues }
    var printer = QueryPrinter(layout)
    let row = printer.open(.root, over: entity)
    let groups = try request.groups.flatMap { try printer.output($0) }
    printer.allowsGroupAggregates = isGrouped
    // The server finds equal values of the type jsonb, but not of the type json.
    let isCompared = request.isDistinct
    let selected = try request.values.flatMap { try printer.output($0, isSelected: true, isCompared: isCompared) }
    printer.allowsGroupAggregates = false
    let conditions = try printer.conditions(
      request.predicate, on: row, includesSubentities: request.includesSubentities)
    printer.allowsGroupAggregates = isGrouped
    let having = try request.groupPredicate.map { [try printer.truth($0, .possible)] } ?? []
    var order = try request.sortTerms.map { try $0.sql(&printer) }
    // Rows with equal values are sorted by key. Groups and distinct rows have no key.
    if isGrouped { order += groups } else { order += request.isDistinct ? selected : [row.key] }
    let limit = printer.limit(request.limit, offset: request.offset)
    let isExact = printer.isExact && printer.doubts.isEmpty
    let distinct = request.isDistinct ? "DISTINCT " : ""
    sql =
      "SELECT \(distinct)\(selected.joined(separator: ", "))\nFROM \(printer.close(.root))" + Self.filter(conditions)
      + (groups.isEmpty ? "" : "\nGROUP BY \(groups.joined(separator: ", "))") + Self.filter(having, "HAVING")
      + (isGrouped && groups.isEmpty ? "" : Self.order(order)) + limit
    parameters = printer.parameters
    self.isExact = isExact
  }

  // MARK: Known rows

  /// Rows of a table by key.
  static func rows(
    of entity: StoreEntity, keys: [Int64], columns: [ColumnSelection], in layout: StoreLayout
  ) throws -> SelectStatement {
    let row = QueryPrinter.Row(alias: "t0", entity: entity)
    let selected = try header(row, in: layout) + Self.columns(columns, of: row, in: layout)
    return SelectStatement(
      sql:
        "SELECT \(selected.joined(separator: ", "))\nFROM \(layout.table(of: entity).sql) t0\nWHERE \(row.key) = ANY ($1)",
      parameters: [.integers(keys)])
  }

  /// The objects of a to-many relationship of several owners: the owner's key, then each row as in a fetch. Sorted by owner, then
  /// in the relationship's order, or by key if it has none.
  static func related(
    _ toMany: ToManyLayout, owners: [Int64], columns: [ColumnSelection], in layout: StoreLayout
  ) throws -> SelectStatement {
    let destination = try layout.destination(of: toMany.relationship)
    let row = QueryPrinter.Row(alias: "t0", entity: destination)
    let table = layout.table(of: destination).sql
    let source: String
    let owner: String
    let order: String?
    switch toMany.storage {
    case .key(let side):
      source = "\(table) t0"
      owner = row.column(side.column)
      order = side.order.map(row.column)
    case .joinTable(let side):
      source = "\(side.table.sql) t1 JOIN \(table) t0 ON \(row.key) = t1.\(side.other)"
      owner = "t1.\(side.own)"
      order = side.order.map { "t1.\($0)" }
    }
    let selected = try [owner] + header(row, in: layout) + Self.columns(columns, of: row, in: layout)
    let terms = [owner] + (order.map { ["\($0) NULLS FIRST"] } ?? []) + [row.key]
    return SelectStatement(
      sql: "SELECT \(selected.joined(separator: ", "))\nFROM \(source)"
        + "\nWHERE \(owner) = ANY ($1)\(QueryPrinter(layout).kindFilter(row))\nORDER BY \(terms.joined(separator: ", "))",
      parameters: [.integers(owners)])
  }

  // MARK: Clauses

  static func filter(_ conditions: [String], _ clause: String = "WHERE") -> String {
    conditions.isEmpty ? "" : "\n\(clause) " + conditions.joined(separator: "\n  AND ")
  }

  private static func order(_ terms: [String]) -> String {
    terms.isEmpty ? "" : "\nORDER BY " + terms.joined(separator: ", ")
  }

  /// The selected expressions for the columns of a row, each in its width (see ``ColumnSelection``).
  private static func columns(
    _ selections: [ColumnSelection], of row: QueryPrinter.Row, in layout: StoreLayout
  ) throws -> [String] {
    var result: [String] = []
    for selection in selections {
      let entity = try layout.entities.existingEntity(selection.entityName)
      guard entity.hierarchy == row.entity.hierarchy else {
        throw QueryError.keysOfDifferentTables(row.entity.name, entity.name)
      }
      if layout.hasNoColumn(selection.propertyName, of: entity) { continue }
      switch try layout.property(selection.propertyName, of: entity) {
      case .attribute(let attribute): result += attribute.columns.map { $0.selected(row.column($0.name)) }
      case .toOne(let toOne):
        let destination = layout.table(of: try layout.destination(of: toOne.relationship))
        let key = row.column(toOne.key.name)
        let number =
          destination.hasKinds
          ? "(SELECT \(destination.number(of: "d")) FROM \(destination.sql) d WHERE d.\(TableLayout.key) = \(key))"
          : "\(destination.root.number)"
        result += [key, number]
      case .toMany: break
      }
    }
    return result
  }
}

extension SortTerm {
  /// The term in SQL, with `NULL` before all values.
  ///
  /// - Throws: ``QueryPrinter/Undecidable`` for an order that follows a language's rules.
  func sql(_ printer: inout QueryPrinter) throws -> String {
    guard collation == .binary else { throw QueryPrinter.Undecidable() }
    let known = printer.doubts.count
    let value = try printer.value(expression)
    guard printer.doubts.count == known, !value.isEncoded else { throw QueryPrinter.Undecidable() }
    return "\(value.comparable) \(isAscending ? "NULLS FIRST" : "DESC NULLS LAST")"
  }
}

extension QueryPrinter {
  /// The conditions for the rows of an entity.
  mutating func conditions(
    _ predicate: FetchExpression?, on row: Row, includesSubentities: Bool
  ) throws -> [String] {
    let numbers = includesSubentities ? row.entity.kindNumbers : [row.entity.number]
    var conditions = [kindTest(numbers, row)].compactMap(\.self)
    if let predicate, predicate.constantTruth != true {
      let terms = if case .and(let terms) = predicate { terms } else { [predicate] }
      conditions += try terms.map { try truth($0, .possible) }
    }
    return conditions
  }

  fileprivate mutating func limit(_ limit: Int?, offset: Int?) -> String {
    var text = ""
    // A negative limit means no limit.
    if let limit, limit >= 0 { text += "\nLIMIT \(placeholder(.integer(Int64(limit))))" }
    if let offset, offset > 0 { text += "\nOFFSET \(placeholder(.integer(Int64(offset))))" }
    return text
  }

  /// The result columns of a value. An object has two: its key and its entity's number.
  fileprivate mutating func output(
    _ expression: FetchExpression, isSelected: Bool = false, isCompared: Bool = false
  ) throws -> [String] {
    guard case .object(let path) = expression else {
      let value = try value(expression)
      if isSelected, isCompared, value.isEncoded, value.kind != .json { throw Undecidable() }
      if isSelected, value.kind == .archive { return ["(\(value.sql))::json"] }
      // Beyond 64 bits the server reports an error.
      return [value.kind == .wideInteger ? "(\(value.sql))::bigint" : value.comparable]
    }
    let row = try row(path.variable, path.steps)
    return [
      try cast(path, at: row, row.key),
      try cast(path, at: row, "(\(layout.table(of: row.entity).number(of: row.alias)))"),
    ]
  }
}
