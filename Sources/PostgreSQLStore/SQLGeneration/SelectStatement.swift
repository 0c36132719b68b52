import PostgreSQL
import StoreRequests
import Synchronization

/// A statement that reads rows, with its parameters.
struct SelectStatement {
  private(set) var sql: String
  private(set) var parameters: [Parameter]
  /// Whether the statement selects the very rows of the request, and not more.
  let isExact: Bool
  /// How memory sorts the rows, and cuts them by the limit and the offset; `nil` if the server does both.
  let order: LanguageOrder?
  /// How many rows the last fetch of the statement's shape had.
  let lastCount = RowCount()
  /// The sources of the parameters, and what the text depends on; empty if the statement serves its own request only.
  private var bindings: [Binding] = []
  private var answers: Set<ConstantReader.Answer> = []

  /// The statement for a request of the same shape.
  ///
  /// - Returns: `nil` if the request needs another text.
  func bound(to constants: [StoreValue]) -> SelectStatement? {
    guard answers.allSatisfy({ $0.holds(for: constants) }) else { return nil }
    var statement = self
    statement.parameters = bindings.map { $0.parameter(constants) }
    return statement
  }

  /// The statement for objects with some keys, or for objects related to them; see ``objects(of:columns:in:)`` and
  /// ``related(_:columns:in:)``.
  func selecting(_ keys: [Int64]) -> SelectStatement {
    var statement = self
    statement.parameters = [.integers(keys)]
    return statement
  }

  /// The result columns before a row's selected columns; see ``ServerRows``.
  private static func header(_ row: QueryPrinter.Row, in layout: StoreLayout) -> [String] {
    let table = layout.table(of: row.entity)
    return [row.key, row.column(TableLayout.version)] + (table.hasKinds ? [table.number(of: row.alias)] : [])
  }

  // MARK: Requests

  /// The statement for a request, or for the shape of one.
  ///
  /// - Rows: those of ``ServerRows``.
  /// - Keys: key and entity of each row.
  /// - Count: the number of rows, within the limit and the offset.
  ///
  /// - Parameter search: the full-text condition of the request, with its index.
  init(
    _ kind: SelectPlans.Kind, _ request: FetchRequest, in layout: StoreLayout,
    _ reader: ConstantReader = ConstantReader(), search: SearchSource? = nil
  ) throws {
    let request = request.withoutIdleBounds
    switch kind {
    case .rows:
      try self.init(request, in: layout, reader, search) { row in
        (Self.header(row, in: layout) + (try Self.columns(request.columns, of: row, in: layout)))
          .joined(separator: ", ")
      }
    case .keys:
      try self.init(request, in: layout, reader, search) { row in
        "\(row.key), \(layout.table(of: row.entity).number(of: row.alias))"
      }
    case .count:
      let isCut = request.limit != nil || request.offset != nil
      try self.init(request, in: layout, reader, search, isOrdered: false) { _ in isCut ? "1" : "count(*)" }
      if isCut { sql = "SELECT count(*) FROM (\(sql)) t" }
    }
  }

  init(sql: String, parameters: [Parameter], isExact: Bool = true) {
    self.sql = sql
    self.parameters = parameters
    self.isExact = isExact
    order = nil
  }

