import Foundation
import PostgreSQL
import StoreRequests

/// The search indexes that a schema has now. Any program may make or remove one.
struct SearchCatalogue {
  let connection: Connection
  let layout: StoreLayout

  struct Entry {
    let index: SearchIndexLayout
    /// Whether the column is a generated one, and has its index.
    let isWhole: Bool
  }

  /// The indexes of some tables, by name. Leaves out indexes of entities or attributes that the layout lacks. Cost: one query.
  func entries(of tables: [TableLayout]) throws -> [Entry] {
    let rows = try connection.run(
      """
      SELECT c.relname::text, a.attname::text, d.description, a.attgenerated = 's' AND EXISTS (
        SELECT FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
        WHERE i.indrelid = c.oid AND i.indisvalid AND x.relname = a.attname)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
      JOIN pg_description d ON d.classoid = 'pg_class'::regclass AND d.objoid = c.oid AND d.objsubid = a.attnum
      WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1::name) AND c.relname = ANY ($2::name[])
        AND a.attnum > 0 AND NOT a.attisdropped AND starts_with(a.attname::text, $3) AND a.atttypid = 'text'::regtype
      ORDER BY a.attname
      """,
      [.text(layout.schema.name), .texts(tables.map(\.name.name)), .text(SearchIndexLayout.namePrefix)])
    return (0..<rows.rowCount).compactMap { row in
      let contents = try? JSONDecoder().decode(
        SearchIndexContents.self, from: Data((rows.text(row, 2) ?? "").utf8))
      guard let contents, let entity = layout.entities.entity(named: contents.entity),
        let attributes = try? layout.searchedAttributes(contents.attributes, of: entity),
        layout.table(of: entity).name == Identifier(rows.text(row, 0) ?? "")
      else { return nil }
      let index = SearchIndexLayout(
        name: Identifier(rows.text(row, 1) ?? ""), entity: entity, table: layout.table(of: entity),
        attributes: attributes)
      return Entry(index: index, isWhole: rows.integer(row, 3) != 0)
    }
  }

  /// The index that a search for objects of an entity uses: its own, or that of the nearest superentity.
  ///
  /// - Throws: ``SearchError/noIndex(entity:)``, ``SearchError/incompleteIndex(entity:)``
  func index(for entity: StoreEntity) throws -> SearchIndexLayout {
    let entries = try entries(of: [layout.table(of: entity)])
    let nearest = entity.lineage.reversed().lazy.compactMap { name in
      entries.first { $0.isWhole && $0.index.entity.name == name }
    }.first
    if let nearest { return nearest.index }
    let isIncomplete = entries.contains { entity.lineage.contains($0.index.entity.name) }
    throw isIncomplete ? SearchError.incompleteIndex(entity: entity.name) : SearchError.noIndex(entity: entity.name)
  }

  /// A name that no column, table or index of the schema has.
  func freeName() throws -> Identifier {
    let found = try connection.run(
      """
      SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1::name
      UNION SELECT a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = $1::name AND a.attnum > 0 AND NOT a.attisdropped
      """, [.text(layout.schema.name)])
    var names = NameList(reserved: Set((0..<found.rowCount).compactMap { found.text($0, 0) }))
    return names.claim(SearchIndexLayout.namePrefix)
  }

  var functions: SearchFunctions { SearchFunctions(schema: layout.schema) }

  /// Makes the functions that the schema lacks.
  func makeFunctions() throws {
    let known = try knownFunctions()
    for (name, definition) in functions.definitions where known[name] == nil { try connection.execute(definition) }
  }

  /// Removes the functions that no column or index uses any more. Those of other models and other programs count, too.
  func removeUnusedFunctions() throws {
    for (name, isUsed) in try knownFunctions() where !isUsed { try connection.execute(functions.removal(of: name)) }
  }

  /// The functions that the schema has, and whether something uses them.
  private func knownFunctions() throws -> [Identifier: Bool] {
    let found = try connection.run(
      """
      SELECT p.proname::text, EXISTS (
        SELECT FROM pg_depend d WHERE d.refclassid = 'pg_proc'::regclass AND d.refobjid = p.oid)
      FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = $1::name AND p.proname = ANY ($2::name[]) AND p.pronargs = 1 AND p.proargtypes[0] = 'text'::regtype
      """, [.text(layout.schema.name), .texts(functions.definitions.map(\.name.name))])
    return Dictionary(
      uniqueKeysWithValues: (0..<found.rowCount).map {
        (Identifier(found.text($0, 0) ?? ""), found.integer($0, 1) != 0)
      })
  }
}
