import SQLite
package import StoreRequests

extension PersistentStore: SearchEngine {
  /// Cost: reads all rows of the entity's table once.
  @discardableResult
  package func makeSearchIndex(on attributes: [String], of entityName: String) throws -> Bool {
    let index = try layout.searchIndex(on: attributes, of: layout.existingEntity(entityName))
    let exists = try read { connection in index.isWhole(in: try Catalogue.definitions(connection)) }
    guard !exists else { return false }
    return try write { connection in
      guard try connection.integer("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") != nil else {
        throw SearchError.unavailable
      }
      try index.remake(on: connection)
      if let name = try decideTrust(of: connection, Catalogue.definitions(connection)) {
        throw SearchError.otherDefinition(name)
      }
      return true
    }
  }

  @discardableResult
  package func removeSearchIndex(of entityName: String) throws -> Bool {
    let table = try layout.existingEntity(entityName).table
    let exists = try read { connection in
      try Catalogue.definitions(connection).contains { $0.belongsToSearchIndex(of: entityName) }
    }
    guard exists else { return false }
    return try write { try SearchIndexLayout.remove(entityName, of: table, on: $0) }
  }

  package func searchedAttributes(of entityName: String) throws -> [String] {
    try searchIndex(of: entityName).attributes.map(\.name)
  }

  package func positions(
    of condition: TextCondition, entityName: String, in texts: [[StoreValue]]
  ) throws -> Set<Int> {
    guard !texts.isEmpty else { return [] }
    let index = try searchIndex(of: entityName)
    let match = try index.match(condition, entity: entityName)
    let columns = index.attributes.map(\.column.quoted).joined(separator: ", ")
    let connection = try Connection.inMemory()
    defer { connection.close() }
    try connection.execute(
      "CREATE VIRTUAL TABLE OSD_TEXTS USING fts5(\(columns), content = '', tokenize = '\(SearchIndexLayout.tokenizer)')"
    )
    let places = SQLText.placeholders(index.attributes.count + 1)
    try connection.transaction(.immediate) {
      let insertion = try connection.prepare("INSERT INTO OSD_TEXTS (rowid, \(columns)) VALUES (\(places))")
      for (position, values) in texts.enumerated() {
        try insertion.bind(Int64(position), at: 1)
        for (column, value) in values.enumerated() { try insertion.bind(value, at: column + 2) }
        try insertion.run()
      }
    }
    let query = try connection.prepare("SELECT rowid FROM OSD_TEXTS WHERE OSD_TEXTS MATCH ?1")
    try query.bind(match, at: 1)
    var positions: Set<Int> = []
    while try query.step() { positions.insert(Int(query.integer(0))) }
    return positions
  }

  /// The index for searches of an entity.
  ///
  /// - Throws: ``SearchError/noIndex(entity:)``, ``SearchError/incompleteIndex(entity:)``
  private func searchIndex(of entityName: String) throws -> SearchIndexLayout {
    let entity = try layout.existingEntity(entityName)
    return try read { connection in try searchableLayout(connection, entity).index }
  }

  /// The layout with the search indexes that the store has now.
  private func searchableLayout(
    _ connection: Connection, _ entity: EntityLayout
  ) throws -> (layout: StoreLayout, index: SearchIndexLayout) {
    let (tables, whole) = try knownSearchIndexes.indexes(on: connection, layout)
    var layout = layout
    layout.searchIndexes = whole
    guard let index = layout.searchIndex(for: entity) else {
      let isIncomplete = tables.contains { entity.lineage.contains($0.entityName) }
      throw isIncomplete
        ? SearchError.incompleteIndex(entity: entity.name) : SearchError.noIndex(entity: entity.name)
    }
    return (layout, index)
  }

  /// The statement of a request.
  ///
  /// A request with a full-text condition is printed each time, with the indexes that the store has now.
  /// - Throws: ``QueryError``, ``SearchError``
  func statement(_ kind: SelectPlans.Kind, _ request: FetchRequest) throws -> SelectStatement {
    guard request.search != nil else { return try plans.statement(kind, request, in: layout) }
    let entity = try layout.existingEntity(request.entityName)
    let searchable = try read { connection in try searchableLayout(connection, entity).layout }
    return try SelectStatement(kind, request, in: searchable)
  }
}