  private init(
    _ request: FetchRequest, in layout: StoreLayout, _ reader: ConstantReader, _ search: SearchSource?,
    isOrdered: Bool = true,
    select: (QueryPrinter.Row) throws -> String
  ) throws {
    let entity = try layout.entities.existingEntity(request.entityName)
    var printer = QueryPrinter(layout, reader)
    let row = printer.open(.root, over: entity)
    order = isOrdered ? LanguageOrder(request.sortTerms) : nil
    let selected = try ([select(row)] + (order?.columns(&printer) ?? [])).joined(separator: ", ")
    let conditions =
      try (search.map { [$0.condition(row, &printer)] } ?? [])
      + printer.conditions(
        request.predicate, request.certainty, on: row, includesSubentities: request.includesSubentities)
    var terms = isOrdered ? try (order?.remaining ?? request.sortTerms).map { try $0.sql(&printer) } : []
    var statistics = ""
    if isOrdered, request.sortTerms.isEmpty, let search, let relevance = search.order(row, &printer) {
      statistics = search.statistics(&printer)
      terms.append(relevance)
    }
    if isOrdered { terms.append(row.key) }
    let limit = order == nil ? printer.limit(request.limit, offset: request.offset) : ""
    sql =
      "\(statistics)SELECT \(selected)\nFROM \(printer.close(.root))" + Self.filter(conditions) + Self.order(terms)
      + limit
    parameters = printer.parameters
    isExact = printer.isExact || request.certainty != .possible
    bindings = printer.bindings
    answers = printer.reader.answers
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
    // The server recognizes a group's value only by the same SQL with the same placeholders. This holds for distinct
    // values, too.
    try printer.keep(isGrouped ? request.groups : request.isDistinct ? request.values : [])
    let groups = try request.groups.flatMap { try printer.output($0) }
    printer.allowsGroupAggregates = isGrouped
    // The server finds equal values of the type jsonb, but not of the type json.
    let isCompared = request.isDistinct
    var selected = try request.values.flatMap { try printer.output($0, isSelected: true, isCompared: isCompared) }
    printer.allowsGroupAggregates = false
    let conditions = try printer.conditions(
      request.predicate, request.certainty, on: row, includesSubentities: request.includesSubentities)
    if request.certainty != .possible { printer.isExact = true }
    printer.allowsGroupAggregates = isGrouped
    let having = try request.groupPredicate.map { [try printer.truth($0, .possible)] } ?? []
    order = isGrouped || request.isDistinct ? nil : LanguageOrder(request.sortTerms)
    selected += try order?.columns(&printer) ?? []
    var sorted = try (order?.remaining ?? request.sortTerms).map { try $0.sql(&printer) }
    // Rows with equal values are sorted by key. Groups and distinct rows have no key.
    sorted += isGrouped ? groups.map(Self.nullsFirst) : request.isDistinct ? selected.map(Self.nullsFirst) : [row.key]
    let limit = order == nil ? printer.limit(request.limit, offset: request.offset) : ""
    let isExact = printer.isExact && printer.doubts.isEmpty
    let distinct = request.isDistinct ? "DISTINCT " : ""
    sql =
      "SELECT \(distinct)\(selected.joined(separator: ", "))\nFROM \(printer.close(.root))" + Self.filter(conditions)
      + (groups.isEmpty ? "" : "\nGROUP BY \(groups.joined(separator: ", "))") + Self.filter(having, "HAVING")
      + (isGrouped && groups.isEmpty ? "" : Self.order(sorted)) + limit
    parameters = printer.parameters
    self.isExact = isExact
  }

  // MARK: Known rows

  /// Rows of a table by key: the rows of ``selecting(_:)``.
  static func objects(
    of entity: StoreEntity, columns: [ColumnSelection], in layout: StoreLayout
  ) throws -> SelectStatement {
    let row = QueryPrinter.Row(alias: "t0", entity: entity)
    let selected = try header(row, in: layout) + Self.columns(columns, of: row, in: layout)
    return SelectStatement(
      sql:
        "SELECT \(selected.joined(separator: ", "))\nFROM \(layout.table(of: entity).sql) t0\nWHERE \(row.key) = ANY ($1)",
      parameters: [])
  }

