import ManagedModel
import PostgreSQL
import StoreRequests

/// Which rows of a table must have a value in a column.
enum ColumnRequirement: Hashable {
  case none
  case everyRow
  /// The rows of the entities with these names.
  case kinds([String])

  /// `NOT NULL`, or a named `CHECK`; `nil` if there is no requirement.
  func definition(of column: Identifier, in table: TableLayout) -> String? {
    switch self {
    case .none: nil
    case .everyRow: "NOT NULL"
    case .kinds(let names):
      "CONSTRAINT \(table.checkName(of: column)) CHECK (\(column) IS NOT NULL OR \(TableLayout.kind) NOT IN (\(sqlLiterals(names))))"
    }
  }
}

extension TableLayout {
  /// The column of the entity's name, without its `CHECK`.
  static let kindDefinition = "\(kind) text COLLATE \"C\" NOT NULL"

  private var concreteNames: [String] { entities.filter { !$0.description.isAbstract }.map(\.name) }

  /// The `CHECK` of the entity's name; `nil` for a hierarchy without an entity that has rows.
  var kindCheck: String? {
    concreteNames.isEmpty
      ? nil : "CONSTRAINT \(checkName(of: Self.kind)) CHECK (\(Self.kind) IN (\(sqlLiterals(concreteNames))))"
  }

  /// Whether every row has a value in a column, also in stores that an earlier version made.
  func requiresValue(in column: Identifier) -> Bool {
    columns.first { $0.name == column }.map { requirement(of: $0) == .everyRow && !$0.mayLackRequiredValue } ?? false
  }

  func requirement(of column: ColumnLayout) -> ColumnRequirement {
    if column.requiredBy.isEmpty { return .none }
    return column.requiredBy.count == concreteNames.count ? .everyRow : .kinds(column.requiredBy.map(\.name))
  }
}

extension ColumnLayout {
  /// The name and the type.
  var definition: String { "\(name) \(typeDefinition)" }

  /// The type with its collation.
  var typeDefinition: String { "\(type.sql)\(type == .text || type == .texts ? " COLLATE \"C\"" : "")" }
}

/// Texts as literals in SQL, separated by commas.
func sqlLiterals(_ texts: [String]) -> String { texts.map { sqlLiteral($0) }.joined(separator: ", ") }
