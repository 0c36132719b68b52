import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-6: every row has a concrete entity of its table, and a version.
  mutating func checkRows() throws {
    for (table, entities) in store.entityTables where store.has(table, "Z_PK", "Z_ENT", "Z_OPT") {
      let concrete = StoreChecker.list(entities.filter(\.isConcrete).map(\.number))
      let isCertain = entities.count == 1
      try tally(
        [
          RowRule(
            rule: .rowEntities, subject: table.name, problem: "Z_ENT is no concrete entity of the table",
            violation: "Z_ENT IS NULL OR Z_ENT NOT IN \(concrete)",
            repair: isCertain ? "Set Z_ENT to the only entity of the table, as which it is read." : nil),
          RowRule(
            rule: .rowVersions, subject: table.name, problem: "Z_OPT is no number from 1",
            violation: "typeof(Z_OPT) <> 'integer' OR Z_OPT < 1"),
        ], from: "\(table)")
    }
  }

  /// CD-5, CD-2: the values of a table's columns; checks many rules in one scan.
  mutating func checkValues(of table: TableLayout, _ layout: StoreLayout) throws {
    guard store.has(table.name, "Z_PK", "Z_ENT") else { return }
    var rules: [RowRule] = []
    for entity in layout.entities where entity.table == table.name {
      let isOwn = "Z_ENT IN \(StoreChecker.list(entity.kindNumbers))"
      for property in entity.properties where property.declaringEntityName == entity.name {
        let name = "\(entity.name).\(property.name)"
        switch property {
        case .attribute(let attribute):
          for column in attribute.columns where store.has(table.name, column.name) {
            let subject = "\(entity.name).\(column.path.joined(separator: "."))"
            rules += valueRules(column, subject, isOwn)
            if let rule = textRule(column, subject, isOwn) { rules.append(rule) }
            if entity.superentityName != nil { rules.append(foreignRule(column.name, subject, of: entity, layout)) }
          }
          if let column = attribute.column, !attribute.description.isOptional,
            attribute.description.derivation == nil, store.has(table.name, column.name)
          {
            rules.append(requiredRule(column.name, name, isOwn))
          }
        case .toOne(let relationship) where store.has(table.name, relationship.key):
          if entity.superentityName != nil { rules.append(foreignRule(relationship.key, name, of: entity, layout)) }
          if !relationship.description.isOptional { rules.append(requiredRule(relationship.key, name, isOwn)) }
        case .toOne, .toMany: break
        }
      }
    }
    try tally(rules, from: "\(table.name)")
  }

  /// Core Data validates required values when it saves an object, but not when it migrates.
  private func requiredRule(_ column: Identifier, _ subject: String, _ isOwn: String) -> RowRule {
    RowRule(
      rule: .requiredValues, severity: .warning, subject: subject, problem: "NULL, though a value is required",
      population: isOwn, violation: "\(column) IS NULL")
  }

  private func foreignRule(
    _ column: Identifier, _ subject: String, of entity: EntityLayout, _ layout: StoreLayout
  ) -> RowRule {
    RowRule(
      rule: .foreignValues, severity: .warning, subject: subject, problem: "a value in a row of another entity",
      population: StoreChecker.isForeign(to: entity, layout), violation: "\(column) IS NOT NULL")
  }

  /// The SQL condition for a row of another entity of the same table. A row of no entity may be one of this entity that is damaged.
  static func isForeign(to entity: EntityLayout, _ layout: StoreLayout) -> String {
    let others = layout.entities.filter {
      $0.table == entity.table && !$0.isAbstract && !entity.kindNumbers.contains($0.number)
    }
    return "Z_ENT IN \(list(others.map(\.number)))"
  }

  /// If the store's texts are in UTF-16, SQLite converts them to UTF-8.
  private func textRule(_ column: AttributeColumn, _ subject: String, _ isOwn: String) -> RowRule? {
    guard [.varchar, .uri].contains(column.column.type), store.isUTF8 else { return nil }
    return RowRule(
      rule: column.column.type == .uri ? .uris : .strings, subject: subject, problem: "texts that are not UTF-8",
      population: "\(column.name) IS NOT NULL AND \(isOwn)", violation: StoreChecker.invalidText(column.name))
  }

  private func valueRules(_ column: AttributeColumn, _ subject: String, _ isOwn: String) -> [RowRule] {
    let (rule, violation, repair) = StoreChecker.strangeValue(column, in: column.name)
    func of(_ violation: String, _ repair: String?) -> RowRule {
      RowRule(
        rule: rule, subject: subject, problem: "values of another kind",
        population: "\(column.name) IS NOT NULL AND \(isOwn)", violation: violation, repair: repair)
    }
    guard column.attribute.type == .boolean else { return [of(violation, repair)] }
    let isNumber = "typeof(\(column.name)) IN ('integer', 'real')"
    return [
      of("\(isNumber) AND (\(violation))", repair),
      RowRule(
        rule: rule, subject: subject, problem: "values that are no numbers",
        population: "\(column.name) IS NOT NULL AND \(isOwn)", violation: "NOT \(isNumber)",
        repair: "Set it to 0 or 1, whichever is meant.", byHand: true),
    ]
  }

  /// CD-5: the rule that a value of a wrong kind breaks, and the SQL condition for it.
  ///
  /// - Parameters:
  ///   - name: the column that holds the value.
  ///   - isKept: whether history keeps the value. History keeps the value itself, wherever the row has it.
  static func strangeValue(
    _ column: AttributeColumn, in name: Identifier, isKept: Bool = false
  ) -> (rule: CheckRule, violation: String, repair: String?) {
    let (rule, violation, repair): (CheckRule, String, String?)
    switch (column.column.type, column.attribute.type) {
    case (_, .boolean):
      (rule, violation) = (.booleans, "typeof(\(name)) <> 'integer' OR \(name) NOT IN (0, 1)")
      repair = "Set it to 1, which is how every other number is read, or to 0."
    case (.integer, _), (.order, _): (rule, violation, repair) = (.integers, "typeof(\(name)) <> 'integer'", nil)
    case (.float, _): (rule, violation, repair) = (.reals, "typeof(\(name)) <> 'real'", nil)
    case (.timestamp, _): (rule, violation, repair) = (.dates, "typeof(\(name)) NOT IN ('real', 'integer')", nil)
    case (.decimal, _):
      (rule, repair) = (.decimals, nil)
      violation = "typeof(\(name)) NOT IN ('real', 'integer') AND \(name) IS NOT 'NaN'"
    case (.varchar, _): (rule, violation, repair) = (.strings, "typeof(\(name)) <> 'text'", nil)
    case (.uri, _): (rule, violation, repair) = (.uris, "typeof(\(name)) <> 'text'", nil)
    case (.uuid, _): (rule, violation, repair) = (.uuids, "typeof(\(name)) <> 'blob' OR length(\(name)) <> 16", nil)
    case (.binary, _) where column.attribute.allowsExternalBinaryDataStorage && !isKept:
      rule = .externalReferences
      violation = """
        typeof(\(name)) <> 'blob' OR NOT (substr(\(name), 1, 1) = x'01' OR (substr(\(name), 1, 1) = x'02' \
        AND length(\(name)) = 38 AND substr(\(name), 38, 1) = x'00'))
        """
      repair = "If it is the data itself, put the byte 01 before it."
    case (.binary, _): (rule, violation, repair) = (.binaries, "typeof(\(name)) <> 'blob'", nil)
    case (.transformable, _): (rule, violation, repair) = (.transformables, "typeof(\(name)) <> 'blob'", nil)
    }
    return (rule, violation, repair)
  }
}
