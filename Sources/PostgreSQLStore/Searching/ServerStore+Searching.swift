import PostgreSQL
package import StoreRequests

extension ServerStore: SearchEngine {
  /// Keeps others away from the table until the end. Cost: writes the table once, and reads it twice.
  @discardableResult
  package func makeSearchIndex(on attributes: [String], of entityName: String) throws -> Bool {
    let entity = try entities.existingEntity(entityName)
    let wanted = try layout.searchedAttributes(attributes, of: entity)
    func has(_ found: SearchCatalogue.Entry?) -> Bool { found?.isWhole == true && found?.index.attributes == wanted }
    guard try !has(pool.reading { try entry(of: entity, $0) }) else { return false }
    return try changingIndexes { connection in
      let catalogue = SearchCatalogue(connection: connection, layout: layout)
      let former = try entry(of: entity, connection)
      guard !has(former) else { return false }
      if let former { try connection.execute(former.index.removal) }
      try catalogue.makeFunctions()
      let index = SearchIndexLayout(
        name: try catalogue.freeName(), entity: entity, table: layout.table(of: entity), attributes: wanted)
      for definition in try index.definitions(catalogue.functions) { try connection.execute(definition) }
      return true
    }
  }

  @discardableResult
  package func removeSearchIndex(of entityName: String) throws -> Bool {
    let entity = try entities.existingEntity(entityName)
    guard try pool.reading({ try entry(of: entity, $0) }) != nil else { return false }
    return try changingIndexes { connection in
      guard let found = try entry(of: entity, connection) else { return false }
      try connection.execute(found.index.removal)
      try SearchCatalogue(connection: connection, layout: layout).removeUnusedFunctions()
      return true
    }
  }

  package func searchedAttributes(of entityName: String) throws -> [String] {
    try searchIndex(of: entities.existingEntity(entityName)).attributes.map(\.name)
  }

  package func positions(
    of condition: TextCondition, entityName: String, in texts: [[StoreValue]]
  ) throws -> Set<Int> {
    guard !texts.isEmpty else { return [] }
    let entity = try entities.existingEntity(entityName)
    let index = try searchIndex(of: entity)
    let places = try condition.attributes.map { name in
      guard let place = index.attributes.firstIndex(where: { $0.name == name }) else {
        throw SearchError.notSearched(property: name, entity: entity.name, searched: index.attributes.map(\.name))
      }
      return place
    }
    let query = SearchQuery(condition)
    return Set(
      texts.indices.filter { position in
        let values = texts[position]
        return query.isTrue(
          of: (places.isEmpty ? Array(values.indices) : places).compactMap { place in
            // Another program may have replaced the index after the texts were read.
            if place < values.count, case .text(let text) = values[place] { text } else { nil }
          })
      })
  }

  /// The index that serves an entity.
  ///
  /// - Throws: ``SearchError/noIndex(entity:)``, ``SearchError/incompleteIndex(entity:)``
  func searchIndex(of entity: StoreEntity) throws -> SearchIndexLayout {
    try noticingChanges {
      try pool.reading { try SearchCatalogue(connection: $0, layout: layout).index(for: entity) }
    }
  }

  /// The entity's own index.
  private func entry(of entity: StoreEntity, _ connection: Connection) throws -> SearchCatalogue.Entry? {
    try SearchCatalogue(connection: connection, layout: layout).entries(of: [layout.table(of: entity)]).first {
      $0.index.entity.number == entity.number
    }
  }

  /// Runs a closure in a transaction that no migration, and no other change of an index, runs beside.
  private func changingIndexes(_ body: (Connection) throws -> Bool) throws -> Bool {
    try requireWriting()
    var options = ServerOptions()
    options.schema = layout.schema.name
    options.deadline = pool.deadline
    do {
      return try noticingChanges {
        try pool.transaction { connection in
          try connection.set(.unlimited + .lockWait(milliseconds: options.wholeMilliseconds), for: .transaction)
          try StoreRecords(connection: connection, options: options).lock()
          return try body(connection)
        }
      }
    } catch let error as PostgreSQLError where error.state == .insufficientPrivilege {
      throw error.advising(
        "let the owner of the tables make the search index, who may also make functions in the schema \(layout.schema)")
    }
  }
}
