import ManagedModel
package import SQLite
import StoreRequests

/// A full-text index of an entity's text attributes: an FTS5 table, and the triggers that maintain it.
///
/// No model declares it, so version hashes, the cached model and Core Data's own tables know nothing of it. The table has
/// no copy of the texts: it reads them from the entity's table (https://www.sqlite.org/fts5.html#external_content_tables).
/// It has all rows of the entity's table. Rows of other entities of the hierarchy have `NULL` in columns that are not
/// theirs, and a fetch tests the entity anyway.
package struct SearchIndexLayout: Sendable, Hashable {
  package let entityName: String
  /// The table of the rows.
  package let table: Identifier
  package let attributes: [Attribute]

  package struct Attribute: Sendable, Hashable {
    package let name: String
    package let column: Identifier
  }

  /// How FTS5 finds words: case does not count, and neither do diacritics of Latin letters. See ``TextCondition/alternatives``.
  package static let tokenizer = "unicode61 remove_diacritics 2"

  /// The name of the FTS5 table. It ends in a word, so that no table that FTS5 adds has the name of another index.
  package var name: Identifier { Self.name(of: entityName) }

  static func name(of entityName: String) -> Identifier { Identifier("OSD_\(entityName)_SEARCH") }

  /// Whether a table has the name of a search index's FTS5 table.
  package static func isIndexName(_ name: String) -> Bool { name.hasPrefix("OSD_") && name.hasSuffix("_SEARCH") }

  /// Whether a table belongs to a search index, as its FTS5 table or as one of the tables that FTS5 adds.
  package static func isName(_ name: String) -> Bool {
    isIndexName(name) || addedTables.contains { name.hasSuffix($0) && isIndexName(String(name.dropLast($0.count))) }
  }

  private static let addedTables = ["_data", "_idx", "_docsize", "_config"]

  /// The FTS5 table, and the tables that FTS5 adds to it.
  package var tableNames: [String] { ([""] + Self.addedTables).map { name.name + $0 } }

  /// The names of the triggers.
  package var triggerNames: [String] { Self.triggerNames(of: name.name) }

  static func triggerNames(of index: String) -> [String] { events.map { "\(index)_\($0)" } }

  private static let events = ["INSERT", "UPDATE", "DELETE"]

  /// The triggers that write to a search index which is gone, by the index's name. Each such write fails.
  package static func triggersWithoutTable(in definitions: [Catalogue.Definition]) -> [String: [Catalogue.Definition]] {
    let names = Set(definitions.lazy.filter { $0.kind != "trigger" }.map { $0.name.lowercased() })
    let lost = definitions.compactMap { trigger -> (index: String, trigger: Catalogue.Definition)? in
      guard trigger.kind == "trigger", let event = events.first(where: { trigger.name.hasSuffix("_\($0)") }) else {
        return nil
      }
      let index = String(trigger.name.dropLast(event.count + 1))
      // A trigger of another program may have such a name, and work without the table.
      guard isIndexName(index), !names.contains(index.lowercased()),
        trigger.sql?.contains("INSERT INTO \(Identifier(index)) (") == true
      else { return nil }
      return (index, trigger)
    }
    return Dictionary(grouping: lost, by: \.index).mapValues { $0.map(\.trigger) }
  }

  /// The FTS5 table, then its triggers.
  package var definitions: [String] {
    let columns = attributes.map(\.column.quoted)
    func values(_ row: String) -> String { columns.map { "\(row).\($0)" }.joined(separator: ", ") }
    let list = columns.joined(separator: ", ")
    let add = "INSERT INTO \(name) (rowid, \(list)) VALUES (NEW.Z_PK, \(values("NEW")))"
    // FTS5 removes the words of a row only if it gets the text that it has indexed.
    let remove = "INSERT INTO \(name) (\(name), rowid, \(list)) VALUES ('delete', OLD.Z_PK, \(values("OLD")))"
    let change = columns.map { "OLD.\($0) IS NOT NEW.\($0)" }.joined(separator: " OR ")
    func trigger(_ index: Int, _ event: String, _ condition: String = "", _ body: String) -> String {
      "CREATE TRIGGER \(Identifier(triggerNames[index])) AFTER \(event) ON \(table) FOR EACH ROW \(condition)BEGIN \(body) ; END"
    }
    return [
      "CREATE VIRTUAL TABLE \(name) USING fts5(\(list), content = \(Identifier.literal(table.name)), "
        + "content_rowid = 'Z_PK', tokenize = '\(Self.tokenizer)')",
      trigger(0, "INSERT", "", add),
      trigger(1, "UPDATE OF \(list)", "WHEN \(change) ", "\(remove) ; \(add)"),
      trigger(2, "DELETE", "", remove),
    ]
  }

  /// The columns that stand in the text of an FTS5 table. Texts of other programs may give anything.
  fileprivate static func columns(ofTableText sql: String, _ entityName: String) -> [Identifier] {
    let start = "CREATE VIRTUAL TABLE \(name(of: entityName)) USING fts5("
    guard sql.hasPrefix(start) else { return [] }
    var columns: [Identifier] = []
    var rest = sql.unicodeScalars.dropFirst(start.unicodeScalars.count)
    // A name in double quotes, in which a double quote is doubled.
    while rest.popFirst() == "\"" {
      var column = String.UnicodeScalarView()
      while let next = rest.popFirst() {
        if next == "\"" {
          guard rest.first == "\"" else { break }
          rest = rest.dropFirst()
        }
        column.append(next)
      }
      columns.append(Identifier(String(column)))
      rest = rest.drop { $0 == "," || $0 == " " }
    }
    return columns
  }

  /// Reads all rows of the entity's table into the index.
  package var filling: String { "INSERT INTO \(name) (\(name)) VALUES ('rebuild')" }
}

