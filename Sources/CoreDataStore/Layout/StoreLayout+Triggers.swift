import ManagedModel
import SQLite

extension StoreLayout {
  /// CD-8: the triggers that keep an entity's derived attributes, then its location indexes.
  ///
  /// Written for the two forms that real stores show: a to-many relationship's `@count` over a key, and an attribute of
  /// a to-one relationship's object. Other derivations have no triggers; saving computes those
  /// of ``ComputedColumn``.
  func triggerDefinitions(of entity: EntityLayout) throws -> [String] {
    var statements: [String] = []
    for case .attribute(let attribute) in entity.properties
    where attribute.declaringEntityName == entity.name && attribute.description.derivation != nil {
      statements += DerivationTriggers(attribute, of: entity, in: self)?.definitions ?? []
    }
    for index in entity.description.fetchIndexes where index.isLocationIndex {
      let columns = try index.elements.map { try column(of: $0.subject, index: index, entity: entity) }
      statements += locationIndex(Identifier("Z_RT_\(entity.name)_\(index.name)"), of: entity.table, columns)
    }
    return statements
  }

  /// Whether rows are written to virtual tables by triggers.
  var hasLocationIndexes: Bool {
    entities.contains { $0.description.fetchIndexes.contains(where: \.isLocationIndex) }
  }

  /// A virtual table of bounding boxes, and the triggers that fill it.
  private func locationIndex(_ name: Identifier, of table: Identifier, _ columns: [Identifier]) -> [String] {
    let bounds = columns.flatMap { [Identifier($0.name + "_MIN"), Identifier($0.name + "_MAX")] }
    let list = (["Z_PK"] + bounds.map(\.description)).joined(separator: ", ")
    let doubled = columns.flatMap { ["NEW.\($0)", "NEW.\($0)"] }
    // The first comma has its space on the other side, as in Core Data's own text.
    let values =
      "NEW.Z_PK, "
      + doubled.enumerated().map { $0.offset == 0 ? $0.element : ($0.offset == 1 ? " ," : ", ") + $0.element }.joined()
    func trigger(_ event: String, _ body: String) -> String {
      "CREATE TRIGGER \(Identifier("\(name.name)_\(event)")) AFTER \(event) ON \(table) FOR EACH ROW BEGIN \(body) ; END"
    }
    return [
      "CREATE VIRTUAL TABLE \(name) USING RTREE (Z_PK INTEGER PRIMARY KEY, "
        + bounds.map { "\($0) FLOAT" }.joined(separator: ", ") + ")",
      trigger("INSERT", "INSERT OR REPLACE INTO \(name) (\(list)) VALUES (\(values))"),
      trigger(
        "UPDATE",
        "DELETE FROM \(name) WHERE Z_PK = NEW.Z_PK ; INSERT INTO \(name) (\(list)) VALUES (\(values))"),
      trigger("DELETE", "DELETE FROM \(name) WHERE Z_PK = OLD.Z_PK"),
    ]
  }
}

/// The triggers of one derived attribute.
private struct DerivationTriggers {
  private let entityName: String
  private let attributeName: String
  /// The table and column of the derived attribute.
  private let table: Identifier
  private let column: Identifier
  private let form: Form

  private enum Form {
    /// Counts the rows of `source` whose `key` leads here.
    case count(source: Identifier, key: Identifier)
    /// Repeats `value` of the row of `source` to which `key` leads.
    case value(source: Identifier, key: Identifier, value: Identifier)
  }

  init?(_ attribute: AttributeLayout, of entity: EntityLayout, in layout: StoreLayout) {
    guard let derivation = attribute.description.derivation, derivation.filteringPredicate == nil,
      let column = attribute.column?.name, let format = derivation.expressionFormat,
      let form = DerivationTriggers.form(format, of: entity, in: layout)
    else { return nil }
    entityName = entity.name
    attributeName = attribute.description.name
    table = entity.table
    self.column = column
    self.form = form
  }

  private static func form(_ format: String, of entity: EntityLayout, in layout: StoreLayout) -> Form? {
    if format.hasPrefix("count:("), format.hasSuffix(")") {
      guard case .toMany(let relationship)? = entity.property(named: String(format.dropFirst(7).dropLast())),
        case .key(let side) = relationship.storage
      else { return nil }
      return .count(source: side.table, key: side.key)
    }
    let names = format.split(separator: ".").map(String.init)
    guard names.count == 2, case .toOne(let relationship)? = entity.property(named: names[0]),
      case .attribute(let value)? = layout.entity(named: relationship.destinationName)?.property(named: names[1]),
      let valueColumn = value.column
    else { return nil }
    return .value(source: relationship.destinationTable, key: relationship.key, value: valueColumn.name)
  }

  var definitions: [String] {
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
