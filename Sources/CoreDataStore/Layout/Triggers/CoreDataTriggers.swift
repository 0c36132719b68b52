import SQLite

/// The triggers of a derived attribute in the text of real stores, which show two forms.
package struct CoreDataTriggers {
  private let entityName: String
  private let attributeName: String
  /// The table and column of the derived attribute.
  private let table: Identifier
  private let column: Identifier
  private let form: Form

  private enum Form {
    /// Counts the rows of `source` whose `key` refers to this row.
    case count(source: Identifier, key: Identifier)
    /// Copies `value` from the row of `source` that `key` refers to.
    case value(source: Identifier, key: Identifier, value: Identifier)
  }

  /// `nil` for other forms. It is also `nil` for attributes of subentities: no store shows how its triggers select
  /// their rows.
  package init?(_ derivation: Derivation) {
    guard derivation.hops.count == 1, derivation.filter == nil, derivation.entity.superentityName == nil else {
      return nil
    }
    let source = derivation.hops[0].destination
    switch (derivation.hops[0].link, derivation.value) {
    case (.back(let key), .count): form = .count(source: source, key: key)
    case (.own(let key), .column(let value, nil)): form = .value(source: source, key: key, value: value)
    default: return nil
    }
    entityName = derivation.entity.name
    attributeName = derivation.attributeName
    table = derivation.entity.table
    column = derivation.column
  }

  package var definitions: [String] {
    switch form {
    case .count(let source, let key):
      func step(_ name: String, _ event: String, _ row: String, _ value: String) -> String {
        trigger(
          on: source, name, event, condition: "WHEN (\(row).\(key) NOT NULL) ",
          "UPDATE \(table) SET \(column) = \(value) WHERE Z_PK = \(row).\(key)", announce: "Z_PK = \(row).\(key)")
      }
      return [
        step("PARAMETER_INSERT", "INSERT", "NEW", "IFNULL(\(column), 0) + 1"),
        step("PARAMETER_UPDATE_INCREMENT", "UPDATE OF \(key)", "NEW", "\(column) + 1"),
        step("PARAMETER_UPDATE_DECREMENT", "UPDATE OF \(key)", "OLD", "\(column) - 1"),
        step("PARAMETER_DELETE", "DELETE", "OLD", "\(column) - 1"),
        trigger(
          on: table, "SOURCE_INSERT", "INSERT",
          "UPDATE \(table) SET \(column) = (SELECT IFNULL(COUNT(\(key)), 0) FROM \(source) WHERE \(key) = NEW.Z_PK) "
            + "WHERE Z_PK = NEW.Z_PK", announce: "Z_PK = NEW.Z_PK", inserted: true),
      ]
    case .value(let source, let key, let value):
      let own =
        "UPDATE \(table) SET \(column) = (SELECT \(value) FROM \(source) WHERE Z_PK = NEW.\(key)) "
        + "WHERE Z_PK = NEW.Z_PK"
      let others = "UPDATE \(table) SET \(column) = NEW.\(value) WHERE \(key) = NEW.Z_PK"
      return [
        trigger(on: table, "SOURCE_INSERT", "INSERT", own, announce: "Z_PK = NEW.Z_PK", inserted: true),
        trigger(on: table, "SOURCE_UPDATE", "UPDATE OF \(key)", own, announce: "Z_PK = NEW.Z_PK"),
        trigger(on: source, "PARAMETER_INSERT", "INSERT", others, announce: "\(key) = NEW.Z_PK", inserted: true),
        trigger(on: source, "PARAMETER_UPDATE", "UPDATE OF \(value)", others, announce: "\(key) = NEW.Z_PK"),
      ]
    }
  }

  private func trigger(
    on source: Identifier, _ name: String, _ event: String, condition: String = "", _ update: String,
    announce rows: String, inserted: Bool = false
  ) -> String {
    let function =
      inserted ? TriggerFunctions.insertedDerived : TriggerFunctions.updatedDerived
    let full = Identifier("Z_DA_\(source.name)_\(entityName)_\(attributeName)_\(name)")
    return "CREATE TRIGGER \(full) AFTER \(event) ON \(source) FOR EACH ROW \(condition)BEGIN \(update); "
      + "SELECT \(function)(\(Identifier.literal(table.name)), Z_ENT, Z_PK, \(Identifier.literal(attributeName)), "
      + "\(column)) FROM \(table) WHERE \(rows); END"
  }
}
