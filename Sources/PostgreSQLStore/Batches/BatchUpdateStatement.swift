import ManagedModel
import PostgreSQL
import StoreRequests

/// The statement that sets attributes of the rows that a batch change selects.
struct BatchUpdateStatement {
  /// Statements that return a row if the value of an attribute cannot be computed for one of the rows.
  private(set) var checks: [(attribute: String, statement: SelectStatement)] = []
  /// Returns a row if the server cannot decide about one of the rows; `nil` if it decides about all.
  let doubt: SelectStatement?
  private(set) var parameters: [Parameter] = []
  private let table: TableLayout
  private let written: [Identifier]
  /// Selects the keys of the rows and the new values, and locks the rows.
  private let selection: String

  /// - Throws: ``BatchRefusal/unsupported(entity:property:)`` for a value that the server does not compute as Swift does, ``QueryError``.
  init(
    _ selection: BatchSelection, _ assignments: [BatchAssignment], of entity: StoreEntity, in layout: StoreLayout
  ) throws {
    table = layout.table(of: entity)
    var printer = QueryPrinter(layout)
    let row = printer.open(.root, over: entity)
    var values: [(column: Identifier, sql: String)] = []
    var doubts: [(attribute: String, conditions: [String])] = []
    for assignment in assignments {
      let (column, _) = try layout.column(assignment.attribute, element: assignment.element, of: entity)
      if layout.derivation(assignment.attribute, of: entity) != nil {
        throw BatchRefusal.unsupported(entity: entity.name, property: assignment.attribute)
      }
      do { values.append((column.name, try printer.value(assignment.value, in: column))) } catch is QueryPrinter
        .Undecidable
      {
        throw BatchRefusal.unsupported(entity: entity.name, property: assignment.attribute)
      }
      doubts.append((assignment.attribute, printer.doubts))
      printer.doubts = []
      guard let requirement = assignment.requirement else { continue }
      var request = selection.request
      request.predicate = .conjunction([selection.predicate, .negation(requirement)].compactMap(\.self))
      request.limit = 1
      // With doubts, the check finds the doubtful rows as well, and the update is left to memory if there are any.
      checks.append((assignment.attribute, try SelectStatement(.keys, request, in: layout)))
    }
    guard printer.isExact else { throw BatchRefusal.unsupported(entity: entity.name, property: "") }
    let condition = try BatchCondition(selection, on: row, &printer)
    let conditions = condition.terms
    let source = printer.close(.root)
    parameters = printer.parameters
    doubt = condition.doubt(from: source, parameters)
    for (attribute, doubts) in doubts where !doubts.isEmpty {
      let isDoubtful = "NOT (\(doubts.joined(separator: " AND ")))"
      checks.append(
        (
          attribute,
          SelectStatement(
            sql: "SELECT 1\nFROM \(source)\(SelectStatement.filter(conditions + [isDoubtful]))\nLIMIT 1",
            parameters: parameters)
        ))
    }
    // Of two values for a column the last one counts.
    var last: [(column: Identifier, sql: String)] = []
    for value in values {
      last.removeAll { $0.column == value.column }
      last.append(value)
    }
    last += try Self.derived(last, of: entity, in: layout)
    written = last.map(\.column)
    let columns = ["\(row.key) AS k"] + last.enumerated().map { "\($1.sql) AS v\($0)" }
    self.selection =
      "SELECT \(columns.joined(separator: ", "))\nFROM \(source)\(SelectStatement.filter(conditions))\nORDER BY \(row.key) FOR UPDATE OF \(row.alias)"
  }

  /// The values of derived attributes of the same rows.
  ///
  /// - Throws: ``BatchRefusal/unsupported(entity:property:)`` for a function of a new text, and for an attribute that only a
  ///   subentity derives: the framework then changes each object.
  private static func derived(
    _ values: [(column: Identifier, sql: String)], of entity: StoreEntity, in layout: StoreLayout
  ) throws -> [(column: Identifier, sql: String)] {
    var known = values
    for kind in entity.kindNumbers.compactMap({ layout.entities.entity(numbered: $0) }) {
      for derivation in layout.rowDerivations(of: kind)
      where !known.contains(where: { $0.column == derivation.column.name }) {
        let source = derivation.source.column.flatMap { source in known.first { $0.column == source.name } }
        let isOwn = layout.rowDerivations(of: entity).contains { $0.column.name == derivation.column.name }
        switch (derivation.source, source) {
        case (.now, _) where isOwn: known.append((derivation.column.name, "clock_timestamp()"))
        case (.copy, let source?) where isOwn: known.append((derivation.column.name, source.sql))
        case (.copy, nil), (.function, nil): break
        default: throw BatchRefusal.unsupported(entity: kind.name, property: "")
        }
      }
    }
    return Array(known.dropFirst(values.count))
  }

  /// - Parameters:
  ///   - isFirst: whether no other change of the save has updated a row of the table; if not, another parameter has the keys of
  ///     these rows.
  ///   - returning: columns of the written rows `t`.
  func sql(isFirst: Bool, returning: String) -> String {
    let step =
      isFirst
      ? "1"
      : "CASE WHEN t.\(TableLayout.key) IN (SELECT unnest($\(parameters.count + 1)::bigint[])) THEN 0 ELSE 1 END"
    let sets = written.enumerated().map { "\($1) = s.v\($0)" }
    let version = "\(TableLayout.version) = t.\(TableLayout.version) + \(step)"
    return "WITH s AS (\(selection))\nUPDATE \(table.sql) t SET \((sets + [version]).joined(separator: ", ")) "
      + "FROM s WHERE t.\(TableLayout.key) = s.k RETURNING \(returning)"
  }
}

extension QueryPrinter {
  /// SQL for the value of an expression in the type of a column.
  ///
  /// - Throws: ``Undecidable`` for a value of another kind.
  fileprivate mutating func value(_ expression: FetchExpression, in column: ColumnLayout) throws -> String {
    if case .constant(let constant) = expression {
      if constant == .null { return "NULL::\(column.type.sql)" }
      let sink = RowSink([column])
      // The save of an object phrases the error of a value that the column cannot hold.
      guard (try? sink.bind(constant, at: 1)) != nil, let form = sink.forms[0] else { throw Undecidable() }
      return placeholder(.parameter(Parameter(column.type, form)))
    }
    let value = try value(expression)
    switch (value.kind, column.type) {
    case (.null, _), (.integer, .integer64), (.integer, .integer32), (.integer, .integer16), (.wideInteger, .integer64),
      (.wideInteger, .integer32), (.wideInteger, .integer16), (.boolean, .boolean), (.real, .double),
      (.single, .single), (.decimal, .numeric), (.moment, .moment), (.text, .text), (.address, .text), (.uuid, .uuid),
      (.bytes, .bytes), (.json, .jsonb), (.archive, .jsonb):
      // Bytes of two kinds have different forms.
      if column.type == .jsonb, value.kind != .null, (value.kind == .archive) != column.holdsArchive {
        throw Undecidable()
      }
      return "(\(value.sql))::\(column.type.sql)"
    case (.array(let element), let type) where element.array == type: return value.sql
    default: throw Undecidable()
    }
  }
}
