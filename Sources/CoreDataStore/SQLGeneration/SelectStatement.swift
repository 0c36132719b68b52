import SQLite
import StoreRequests

/// A statement that reads rows, with the values of its placeholders.
///
/// A pure function builds it from a request. Equal requests give equal text. Requests that differ in constants only
/// also give the same text, so it is prepared once per connection.
struct SelectStatement {
  let sql: String
  let bindings: [StoreValue]
  /// Whether a constant's value, not only its class, decided about the text (see `FetchShape`).
  private(set) var dependsOnValues = false

  /// The key, entity number and version before a row's selected columns. The number is a constant, as in Core Data, if
  /// the table has a single entity.
  private static func header(_ row: QueryPrinter.Row) -> [String] {
    [row.column("Z_PK"), row.entity.soleNumber.map(String.init) ?? row.column("Z_ENT"), row.column("Z_OPT")]
  }

  /// No rows at all.
  static let nothing = "SELECT 1 WHERE 0"

  // MARK: Requests

  init(_ kind: SelectPlans.Kind, _ request: FetchRequest, in layout: StoreLayout) throws {
    switch kind {
    case .rows: try self.init(request, in: layout)
    case .keys: self = try .keys(request, in: layout)
    case .count: self = try .count(request, in: layout)
    }
  }

  /// Rows of a request: key, entity, version, and the selected columns.
  init(_ request: FetchRequest, in layout: StoreLayout) throws {
    try self.init(request, in: layout) { printer, row in
      let columns = try SQLText.columns(request.columns, of: row, in: layout)
      return (Self.header(row) + columns).joined(separator: ", ")
    }
  }

  /// Key and entity of each row of a request.
  static func keys(_ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    try SelectStatement(request, in: layout) { _, row in "\(row.column("Z_PK")), \(row.column("Z_ENT"))" }
  }

  /// The number of rows of a request, within its limit and offset.
  static func count(_ request: FetchRequest, in layout: StoreLayout) throws -> SelectStatement {
    var request = request
    request.sortTerms = []
    guard request.limit != nil || request.offset != nil else {
      return try SelectStatement(request, in: layout, isOrdered: false) { _, _ in "count(*)" }
    }
    let rows = try SelectStatement(request, in: layout, isOrdered: false) { _, _ in "1" }
    return SelectStatement(
      sql: "SELECT count(*) FROM (\(rows.sql))", bindings: rows.bindings, dependsOnValues: rows.dependsOnValues)
  }

  init(sql: String, bindings: [StoreValue], dependsOnValues: Bool = false) {
    self.sql = sql
    self.bindings = bindings
    self.dependsOnValues = dependsOnValues
  }

  private init(
    _ request: FetchRequest, in layout: StoreLayout, isOrdered: Bool = true,
    select: (inout QueryPrinter, QueryPrinter.Row) throws -> String
  ) throws {
    let entity = try layout.existingEntity(request.entityName)
    var printer = QueryPrinter(layout)
    let search = try request.search.map { try SearchSource($0, of: entity, in: layout) }
    if isOrdered, let search, let best = try Self.bestMatches(of: search, request, entity, in: layout, select: select) {
      self = best
      return
    }
    let row = printer.open(.root, over: entity, source: search.map { search in search.source })
    let selected = try select(&printer, row)
    let conditions =
      try (search.map { [$0.condition(&printer)] } ?? [])
      + printer.conditions(request.predicate, on: row, includesSubentities: request.includesSubentities)
    var order = try request.sortTerms.map { try $0.sql(&printer) }
    if isOrdered, order.isEmpty, let search, search.isRanked { order.append(search.rank(&printer)) }
    if isOrdered, !order.isEmpty || request.limit != nil || request.offset != nil || search != nil {
      order.append(row.column("Z_PK"))
    }
    let limit = printer.limit(request.limit, offset: request.offset)
    sql = "SELECT \(selected)\nFROM \(printer.close(.root))" + SQLText.filter(conditions) + SQLText.order(order) + limit
    bindings = printer.bindings
    dependsOnValues = printer.dependsOnValues
  }

