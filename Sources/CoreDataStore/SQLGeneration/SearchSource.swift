import SQLite
import StoreRequests

/// The part of a search index in a statement: a table to join, a condition, and an order by relevance.
struct SearchSource {
  private let index: SearchIndexLayout
  private let match: String
  private let weights: [String: Double]
  /// See ``TextCondition/isRanked``.
  let isRanked: Bool
  private static let alias = "s"

  /// - Throws: ``SearchError``, ``QueryError``
  init(_ condition: TextCondition, of entity: EntityLayout, in layout: StoreLayout) throws {
    guard let index = layout.searchIndex(for: entity) else { throw SearchError.noIndex(entity: entity.name) }
    self.index = index
    weights = condition.weights
    isRanked = condition.isRanked
    for name in weights.keys.sorted() where !index.attributes.contains(where: { $0.name == name }) {
      throw SearchError.notSearched(property: name, entity: entity.name, searched: index.attributes.map(\.name))
    }
    match = try index.match(condition, entity: entity.name)
  }

  /// Joins each match with its row, which has an alias.
  func source(_ alias: String) -> String {
    "\(index.name) \(Self.alias) JOIN \(index.table) \(alias) ON \(alias).Z_PK = \(Self.alias).rowid"
  }

  func condition(_ printer: inout QueryPrinter) -> String {
    "\(Self.alias).\(index.name) MATCH \(printer.placeholder(.text(match)))"
  }

  /// The best matches, each joined with its row. They are known before any row is read: reading a row for each match to sort takes
  /// longer.
  ///
  /// - Parameter limit: The clause that follows the order, with its placeholders.
  func bestMatches(_ alias: String, _ printer: inout QueryPrinter, limit: (inout QueryPrinter) -> String) -> String {
    let rank = rank(&printer)
    let condition = condition(&printer)
    return """
      (
        SELECT \(Self.alias).rowid AS rowid, \(rank) AS rank
        FROM \(index.name) \(Self.alias)
        WHERE \(condition)
        ORDER BY 2, 1\(limit(&printer))
      ) \(Self.alias) JOIN \(index.table) \(alias) ON \(alias).Z_PK = \(Self.alias).rowid
      """
  }

  /// The order of what ``bestMatches(_:_:limit:)`` returns.
  var bestOrder: [String] { ["\(Self.alias).rank", "\(Self.alias).rowid"] }

  /// Smaller is better: FTS5's BM25 (https://www.sqlite.org/fts5.html#the_bm25_function).
  func rank(_ printer: inout QueryPrinter) -> String {
    guard !weights.isEmpty else { return "\(Self.alias).rank" }
    let values = index.attributes.map { printer.placeholder(.real(weights[$0.name] ?? 1)) }
    return "bm25(\(Self.alias).\(index.name), \(values.joined(separator: ", ")))"
  }
}

extension SearchIndexLayout {
  /// A condition in FTS5's query language. All texts are quoted, so that no character of them is an operator.
  ///
  /// - Throws: ``SearchError/notSearched(property:entity:searched:)``
  func match(_ condition: TextCondition, entity: String) throws -> String {
    let columns = try condition.attributes.map { name in
      guard let attribute = attributes.first(where: { $0.name == name }) else {
        throw SearchError.notSearched(property: name, entity: entity, searched: attributes.map(\.name))
      }
      return attribute.column.quoted
    }
    let isPrefix = condition.form == .beginnings
    let alternatives = condition.alternatives.map { forms in
      forms.map { Identifier($0).quoted + (isPrefix ? " *" : "") }
    }
    let words =
      if condition.form == .anyWord || alternatives.count == 1 {
        alternatives.joined().joined(separator: " OR ")
      } else if alternatives.allSatisfy({ $0.count == 1 }) {
        // FTS5 leaves out parts without words, since no operator stands between them.
        alternatives.joined().joined(separator: " ")
      } else {
        alternatives.map { "(\($0.joined(separator: " OR ")))" }.joined(separator: " AND ")
      }
    // An empty phrase matches nothing; an empty query is an error.
    let query = words.isEmpty ? "\"\"" : words
    return columns.isEmpty ? query : "{\(columns.joined(separator: " "))} : (\(query))"
  }
}
