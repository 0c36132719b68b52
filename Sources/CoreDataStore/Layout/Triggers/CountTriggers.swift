import ManagedModel
import SQLite

/// The triggers of an attribute that counts the related objects that satisfy a condition in its user info (CD-8). The
/// Photos libraries of 2019 to 2026 have them: `(detectedFaces.hidden == NO) && (detectedFaces.assetVisible == YES)`.
///
/// The condition is a conjunction of comparisons of numbers with constants, all on the objects of one relationship. The
/// count of a to-one relationship is 0 or 1. Any other condition has no triggers. The triggers report the name of the
/// column, not of the attribute.
struct CountTriggers {
  private static let userInfoKey = "NSTriggerKey"

  /// The counting column and its table.
  private let column: Identifier
  private let table: Identifier
  /// The table of the counted rows, and the key between the two tables: in the counted row, or in the counting row for
  /// a to-one.
  private let source: Identifier
  private let key: Identifier
  private let isToMany: Bool
  private let terms: [Term]

  private struct Term {
    let column: Identifier
    /// The operator with its constant: `== 0`.
    let test: String
  }

  init?(_ attribute: AttributeLayout, of entity: EntityLayout, in layout: StoreLayout) {
    guard case .string(let format)? = attribute.description.userInfo[CountTriggers.userInfoKey],
      let column = attribute.column, column.column.type == .integer, let tree = PredicateParser.predicate(format),
      let comparisons = CountTriggers.comparisons(tree), let relationship = comparisons.first?.path.first,
      comparisons.allSatisfy({ $0.path.count == 2 && $0.path[0] == relationship })
    else { return nil }
    let destination: String
    switch entity.property(named: relationship) {
    case .toOne(let toOne)?:
      (destination, source, key, isToMany) = (toOne.destinationName, toOne.destinationTable, toOne.key, false)
    case .toMany(let toMany)?:
      guard case .key(let side) = toMany.storage else { return nil }
      (destination, source, key, isToMany) = (toMany.destinationName, side.table, side.key, true)
    case .attribute?, nil: return nil
    }
    terms = comparisons.compactMap { comparison in
      guard case .attribute(let counted)? = layout.entity(named: destination)?.property(named: comparison.path[1]),
        let column = counted.column
      else { return nil }
      return Term(column: column.name, test: comparison.test)
    }
    guard terms.count == comparisons.count else { return nil }
    self.column = column.name
    table = entity.table
  }

  // MARK: The condition

  private static func comparisons(_ tree: PredicateTree) -> [(path: [String], test: String)]? {
    switch tree {
    case .and(let parts):
      let all = parts.map(comparisons)
      return all.contains { $0 == nil } ? nil : all.flatMap { $0 ?? [] }
    case .comparison(.keyPath(of: .evaluatedObject, let path), let symbol, let constant, .direct, []):
      guard let number = number(constant), symbol.rawValue <= PredicateTree.Operator.notEqual.rawValue else {
        return nil
      }
      return [(ExpressionTree.components(of: path), "\(symbol.symbol) \(number)")]
    default: return nil
    }
  }

  private static func number(_ constant: ExpressionTree) -> Int64? {
    switch constant {
    case .integer(let number): number
    case .boolean(let value): value ? 1 : 0
    default: nil
    }
  }

  /// The condition on a row of the source. `row` is empty, `NEW.` or `OLD.`.
  private func condition(_ row: String) -> String {
    terms.map { "\(row)\($0.column) \($0.test)" }.joined(separator: " AND ")
  }

  // MARK: The triggers

