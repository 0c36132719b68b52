import CoreDataStore
import Foundation
import ManagedModel
import SQLite

/// Plans the repairs of a store, in an order in which no repair undoes an earlier one.
///
/// Every statement changes only rows that are wrong. Running it again changes nothing.
struct RepairPlanner {
  let layout: StoreLayout
  let catalogue: Catalogue
  let findings: [CheckFinding]
  /// Whether the model was given, because the store has none that can be read.
  let isModelGiven: Bool
  private let rules: Set<CheckRule>
  private var planned: [RepairStep] = []

  init(layout: StoreLayout, catalogue: Catalogue, findings: [CheckFinding], isModelGiven: Bool) {
    self.layout = layout
    self.catalogue = catalogue
    self.findings = findings
    self.isModelGiven = isModelGiven
    rules = Set(findings.map(\.rule))
  }

  mutating func steps() -> [RepairStep] {
    planned = []
    // Keys that a damaged index hides would look as if they led to nothing.
    add(.integrity, "file", "every index is made anew") { connection in
      try connection.execute("REINDEX")
      return nil
    }
    // Other repairs change rows, too, and would fail with such a trigger.
    addSearchTriggers()
    addBookkeeping()
    addMetadata()
    addHistory()
    addEntities()
    addVersions()
    for entity in layout.entities { addKeys(of: entity) }
    for entity in layout.entities { addLinksBack(of: entity) }
    for table in layout.joinTables { addPairs(of: table) }
    for entity in layout.entities { addValues(of: entity) }
    addDefinitions()
    for entity in layout.entities { addDerivedValues(of: entity) }
    for entity in layout.entities { addLocationRows(of: entity) }
    addSearchIndexes()
    return planned
  }

  /// Adds a repair if the rule has findings.
  mutating func add(
    _ rule: CheckRule, _ subject: String, _ words: String, _ run: @escaping (Connection) throws -> Int64?
  ) {
    guard rules.contains(rule) else { return }
    planned.append(RepairStep(rule: rule, subject: subject, words: words, run: run))
  }

  /// Adds a repair by statements, whose changed rows are counted together.
  mutating func add(_ rule: CheckRule, _ subject: String, _ words: String, _ statements: String...) {
    add(rule, subject, words) { connection in
      try statements.reduce(0) { count, sql in
        try connection.prepare(sql).run()
        return count + connection.changes
      }
    }
  }

  /// Adds a definition that a finding says is missing or is another one.
  mutating func define(_ rule: CheckRule, _ name: String, dropping kind: String, _ definition: String) {
    guard findings.contains(where: { $0.rule == rule && $0.subject == name && $0.severity != .note }) else { return }
    add(rule, name, "the \(kind.lowercased()) is made: \(definition)") { connection in
      try connection.execute("DROP \(kind) IF EXISTS \(Identifier(name))")
      try connection.execute(definition)
      return nil
    }
  }

  func has(_ table: Identifier, _ columns: Identifier...) -> Bool { has(table, columns) }

  func has(_ table: Identifier, _ columns: [Identifier]) -> Bool {
    guard let found = catalogue.columns[table] else { return false }
    return columns.allSatisfy(found.contains)
  }

  // MARK: Derived values

  /// CD-8.
  private mutating func addDerivedValues(of entity: EntityLayout) {
    for derived in layout.plainDerivations(of: entity) where derived.columns.allSatisfy({ has($0.table, $0.names) }) {
      let value = derived.value(of: "\(entity.table)")
      add(
        .derivedValues, "\(entity.name).\(derived.attributeName)", "the value is computed from the related objects",
        """
        UPDATE \(entity.table) SET \(derived.column) = \(value) \
        WHERE Z_ENT IN \(StoreChecker.list(entity.kindNumbers)) AND \(derived.column) IS NOT \(value)
        """)
    }
  }

  /// CD-4: all rows of an R*Tree, made from the rows of its table.
  private mutating func addLocationRows(of entity: EntityLayout) {
    for index in (try? layout.locationIndexes(of: entity)) ?? [] {
      let isMade = findings.contains { $0.rule == .locationIndexes && $0.subject == index.name.name }
      guard has(entity.table, ["Z_PK", "Z_ENT"] + index.columns) else { continue }
      let bounds = index.columns.flatMap { ["ifnull(\($0), 0)", "ifnull(\($0), 0)"] }.joined(separator: ", ")
      add(
        isMade ? .locationIndexes : .locationRows, index.name.name, "its rows are made anew from those of the table",
        "DELETE FROM \(index.name)",
        "INSERT INTO \(index.name) SELECT Z_PK, \(bounds) FROM \(entity.table) WHERE Z_ENT IS NOT NULL")
    }
  }

  // MARK: Search indexes

  /// Drops triggers of search indexes that are gone. Only the program that made such an index may want it again.
  private mutating func addSearchTriggers() {
    let lost = SearchIndexLayout.triggersWithoutTable(in: catalogue.definitions).sorted { $0.key < $1.key }
    for trigger in lost.flatMap(\.value) {
      add(.searchIndexes, trigger.name, "the trigger is dropped, whose search index is gone") { connection in
        try connection.execute("DROP TRIGGER \(Identifier(trigger.name))")
        return nil
      }
    }
  }

  /// Makes incomplete and wrong search indexes anew.
  private mutating func addSearchIndexes() {
    for index in layout.searchTables(in: catalogue.definitions)
    where findings.contains(where: { $0.rule == .searchIndexes && $0.subject == index.name.name }) {
      add(.searchIndexes, index.name.name, "the index is made anew") { connection in
        try index.remake(on: connection)
        return nil
      }
    }
  }
}