  /// The first rows in the order of relevance; `nil` if anything but the search decides about rows or order.
  private static func bestMatches(
    of search: SearchSource, _ request: FetchRequest, _ entity: EntityLayout, in layout: StoreLayout,
    select: (inout QueryPrinter, QueryPrinter.Row) throws -> String
  ) throws -> SelectStatement? {
    guard search.isRanked, request.sortTerms.isEmpty, request.limit != nil,
      request.predicate.map({ $0.constantTruth == true }) ?? true
    else { return nil }
    var printer = QueryPrinter(layout)
    let row = QueryPrinter.Row(alias: printer.nextAlias(), entity: entity)
    guard try printer.conditions(nil, on: row, includesSubentities: request.includesSubentities).isEmpty else {
      return nil
    }
    let selected = try select(&printer, row)
    let source = search.bestMatches(row.alias, &printer) { $0.limit(request.limit, offset: request.offset) }
    return SelectStatement(
      sql: "SELECT \(selected)\nFROM \(source)" + SQLText.order(search.bestOrder), bindings: printer.bindings,
      dependsOnValues: printer.dependsOnValues)
  }

  // MARK: Values

  /// The values of a request, each in its width.
  init(_ request: ValueRequest, in layout: StoreLayout) throws {
    let entity = try layout.existingEntity(request.entityName)
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
    printer.allowsGroupAggregates = isGrouped
    let selected = try request.values.flatMap { try printer.output($0) }
    printer.allowsGroupAggregates = false
    let conditions = try printer.conditions(
      request.predicate, on: row, includesSubentities: request.includesSubentities)
    let groups = try request.groups.map { try printer.collated($0) }
    printer.allowsGroupAggregates = isGrouped
    let having = try request.groupPredicate.map { try printer.conjuncts($0) } ?? []
    var order = try request.sortTerms.map { try $0.sql(&printer) }
    if !order.isEmpty || request.limit != nil || request.offset != nil {
      // Rows with equal values are sorted by key. Groups and distinct rows have no key.
      if isGrouped {
        order += try request.groups.map { try printer.collated($0) }
      } else if request.isDistinct {
        order += try request.values.map { try printer.collated($0) }
      } else {
        order.append(row.column("Z_PK"))
      }
    }
    let limit = printer.limit(request.limit, offset: request.offset)
    sql =
      "SELECT \(request.isDistinct ? "DISTINCT " : "")\(selected.joined(separator: ", "))\nFROM \(printer.close(.root))"
      + SQLText.filter(conditions) + (groups.isEmpty ? "" : "\nGROUP BY \(groups.joined(separator: ", "))")
      + SQLText.filter(having, "HAVING") + SQLText.order(order) + limit
    bindings = printer.bindings
  }

  // MARK: Known rows

  /// Rows of a table by key; `keys` is the list of a ``KeyList``.
  static func rows(
    of entity: EntityLayout, columns: [ColumnSelection], keys: String, in layout: StoreLayout
  ) throws -> String {
    let row = QueryPrinter.Row(alias: "t0", entity: entity)
    let selected = try header(row) + SQLText.columns(columns, of: row, in: layout)
    return "SELECT \(selected.joined(separator: ", "))\nFROM \(entity.table) t0"
      + "\nWHERE t0.Z_PK IN (\(keys))"
  }

  /// The objects of a to-many relationship of several owners: the owner's key, then each row as in a fetch. Sorted by
  /// owner, then in the relationship's order, or by key if it has none.
  static func related(
    _ relationship: ToManyLayout, columns: [ColumnSelection], owners: String, in layout: StoreLayout
  ) throws -> String {
    let destination = try layout.destination(of: relationship)
    let row = QueryPrinter.Row(alias: "t0", entity: destination)
    let source: String
    let owner: String
    let order: String?
    switch relationship.storage {
    case .key(let side):
      source = "\(destination.table) t0"
      owner = row.column(side.key)
      order = side.orderColumn.map(row.column)
    case .joinTable(let side):
      source = "\(side.table) t1 JOIN \(destination.table) t0 ON t0.Z_PK = t1.\(side.otherColumn)"
      owner = "t1.\(side.ownColumn)"
      order = side.orderColumn.map { "t1.\($0)" }
    }
    let filter = QueryPrinter(layout).kindFilter(destination, row)
    let selected = try [owner] + header(row) + SQLText.columns(columns, of: row, in: layout)
    let terms = [owner] + (order.map { [$0] } ?? []) + [row.column("Z_PK")]
    return "SELECT \(selected.joined(separator: ", "))\nFROM \(source)"
      + "\nWHERE \(owner) IN (\(owners))\(filter)\nORDER BY \(terms.joined(separator: ", "))"
  }
}

