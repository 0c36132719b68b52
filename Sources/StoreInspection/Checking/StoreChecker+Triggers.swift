import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-8: triggers call only functions that a program registers. Any other call makes each write to the table fail.
  mutating func checkTriggerFunctions() {
    let known = [TriggerFunctions.updatedDerived, TriggerFunctions.insertedDerived, TriggerFunctions.updated]
    for trigger in store.definitions where trigger.kind == "trigger" {
      let called = (trigger.sql ?? "").matches(of: /\b(NSCoreData\w+)\s*\(/).map { String($0.1) }
      let unknown = Set(called).subtracting(known).sorted()
      expect(
        .triggerFunctions, unknown.isEmpty, trigger.name,
        "calls \(unknown.joined(separator: ", ")), which nobody knows: writing to \(trigger.table) fails",
        repair: "Drop the trigger, or make it again with a known function.")
    }
  }

  /// CD-8: the triggers of derived attributes and of location indexes.
  ///
  /// Real stores show two forms of derivation triggers. Other derivations need any trigger that assigns the value.
  mutating func checkTriggers(_ layout: StoreLayout) {
    let found = Dictionary(
      store.definitions.filter { $0.kind == "trigger" }.map { ($0.name, $0.sql ?? "") },
      uniquingKeysWith: { first, _ in first })
    for entity in layout.entities {
      for case .attribute(let attribute) in entity.properties where attribute.declaringEntityName == entity.name {
        guard let derivation = Derivation(attribute, of: entity, in: layout) else { continue }
        if let triggers = CoreDataTriggers(derivation) {
          for text in triggers.definitions { checkTrigger(text, found) }
        } else {
          let assignment = "UPDATE \(entity.table) SET \(derivation.column) ="
          count(.triggers, checked: 1)
          if !found.values.contains(where: { $0.contains(assignment) }) {
            report(
              .triggers, .note, "\(entity.name).\(derivation.attributeName)",
              "no trigger keeps the derived value: programs have to")
          }
        }
      }
      for index in (try? layout.locationIndexes(of: entity)) ?? [] {
        // Some stores of Photos lack them. Whether the index is stale is a rule of its own.
        for text in index.definitions.dropFirst() { checkTrigger(text, found, isVital: false) }
      }
    }
  }

  /// CD-8: triggers that do not follow from the model. The text of a trigger that assigns a derived value is free.
  mutating func checkOtherTriggers(_ layout: StoreLayout) {
    var known = searchNames(layout)
    var assignments: [String] = []
    for entity in layout.entities {
      known.formUnion(((try? layout.triggerDefinitions(of: entity)) ?? []).map { DefinitionText($0).triggerName })
      for case .attribute(let attribute) in entity.properties where attribute.declaringEntityName == entity.name {
        guard let column = Derivation(attribute, of: entity, in: layout)?.column else { continue }
        assignments.append("UPDATE \(entity.table) SET \(column) =")
      }
    }
    for trigger in store.definitions where trigger.kind == "trigger" {
      let text = trigger.sql ?? ""
      let isKnown = known.contains(trigger.name) || assignments.contains(where: text.contains)
      count(.otherTriggers, checked: 1, failed: isStrict && !isKnown ? 1 : 0)
      guard !isKnown else { continue }
      report(
        .otherTriggers, isStrict ? .error : .warning, trigger.name,
        "is not in the model: an application made it, on \(trigger.table)")
    }
  }

  /// - Parameter isVital: whether a missing trigger is an error, and not only a warning.
  private mutating func checkTrigger(_ text: String, _ found: [String: String], isVital: Bool = true) {
    let name = DefinitionText(text).triggerName
    if let sql = found[name] {
      prefer(.triggers, sql == text, name, "is defined in other words: \(sql)")
      return
    }
    let isError = isVital || isStrict
    count(.triggers, checked: 1, failed: isError ? 1 : 0)
    report(
      .triggers, isError ? .error : .warning, name, "is missing: values that it keeps become stale",
      repair: "Make it: \(text)")
  }

  /// CD-8: counts of related objects, and values copied from a related object. Writes without the triggers make them
  /// stale.
  mutating func checkDerivedValues(of entity: EntityLayout, _ layout: StoreLayout) throws {
    for derived in layout.plainDerivations(of: entity)
    where derived.columns.allSatisfy({ store.has($0.table, $0.names) }) {
      try tally(
        [
          RowRule(
            rule: .derivedValues, severity: .warning, subject: "\(entity.name).\(derived.attributeName)",
            problem: "out of date", population: "a.Z_ENT IN \(StoreChecker.list(entity.kindNumbers))",
            violation: "a.\(derived.column) IS NOT \(derived.value(of: "a"))")
        ], from: "\(entity.table) a", key: "a.Z_PK")
    }
  }

  /// CD-4: the R*Tree has exactly one entry with the right bounds for each row.
  mutating func checkLocationRows(of entity: EntityLayout, _ layout: StoreLayout) throws {
    for index in try layout.locationIndexes(of: entity) {
      let (tree, columns) = (index.name, index.columns)
      guard store.has(entity.table, ["Z_PK"] + columns), store.has(tree, "Z_PK") else { continue }
      // An R*Tree keeps 32-bit numbers, rounded outwards. NULL becomes 0.
      let outside = columns.map { column in
        let (low, high) = (Identifier(column.name + "_MIN"), Identifier(column.name + "_MAX"))
        return "ifnull(a.\(column), 0) NOT BETWEEN b.\(low) AND b.\(high)"
      }
      try tally(
        [
          RowRule(
            rule: .locationRows, subject: tree.name, problem: "rows with other bounds than in the index, or not in it",
            population: "a.Z_ENT IS NOT NULL",
            violation: "b.Z_PK IS NULL OR \(outside.joined(separator: " OR "))")
        ], from: "\(entity.table) a LEFT JOIN \(tree) b ON a.Z_PK = b.Z_PK", key: "a.Z_PK")
      try tally(
        [
          RowRule(
            rule: .locationRows, subject: tree.name, problem: "entries of no row", violation: "a.Z_PK IS NULL")
        ], from: "\(tree) b LEFT JOIN \(entity.table) a ON a.Z_PK = b.Z_PK", key: "b.Z_PK")
    }
  }
}

extension DefinitionText {
  /// The name after `CREATE TRIGGER`.
  var triggerName: String {
    words.count > 2 ? String(words[2]) : ""
  }
}
