import ManagedModel
import PostgreSQL
import StoreRequests

extension MigrationPlanner {
  /// Drops the triggers of derived attributes, whose functions name old tables and columns.
  mutating func dropTriggers() {
    for function in old.derivationTriggers.flatMap(\.functions) {
      run("DROP FUNCTION IF EXISTS \(old.qualified(function)) CASCADE")
    }
  }

  /// Computes derived attributes whose values may have changed. Makes the triggers of all.
  mutating func addDerivedValues() {
    for derivation in Self.changed(in: new, isKept: { isKept($0, $1) }) { run(derivation.sql) }
    for statement in StoreDefinitions(layout: new).triggers { run(statement) }
  }

  /// Computes the texts that the server cannot compute, after the script has run.
  func completeTexts(over connection: Connection) throws {
    let texts = DerivedTexts(connection: connection, layout: new)
    for derivation in Self.changed(in: new, isKept: { isKept($0, $1) }) { try derivation.complete(texts) }
  }

  private func isKept(_ name: String, _ entity: StoreEntity) -> Bool {
    relationships.keepsDerivedValues(of: name, of: entity.name)
  }

  private struct ChangedDerivation {
    let sql: String
    let complete: (DerivedTexts) throws -> Void
  }

  private static func changed(
    in layout: StoreLayout, isKept: (String, StoreEntity) -> Bool
  ) -> [ChangedDerivation] {
    var result: [ChangedDerivation] = []
    for entity in layout.entities.entities {
      let inherited = entity.lineage.dropLast().last.flatMap { layout.entities.entity(named: $0) }
      let table = layout.table(of: entity)
      for case .attribute(let attribute) in entity.properties.sorted(by: { $0.name < $1.name })
      where inherited?.property(named: attribute.description.name) == nil && !isKept(attribute.description.name, entity)
      {
        guard case .row(let derivation)? = layout.derivation(attribute.description.name, of: entity) else { continue }
        result.append(
          ChangedDerivation(
            sql:
              "UPDATE \(table.sql) t SET \(derivation.column.name) = \(derivation.sql("t")) WHERE \(kinds(entity, table))"
          ) { try $0.completeAll(derivation, of: table) })
      }
    }
    for (number, derivation) in layout.pathDerivations.enumerated()
    where !isKept(derivation.attributeName, derivation.entity) {
      let triggers = DerivationTriggers(derivation, number: number, schema: layout.schema)
      result.append(ChangedDerivation(sql: triggers.refresh) { try $0.completeAll(triggers) })
    }
    return result
  }

  private static func kinds(_ entity: StoreEntity, _ table: TableLayout) -> String {
    guard table.hasKinds, entity.lineage.count > 1 else { return "TRUE" }
    let names = table.entities.filter { entity.kindNumbers.contains($0.number) }.map(\.name)
    return "t.\(TableLayout.kind) IN (\(sqlLiterals(names)))"
  }
}