  /// In the order in which real stores have them.
  var definitions: [String] {
    let columns = terms.map { "\($0.column)" }.joined(separator: ", ")
    let hasChanged = terms.map { "NEW.\($0.column) != OLD.\($0.column)" }.joined(separator: " OR ")
    let (new, old) = (counting(by: "NEW"), counting(by: "OLD"))
    let sameOwner = { (first: String, second: String) in isToMany ? " AND (\(first).\(key) == \(second).\(key))" : "" }
    return [
      trigger(
        "INSERT_INCREMENT", "INSERT", "FOR EACH ROW WHEN \(condition("NEW."))", more, of: new.rows, new.announced),
      trigger(
        "UPDATE_INCREMENT", "UPDATE OF \(columns)",
        "FOR EACH ROW WHEN (\(condition("NEW."))) AND (\(hasChanged))\(sameOwner("NEW", "OLD"))", more, of: new.rows,
        new.announced),
      trigger(
        "UPDATE_DECREMENT", "UPDATE OF \(columns)",
        "FOR EACH ROW WHEN (\(condition("OLD."))) AND (\(hasChanged))\(sameOwner("OLD", "NEW"))", fewer, of: old.rows,
        new.announced),
      trigger(
        "DELETE_DECREMENT", "DELETE", "FOR EACH ROW WHEN \(condition("OLD."))", fewer, of: old.rows, old.announced),
      trigger(
        "\(table.name)_INSERT_INCREMENT", "INSERT", on: table, "FOR EACH ROW", counted("(\(link))"), of: itself, itself),
    ] + (isToMany ? ownerTriggers : destinationTriggers)
  }

  /// For a to-many relationship: a row of the source gets another owner.
  private var ownerTriggers: [String] {
    [("INCREMENT", "NEW", "OLD", more), ("DECREMENT", "OLD", "NEW", fewer)].map { name, row, other, value in
      trigger(
        "\(key.name)_UPDATE_\(name)", "UPDATE OF \(key)",
        "WHEN (\(condition(row + "."))) AND ((\(row).\(key) IS NOT NULL AND \(other).\(key) IS NULL)"
          + " OR (NEW.\(key) != OLD.\(key)))",
        value, of: "Z_PK = \(row).\(key)", "Z_PK = \(row).\(key)")
    }
  }

  /// For a to-one relationship: the counting row gets another destination.
  private var destinationTriggers: [String] {
    [
      trigger(
        "\(key.name)_UPDATE_TO_NULL", "UPDATE OF \(key)", on: table,
        "WHEN (NEW.\(key) IS NULL AND OLD.\(key) IS NOT NULL)", "0", of: itself, itself),
      trigger(
        "\(key.name)_UPDATE_INCREMENT", "UPDATE OF \(key)", on: table,
        "WHEN ((NEW.\(key) IS NOT NULL AND OLD.\(key) IS NULL) OR (NEW.\(key) != OLD.\(key)))", counted(link),
        of: itself, itself),
    ]
  }

  private let itself = "Z_PK = NEW.Z_PK"
  private var more: String { "IFNULL(\(column),0) + 1" }
  private var fewer: String { "MAX(0,IFNULL(\(column),0) - 1)" }
  /// The condition that connects rows of the source with the counting row.
  private var link: String { isToMany ? "\(key) = NEW.Z_PK" : "Z_PK = NEW.\(key)" }

  private func counted(_ link: String) -> String {
    "(SELECT COUNT(Z_PK) FROM \(source) WHERE \(link) AND (\(condition(""))))"
  }

  /// The rows that count a row of the source. Real texts write this differently in the update and in the report.
  private func counting(by row: String) -> (rows: String, announced: String) {
    isToMany
      ? ("\(row).\(key) = Z_PK", "Z_PK = \(row).\(key)") : ("\(row).Z_PK = \(key)", "\(key) = \(row).Z_PK")
  }

  private func trigger(
    _ name: String, _ event: String, on place: Identifier? = nil, _ clause: String, _ value: String, of rows: String,
    _ announced: String
  ) -> String {
    let full = Identifier("ZT_\(table.name)_\(column.name)_\(source.name)_\(name)")
    let (tableText, columnText) = (Identifier.literal(table.name), Identifier.literal(column.name))
    return "CREATE TRIGGER \(full) AFTER \(event) ON \(place ?? source) \(clause) BEGIN "
      + "UPDATE \(table) SET \(column) = \(value) WHERE \(rows); SELECT \(TriggerFunctions.updated)(\(tableText), "
      + "Z_ENT, Z_PK, \(columnText), \(column)) FROM \(table) WHERE \(announced); END"
  }
}
