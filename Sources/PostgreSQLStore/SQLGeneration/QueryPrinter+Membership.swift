import PostgreSQL
import StoreRequests

// Membership in a list: of values, and of objects by their keys.
extension QueryPrinter {
  /// Whether a value is one of some constants; `NULL` among them matches `NULL`.
  ///
  /// A text is searched for in all of its normal forms, so that the index of a uniqueness can be used. If an index has the composed form,
  /// the text is searched for in this form.
  mutating func membership(_ operand: FetchExpression, _ constants: [StoreValue], depth: Int) throws -> String {
    let known = constants.filter { $0 != .null }
    let matchesNull = known.count != constants.count
    guard !constants.isEmpty else { return "FALSE" }
    let changed = try known.count == 1 ? changedText(operand, comparedWith: known[0], depth: depth) : nil
    var value = try changed ?? value(operand, depth: depth)
    if known.isEmpty { return "(\(value.sql)) IS NULL" }
    if value.isEncoded { throw Undecidable() }
    // A value such as 1.5 among integers, or 2 among truth values, needs a wider type.
    let narrow = value.kind
    let isWider = known.contains {
      ($0.naturalKind == .real || narrow == .boolean) && reader.source($0, .compared(with: narrow)) == nil
    }
    if isWider, value.isNumber { value = SQLValue(sql: value.asReal, kind: .real) }
    var texts = known
    var test = value.sql
    if value.kind == .text {
      if try !isFoundComposed(operand), let forms = known.textForms {
        texts = forms
      } else {
        test = value.composed
        texts = known.map { $0.composed }
      }
    }
    let kind = value.kind
    let sources = texts.compactMap { reader.source($0, .compared(with: kind)) }
    // A constant of another kind equals no value.
    var sql = "FALSE"
    if sources.count == 1 {
      if kind == .boolean, case .bytes(let form) = sources[0] {
        sql = "\(test) = \(form == [0] ? "FALSE" : "TRUE")"
      } else {
        sql = "\(test) = \(placeholder(.value(kind.type, sources[0])))"
      }
    } else if !sources.isEmpty {
      sql = "\(test) = ANY (\(placeholder(.array(kind.type, sources))))"
    }
    return matchesNull ? "(\(sql) OR (\(value.sql)) IS NULL)" : sql
  }

  /// Whether an expression is an attribute whose texts are found by an index of their composed form.
  private mutating func isFoundComposed(_ expression: FetchExpression) throws -> Bool {
    try isColumn(expression, among: \.columnsFoundComposed)
  }

  /// Whether an expression is an attribute with a column among some columns of its table.
  mutating func isColumn(
    _ expression: FetchExpression, among columns: (TableLayout) -> Set<Identifier>
  ) throws -> Bool {
    guard case .attribute(let path, let name, let element) = expression, path.castTo == nil else { return false }
    let entity = try row(path.variable, path.steps).entity
    let column = try layout.column(name, element: element, of: entity).column.name
    return columns(layout.table(of: entity)).contains(column)
  }

  mutating func objectMembership(_ path: FetchPath, _ keys: [ObjectKey]) throws -> String {
    let (sql, entity) = try key(path)
    let numbers = try keys.filter { try layout.existingEntity($0.entity).hierarchy == entity.hierarchy }.map(\.key)
    switch numbers.count {
    case 0: return "FALSE"
    case 1: return "\(sql) = \(integer(numbers[0]))"
    default:
      let sources = numbers.compactMap { reader.source(.integer($0), .compared(with: .integer)) }
      return "\(sql) = ANY (\(placeholder(.array(.integer64, sources))))"
    }
  }
}
