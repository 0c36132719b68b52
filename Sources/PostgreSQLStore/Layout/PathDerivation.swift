import ManagedModel
import PostgreSQL
import StoreRequests

/// A derived attribute with relationships in its expression: a path, and a value of the rows at its end.
///
/// Supports the expressions that the engine over SQLite supports: `author.name`, `canonical:(author.name)` and other functions of a
/// text, `pages.@count`, and `@sum`, `@avg`, `@min`, `@max` of an attribute. A filter applies to the rows at the end.
struct PathDerivation: Sendable {
  /// The entity that declares the attribute.
  let entity: StoreEntity
  let attributeName: String
  let table: TableLayout
  /// The derived attribute's own column.
  let column: ColumnLayout
  /// The path; it has at least one relationship.
  let hops: [Hop]
  let value: Value
  let filter: Filter?
  /// The beginning of the names of the triggers; see ``DerivationTriggers/naming(_:)``.
  var triggerPrefix = ""

  /// A relationship of the path: its destination's table, and the place of its key.
  struct Hop: Sendable {
    let table: TableLayout
    let link: Link

    enum Link: Sendable {
      /// A key in the row itself.
      case own(Identifier)
      /// A key in the destination's row.
      case back(Identifier)
      case join(table: String, own: Identifier, other: Identifier)
    }

    var isToMany: Bool { if case .own = link { false } else { true } }
  }

  enum Value: Sendable {
    case column(ColumnLayout, StringFunction?)
    case count
    case aggregate(DerivationExpression.Aggregate, ColumnLayout)

    var column: ColumnLayout? {
      switch self {
      case .column(let column, _), .aggregate(_, let column): column
      case .count: nil
      }
    }
  }

  /// A condition on the rows at the end, and the columns that it reads.
  struct Filter: Sendable {
    /// The condition for rows with the alias `e`.
    let sql: String
    let columns: [Identifier]
  }

  var function: StringFunction? { if case .column(_, let function) = value { function } else { nil } }

  init?(_ attribute: AttributeLayout, of entity: StoreEntity, in layout: StoreLayout) {
    guard let derivation = attribute.attribute.description.derivation, attribute.columns.count == 1,
      let expression = DerivationExpression(derivation.expression)
    else { return nil }
    var hops: [Hop] = []
    var end = entity
    var path = expression.path[...]
    while let name = path.first, let (hop, destination) = Self.hop(name, of: end, in: layout) {
      hops.append(hop)
      end = destination
      path = path.dropFirst()
    }
    guard !hops.isEmpty else { return nil }
    let isToMany = hops.contains(where: \.isToMany)
    switch (expression.operation, path.isEmpty ? nil : layout.attributeColumn(Array(path), of: end)) {
    case (.count, nil) where path.isEmpty && isToMany: value = .count
    case (.aggregate(let aggregate), let column?) where isToMany: value = .aggregate(aggregate, column)
    case (.value(let function), let column?) where !isToMany && derivation.filteringPredicate == nil:
      value = .column(column, function)
    default: return nil
    }
    column = attribute.columns[0]
    guard Self.isPossible(value, in: column.type) else { return nil }
    if let format = derivation.filteringPredicate {
      guard let filter = Filter(format, of: end, in: layout) else { return nil }
      self.filter = filter
    } else {
      filter = nil
    }
    self.entity = entity
    attributeName = attribute.attribute.description.name
    table = layout.table(of: entity)
    self.hops = hops
  }

  private static func hop(_ name: String, of entity: StoreEntity, in layout: StoreLayout) -> (Hop, StoreEntity)? {
    switch try? layout.property(name, of: entity) {
    case .toOne(let toOne):
      guard let destination = try? layout.destination(of: toOne.relationship) else { return nil }
      return (Hop(table: layout.table(of: destination), link: .own(toOne.key.name)), destination)
    case .toMany(let toMany):
      guard let destination = try? layout.destination(of: toMany.relationship) else { return nil }
      let link: Hop.Link =
        switch toMany.storage {
        case .key(let side): .back(side.column)
        case .joinTable(let side): .join(table: side.table.sql, own: side.own, other: side.other)
        }
      return (Hop(table: layout.table(of: destination), link: link), destination)
    case .attribute, nil: return nil
    }
  }

  /// Whether a column of a type can hold the value.
  private static func isPossible(_ value: Value, in type: DataType) -> Bool {
    switch value {
    case .count: type.isNumeric && type != .boolean
    case .column(let source, nil): source.type == type
    case .column(let source, .some): source.type == .text && type == .text
    case .aggregate(.sum, let source), .aggregate(.avg, let source):
      source.type.isNumeric && type.isNumeric && type != .boolean
    case .aggregate(.min, let source), .aggregate(.max, let source):
      source.type == type
        ? type.isNumeric && type != .boolean || type == .text || type == .moment
        : source.type.isNumeric && type.isNumeric && type != .boolean
    }
  }
}

extension DataType {
  var isNumeric: Bool {
    switch self {
    case .boolean, .integer16, .integer32, .integer64, .single, .double, .numeric: true
    default: false
    }
  }

  var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }
}

extension PathDerivation.Filter {
  /// No model has a longer predicate.
  private static let lengthLimit = 10_000

  /// Translates comparisons with constants, joined by AND and OR; `nil` for any other predicate.
  fileprivate init?(_ format: String, of entity: StoreEntity, in layout: StoreLayout) {
    guard format.utf8.count <= Self.lengthLimit, let tree = PredicateParser.predicate(format) else { return nil }
    var columns: [Identifier] = []
    func sql(_ tree: PredicateTree) -> String? {
      switch tree {
      case .and(let parts): return joined(parts, " AND ")
      case .or(let parts): return joined(parts, " OR ")
      case .comparison(.keyPath(of: .evaluatedObject, let path), let relation, let constant, .direct, []):
        guard let column = layout.attributeColumn(path.split(separator: ".").map(String.init), of: entity) else {
          return nil
        }
        if !columns.contains(column.name) { columns.append(column.name) }
        switch (relation, constant) {
        case (.equal, .null): return "e.\(column.name) IS NULL"
        case (.notEqual, .null): return "e.\(column.name) IS NOT NULL"
        default:
          return Self.symbol(of: relation).flatMap { symbol in
            Self.literal(constant, column.type).map { "e.\(column.name) \(symbol) \($0)" }
          }
        }
      case .comparison, .not, .value: return nil
      }
    }
    func joined(_ parts: [PredicateTree], _ joiner: String) -> String? {
      let conditions = parts.compactMap(sql)
      return conditions.count == parts.count ? "(\(conditions.joined(separator: joiner)))" : nil
    }
    guard let condition = sql(tree) else { return nil }
    self.init(sql: condition, columns: columns)
  }

  private static func symbol(of relation: PredicateTree.Operator) -> String? {
    switch relation {
    case .equal: "="
    case .notEqual: "<>"
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual: relation.symbol
    default: nil
    }
  }

  private static func literal(_ constant: ExpressionTree, _ type: DataType) -> String? {
    switch (constant, type) {
    case (.boolean(let value), .boolean): value ? "TRUE" : "FALSE"
    case (.integer(let number), .boolean): number == 0 ? "FALSE" : number == 1 ? "TRUE" : nil
    case (.integer(let number), _) where type.isNumeric: "\(number)"
    case (.boolean(let value), _) where type.isNumeric: value ? "1" : "0"
    case (.real(let number), _) where type.isNumeric && type != .boolean && number.isFinite:
      "'\(number)'::double precision"
    case (.string(let text), .text) where !text.hasNUL: sqlLiteral(text)
    default: nil
    }
  }
}