  /// The objects of a to-many relationship of the owners of ``selecting(_:)``: the owner's key, then each row as in a fetch. Sorted
  /// by owner, then in the relationship's order, or by key if it has none.
  static func related(
    _ toMany: ToManyLayout, columns: [ColumnSelection], in layout: StoreLayout
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
      parameters: [])
  }

  // MARK: Clauses

  static func filter(_ conditions: [String], _ clause: String = "WHERE") -> String {
    conditions.isEmpty ? "" : "\n\(clause) " + conditions.joined(separator: "\n  AND ")
  }

  private static func nullsFirst(_ sql: String) -> String { "\(sql) NULLS FIRST" }

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

/// A number of rows that many threads may read and set.
final class RowCount: Sendable {
  private let count = Atomic(0)

  var value: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(newValue, ordering: .relaxed) }
  }
}

extension FetchRequest {
  /// The request without a negative limit, which means no limit, and without an offset that leaves out no row.
  var withoutIdleBounds: FetchRequest {
    var request = self
    if let limit, limit < 0 { request.limit = nil }
    if let offset, offset <= 0 { request.offset = nil }
    return request
  }
}

extension SortTerm {
  /// The term in SQL, with `NULL` before all values.
  ///
  /// - Throws: ``QueryPrinter/Undecidable`` for an order by a language's rules; see ``LanguageOrder``.
  func sql(_ printer: inout QueryPrinter) throws -> String {
    guard collation == .binary else { throw QueryPrinter.Undecidable() }
    let known = printer.doubts.count
    let value = try printer.value(expression)
    guard printer.doubts.count == known, !value.isEncoded else { throw QueryPrinter.Undecidable() }
    let direction = isAscending ? "" : " DESC"
    // An index of the column then has the order, in whichever way it places NULL.
    if try printer.requiresValue(expression) { return value.comparable + direction }
    return "\(value.comparable)\(direction) NULLS \(isAscending ? "FIRST" : "LAST")"
  }
}

extension QueryPrinter {
  /// Whether an expression is an attribute of the fetched rows that always has a value.
  fileprivate func requiresValue(_ expression: FetchExpression) throws -> Bool {
    guard case .attribute(let path, let name, let element) = expression, path.variable == .root, path.steps.isEmpty,
      path.castTo == nil, let entity = entity(of: .root)
    else { return false }
    return layout.table(of: entity).requiresValue(in: try layout.column(name, element: element, of: entity).column.name)
  }

  /// The conditions for the rows of an entity.
  mutating func conditions(
    _ predicate: FetchExpression?, _ certainty: Certainty = .possible, on row: Row, includesSubentities: Bool
  ) throws -> [String] {
    let numbers = includesSubentities ? row.entity.kindNumbers : [row.entity.number]
    let kinds = [kindTest(numbers, row)].compactMap(\.self)
    switch certainty {
    case .possible: return try kinds + terms(of: predicate, .possible)
    case .certain: return try kinds + terms(of: predicate, .certain)
    case .open:
      let possible = try terms(of: predicate, .possible)
      let certain = try terms(of: predicate, .certain)
      return kinds + possible + [certain.isEmpty ? "FALSE" : "(\(certain.joined(separator: " AND "))) IS NOT TRUE"]
    }
  }

  /// The terms of a predicate, all of which a row has to meet.
  ///
  /// - Parameter bound: which rows are meant if the server decides about the predicate only in part.
  mutating func terms(of predicate: FetchExpression?, _ bound: Bound) throws -> [String] {
    guard let predicate, predicate.constantTruth != true else { return [] }
    let terms = if case .and(let terms) = predicate { terms } else { [predicate] }
    return try terms.map { try truth($0, bound) }
  }

  fileprivate mutating func limit(_ limit: Int?, offset: Int?) -> String {
    var text = ""
    // A negative limit means no limit.
    if let limit, limit >= 0 { text += "\nLIMIT \(integer(Int64(limit)))" }
    if let offset, offset > 0 { text += "\nOFFSET \(integer(Int64(offset)))" }
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
      // A bare number would be the position of a column.
      try cast(path, at: row, "(\(layout.table(of: row.entity).number(of: row.alias)))::int"),
    ]
  }
}