extension StoreLayout {
  /// The index of some attributes of an entity, whether the store has it or not.
  ///
  /// - Throws: ``SearchError``, ``QueryError``
  func searchIndex(on attributes: [String], of entity: EntityLayout) throws -> SearchIndexLayout {
    guard !attributes.isEmpty else { throw SearchError.noProperties(entity: entity.name) }
    var known: Set<String> = []
    return SearchIndexLayout(
      entityName: entity.name, table: entity.table,
      attributes: try attributes.filter { known.insert($0).inserted }.map { name in
        guard case .attribute(let attribute) = try property(name, of: entity), attribute.isSearchable,
          let column = attribute.column
        else { throw SearchError.notText(property: name, entity: entity.name) }
        return SearchIndexLayout.Attribute(name: name, column: column.name)
      })
  }

  /// The search indexes whose FTS5 table is in a store with the exact text that this layout gives it.
  ///
  /// Their triggers may be missing, or have another text: see ``SearchIndexLayout/isWhole(in:)``.
  package func searchTables(in definitions: [Catalogue.Definition]) -> [SearchIndexLayout] {
    let tables = Dictionary(
      definitions.filter { $0.kind == "table" && SearchIndexLayout.isIndexName($0.name) }.map {
        ($0.name, $0.sql ?? "")
      },
      uniquingKeysWith: { first, _ in first })
    guard !tables.isEmpty else { return [] }
    return entities.compactMap { entity in
      guard let sql = tables[SearchIndexLayout.name(of: entity.name).name] else { return nil }
      let columns = SearchIndexLayout.columns(ofTableText: sql, entity.name)
      let attributes = columns.compactMap { column in
        entity.properties.first { property in
          if case .attribute(let attribute) = property { attribute.column?.name == column } else { false }
        }?.name
      }
      guard attributes.count == columns.count, let index = try? searchIndex(on: attributes, of: entity),
        index.definitions[0] == sql
      else { return nil }
      return index
    }
  }

  /// The index that a search for objects of an entity uses: its own, or that of the nearest superentity.
  package func searchIndex(for entity: EntityLayout) -> SearchIndexLayout? {
    entity.lineage.reversed().lazy.compactMap { name in searchIndexes.first { $0.entityName == name } }.first
  }
}

extension SearchIndexLayout {
  /// Whether a store has all triggers of the index, so that no row is missing in it.
  package func isWhole(in definitions: [Catalogue.Definition]) -> Bool {
    Set(self.definitions).isSubset(of: definitions.lazy.compactMap(\.sql))
  }
}

extension SearchIndexLayout {
  /// Makes the index, and before that drops the table and the triggers that have its names. In the caller's transaction.
  package func remake(on connection: Connection) throws {
    try SearchIndexLayout.remove(entityName, of: table, on: connection)
    for definition in definitions { try connection.execute(definition) }
    try connection.execute(filling)
  }

  /// Drops the table and the triggers of an entity's index, also if another program has changed their texts.
  ///
  /// - Returns: whether there were any.
  /// - Throws: ``SearchError/foreignDefinition(_:)`` for a table with rows of its own, or a trigger of another table, under such
  ///   a name; nothing is dropped then.
  @discardableResult
  static func remove(_ entityName: String, of table: Identifier, on connection: Connection) throws -> Bool {
    let found = try Catalogue.definitions(connection).filter { $0.belongsToSearchIndex(of: entityName) }
    if let foreign = found.first(where: { !isOwn($0, table) }) {
      throw SearchError.foreignDefinition(foreign.name)
    }
    for definition in found { try connection.execute("DROP \(definition.kind) \(Identifier(definition.name))") }
    return !found.isEmpty
  }

  /// Whether a definition with a name of an entity's index can be dropped without loss. It can if it is an FTS5 table
  /// without texts of its own, or a trigger of the entity's table.
  private static func isOwn(_ definition: Catalogue.Definition, _ table: Identifier) -> Bool {
    guard definition.kind == "table" else { return definition.table.lowercased() == table.name.lowercased() }
    let text = (definition.sql ?? "").uppercased()
    return text.hasPrefix("CREATE VIRTUAL TABLE ") && text.contains(" USING FTS5(")
      && text.contains(", CONTENT = '") && !text.contains(", CONTENT = ''")
  }
}

extension Catalogue.Definition {
  /// Whether it is the FTS5 table or a trigger of an entity's search index, by its name.
  func belongsToSearchIndex(of entityName: String) -> Bool {
    let index = SearchIndexLayout.name(of: entityName).name
    return kind == "table"
      ? name == index : kind == "trigger" && SearchIndexLayout.triggerNames(of: index).contains(name)
  }
}

extension AttributeLayout {
  /// Whether a search index may have the attribute. Objects in memory have no current value of a derived attribute.
  fileprivate var isSearchable: Bool {
    description.type == .string && description.derivation == nil && !description.isTransient
  }
}
