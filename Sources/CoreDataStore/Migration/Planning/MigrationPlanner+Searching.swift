import ErrorReporting
import ManagedModel

// Search indexes read the texts of their entity's table, and have triggers on it. So a migration drops them first, and
// builds them again from the migrated rows.
extension MigrationPlanner {
  /// The search indexes of the store, with or without all their triggers.
  private var formerSearchIndexes: [SearchIndexLayout] { old.searchTables(in: catalogue.definitions) }

  mutating func dropSearchIndexes() {
    for index in formerSearchIndexes { run("DROP TABLE \(index.name)") }
  }

  /// Makes the search indexes of the entities and attributes that the new model has, under their new names.
  ///
  /// - Returns: in words, the indexes and attributes that it leaves out.
  mutating func addSearchIndexes() -> [String] {
    var warnings: [String] = []
    for former in formerSearchIndexes {
      let name = "the search index of entity \(quoted(former.entityName))"
      guard let entity = new.entities.first(where: { source(of: $0)?.name == former.entityName }) else {
        warnings.append("\(name) goes with the entity")
        continue
      }
      let names = former.attributes.compactMap { attribute in
        properties[entity.name]?.first { $0.value == attribute.name }?.key
      }.filter { (try? new.searchIndex(on: [$0], of: entity)) != nil }
      if names.count < former.attributes.count {
        let rest = names.isEmpty ? "goes" : "has only \(abbreviatedList(names.map(quoted)))"
        warnings.append("\(name) \(rest), as the new model lacks the other attributes as texts")
      }
      guard let index = try? new.searchIndex(on: names, of: entity) else { continue }
      for sql in index.definitions + [index.filling] { run(sql) }
    }
    return warnings
  }
}