extension SortTerm {
  fileprivate func sql(_ printer: inout QueryPrinter) throws -> String {
    let collate =
      switch collation
      {
      case .binary: try printer.isText(expression) ? SQLText.collatingCanonically : ""
      case .localized: " COLLATE \(SQLText.localizedCollation)"
      case .localizedStandard: " COLLATE \(SQLText.localizedStandardCollation)"
      }
    return try "\(printer.value(expression))\(collate)\(isAscending ? "" : " DESC")"
  }
}

extension QueryPrinter {
  /// The conditions for the rows of an entity.
  fileprivate mutating func conditions(
    _ predicate: FetchExpression?, on row: Row, includesSubentities: Bool
  ) throws -> [String] {
    var conditions: [String] = []
    let isWholeTable = row.entity.superentityName == nil && (includesSubentities || !row.entity.hasSubentities)
    if !isWholeTable {
      let numbers = includesSubentities ? row.entity.kindNumbers : [row.entity.number]
      conditions.append("\(row.column("Z_ENT")) \(SQLText.numbersTest(numbers))")
    }
    if let predicate, predicate.constantTruth != true {
      conditions += try locationTest(predicate, on: row)
      conditions += try conjuncts(predicate, isAlone: conditions.isEmpty)
    }
    return conditions
  }

  fileprivate mutating func limit(_ limit: Int?, offset: Int?) -> String {
    guard limit != nil || offset != nil else { return "" }
    // A negative limit means no limit.
    let text = "\nLIMIT \(placeholder(.integer(Int64(limit ?? -1))))"
    return text + (offset.map { " OFFSET \(placeholder(.integer(Int64($0))))" } ?? "")
  }

  /// The result columns of a value. An object has two: its key and its entity's number.
  fileprivate mutating func output(_ expression: FetchExpression) throws -> [String] {
    guard case .object(let path) = expression else { return [try collated(expression)] }
    let (key, _) = try key(path)
    let row = try row(path.variable, path.steps)
    return [key, try row.entity.soleNumber.map(String.init) ?? cast(path, at: row, row.column("Z_ENT"))]
  }

  /// A value that compares as in Swift, so that equal values are merged.
  fileprivate mutating func collated(_ expression: FetchExpression) throws -> String {
    try value(expression) + (isText(expression) ? SQLText.collatingCanonically : "")
  }
}

extension SQLText {
  /// A clause with one line per condition; empty without conditions.
  fileprivate static func filter(_ conditions: [String], _ clause: String = "WHERE") -> String {
    conditions.isEmpty ? "" : "\n\(clause) " + conditions.joined(separator: "\n  AND ")
  }

  fileprivate static func order(_ terms: [String]) -> String {
    terms.isEmpty ? "" : "\nORDER BY " + terms.joined(separator: ", ")
  }

  /// The selected expressions for the columns of a row, each in its width (see ``ColumnSelection``).
  static func columns(_ selections: [ColumnSelection], of row: QueryPrinter.Row, in layout: StoreLayout) throws
    -> [String]
  {
    var result: [String] = []
    for selection in selections {
      let entity = try layout.existingEntity(selection.entityName)
      guard entity.table == row.entity.table else {
        throw QueryError.keysOfDifferentTables(row.entity.name, entity.name)
      }
      switch entity.property(named: selection.propertyName) {
      case .attribute(let attribute):
        result += attribute.columns.map { reading($0, of: row, in: layout) }
      case .toOne(let relationship):
        result += [row.key(of: relationship), row.entityNumber(of: relationship)]
      case .toMany: break
      case nil:
        if !layout.isUnstored(selection.propertyName, of: entity) {
          _ = try layout.property(selection.propertyName, of: entity)
        }
      }
    }
    return result
  }

  /// The expression that reads a column. External data goes through a function that removes the prefix or reads the
  /// file (CD-5).
  ///
  /// - Parameter function: what is asked of external data.
  static func reading(
    _ column: AttributeColumn, of row: QueryPrinter.Row, in layout: StoreLayout, by function: String = externalData
  ) -> String {
    let name = row.column(column.name)
    guard column.isExternal else { return name }
    let number = layout.externalColumns.firstIndex { $0.table == row.entity.table && $0.column == column.name }
    return "\(function)(\(name), \(row.column("Z_PK")), \(number ?? -1))"
  }
}
