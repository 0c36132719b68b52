import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

extension MigrationPlanner {
  /// Gives the changes in history the new names of entities and properties. Changes of removed entities go.
  mutating func addHistory() {
    let table = new.qualified(StoreDefinitions.changes)
    var cases: [String] = []
    var removed: [String] = []
    for entity in old.entities.entities where !entity.description.isAbstract {
      guard let destination = destination(of: entity) else {
        removed.append(entity.name)
        continue
      }
      renameProperties(of: entity, as: destination, table)
      if !destination.name.hasBytes(of: entity.name) {
        cases.append("WHEN \(sqlLiteral(entity.name)) THEN \(sqlLiteral(destination.name))")
      }
    }
    if !removed.isEmpty { run("DELETE FROM \(table) WHERE entity IN (\(sqlLiterals(removed)))") }
    if !cases.isEmpty {
      let names = old.entities.entities.map(\.name)
      run(
        "UPDATE \(table) SET entity = CASE entity \(cases.joined(separator: " ")) ELSE entity END WHERE entity IN (\(sqlLiterals(names)))"
      )
    }
  }

  private mutating func renameProperties(of entity: StoreEntity, as destination: StoreEntity, _ table: String) {
    let former = Dictionary(
      (properties[destination.name] ?? [:]).map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
    let names = entity.properties.map(\.name)
    let gone = names.filter { former[$0] == nil }
    let renamed = names.filter { former[$0].map { [name = $0] new in !new.hasBytes(of: name) } ?? false }
    guard !gone.isEmpty || !renamed.isEmpty else { return }
    let cases = renamed.map { "WHEN \(sqlLiteral($0)) THEN \(sqlLiteral(former[$0] ?? $0))" }
    func name(_ column: String) -> String {
      cases.isEmpty ? column : "CASE \(column) \(cases.joined(separator: " ")) ELSE \(column) END"
    }
    func stays(_ column: String) -> String { gone.isEmpty ? "true" : "\(column) NOT IN (\(sqlLiterals(gone)))" }
    run(
      """
      UPDATE \(table) SET \
      properties = CASE WHEN properties IS NOT NULL THEN ARRAY(SELECT \(name("p")) FROM unnest(properties) WITH ORDINALITY u(p, n) WHERE \(stays("p")) ORDER BY n) END, \
      tombstone = (SELECT jsonb_object_agg(\(name("key")), value) FROM jsonb_each(tombstone) WHERE \(stays("key"))) \
      WHERE entity = \(sqlLiteral(entity.name))
      """)
  }
}
