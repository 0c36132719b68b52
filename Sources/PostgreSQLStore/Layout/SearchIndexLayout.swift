import Foundation
import ManagedModel
import PostgreSQL
import StoreRequests

/// A full-text index of an entity's text attributes: a column of its table in which the server keeps the words, and an index of them.
///
/// No model declares it. The column is a generated one, so it follows each change of any program. All rows of the table have it, those of
/// other entities of the hierarchy too. In such a row, a column of another entity is `NULL`, and has no words. A fetch tests the entity of
/// each row.
struct SearchIndexLayout {
  /// The name of the column, and of its index.
  let name: Identifier
  let entity: StoreEntity
  let table: TableLayout
  let attributes: [Attribute]

  struct Attribute: Hashable {
    let name: String
    let column: Identifier
  }

  /// Begins the names of all columns.
  static let namePrefix = "_search"

  /// Separates the words of one attribute from the next one's.
  private static let separator = "E'\\n'"

  // MARK: Definitions

  /// The column, its index, and a comment that says what they are made of. In the transaction of the caller, after the functions.
  func definitions(_ functions: SearchFunctions) throws -> [String] {
    let words = attributes.map { "coalesce(\(functions.words(of: "\($0.column)")), '')" }
    return [
      "ALTER TABLE \(table.sql) ADD COLUMN \(name) text COLLATE \"C\" GENERATED ALWAYS AS "
        + "(\(words.joined(separator: " || \(Self.separator) || "))) STORED",
      "CREATE INDEX \(name) ON \(table.sql) USING gin (\(functions.lexemes(of: "\(name)")))", try comment,
    ]
  }

  /// The comment by which ``SearchCatalogue`` finds the index.
  var comment: String {
    get throws {
      let contents = SearchIndexContents(entity: entity.name, attributes: attributes.map(\.name))
      return "COMMENT ON COLUMN \(table.sql).\(name) IS \(sqlLiteral(try contents.encoded()))"
    }
  }

  /// Dropping the column drops its index.
  var removal: String { "ALTER TABLE \(table.sql) DROP COLUMN \(name)" }

  // MARK: Words of rows

  /// The words of some attributes of a row, or of all if there are none.
  func words(of attributes: [Attribute], _ alias: String) -> String {
    let parts = attributes.map { part($0, alias) }
    return parts.isEmpty ? "\(alias).\(name)" : "(\(parts.joined(separator: " || \(Self.separator) || ")))"
  }

  private func part(_ attribute: Attribute, _ alias: String) -> String {
    let place = (attributes.firstIndex(of: attribute) ?? 0) + 1
    return "split_part(\(alias).\(name), \(Self.separator), \(place))"
  }
}

/// What a search index is made of, as the comment of its column says it.
struct SearchIndexContents: Codable, Hashable {
  let entity: String
  let attributes: [String]

  func encoded() throws -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return String(decoding: try encoder.encode(self), as: UTF8.self)
  }
}

extension StoreLayout {
  /// The attributes with some names, as an index may have them.
  ///
  /// - Throws: ``SearchError``, ``QueryError``
  func searchedAttributes(_ names: [String], of entity: StoreEntity) throws -> [SearchIndexLayout.Attribute] {
    guard !names.isEmpty else { throw SearchError.noProperties(entity: entity.name) }
    var known: Set<String> = []
    return try names.filter { known.insert($0).inserted }.map { name in
      guard case .attribute(let layout) = try property(name, of: entity), layout.isSearchable,
        let column = layout.columns.first
      else { throw SearchError.notText(property: name, entity: entity.name) }
      return SearchIndexLayout.Attribute(name: name, column: column.name)
    }
  }
}

extension AttributeLayout {
  /// Whether a search index may have the attribute. Objects in memory have no current value of a derived attribute.
  fileprivate var isSearchable: Bool {
    let description = attribute.description
    return description.type == .string && description.derivation == nil && !description.isTransient
  }
}
