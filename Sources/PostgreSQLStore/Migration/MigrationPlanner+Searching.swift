import PostgreSQL
import StoreRequests

// A search index stays if its columns do. Others go before anything is changed: the server neither drops nor converts a column that a
// generated one reads. They are made anew from the migrated rows.
extension MigrationPlanner {
  /// Drops the indexes that cannot stay.
  mutating func dropSearchIndexes() {
    for entry in searchIndexes where !isKept(entry) { run(entry.index.removal) }
  }

  /// Makes the dropped indexes of the entities and attributes that the new model has. Tells the other ones their new names.
  mutating func addSearchIndexes() throws {
    var names = NameList(reserved: newNames.union(searchIndexes.filter(isKept).map(\.index.name.name)))
    for entry in searchIndexes {
      guard let entity = destination(of: entry.index.entity) else { continue }
      let attributes = attributes(of: entry.index, in: entity)
      if attributes.isEmpty { continue }
      let isKept = isKept(entry)
      let index = SearchIndexLayout(
        name: isKept ? entry.index.name : names.claim(SearchIndexLayout.namePrefix), entity: entity,
        table: new.table(of: entity), attributes: attributes)
      guard isKept else {
        for definition in try index.definitions(SearchFunctions(schema: new.schema)) { run(definition) }
        continue
      }
      if try index.comment != entry.index.comment { run(try index.comment) }
    }
  }

  /// The attributes of the new entity that the index's attributes become.
  private func attributes(of index: SearchIndexLayout, in entity: StoreEntity) -> [SearchIndexLayout.Attribute] {
    index.attributes.compactMap { former in
      let name = properties[entity.name]?.first { $0.value == former.name }?.key
      return name.flatMap { try? new.searchedAttributes([$0], of: entity).first }
    }
  }

  private func isKept(_ entry: SearchCatalogue.Entry) -> Bool {
    guard entry.isWhole, let entity = destination(of: entry.index.entity) else { return false }
    let plan = plans[entity.hierarchy]
    let attributes = attributes(of: entry.index, in: entity)
    return plan.base === entry.index.table && !newNames.contains(entry.index.name.name)
      && attributes.map { plan.kept[$0.column]?.name } == entry.index.attributes.map(\.column)
  }

  /// The names of the new tables, columns and indexes.
  private var newNames: Set<String> {
    let tables = new.tables.flatMap { table in
      [table.name] + table.columns.map(\.name) + table.indexes.map(\.name) + table.uniqueConstraints.map(\.name)
    }
    return Set((tables + new.joinTables.flatMap { [$0.name, $0.index] }).map(\.name))
  }
}
