import PostgreSQL
import StoreRequests

/// The parts of a full-text condition in a statement: a condition, and an order by relevance.
struct SearchSource {
  private let index: SearchIndexLayout
  private let functions: SearchFunctions
  private let query: SearchQuery
  /// The attributes to search; all of the index if empty.
  private let attributes: [SearchIndexLayout.Attribute]
  private let weights: [String: Double]
  private let isRanked: Bool

  /// - Throws: ``SearchError/notSearched(property:entity:searched:)``
  init(_ condition: TextCondition, in index: SearchIndexLayout, of entity: StoreEntity, schema: Identifier) throws {
    func attribute(_ name: String) throws -> SearchIndexLayout.Attribute {
      guard let attribute = index.attributes.first(where: { $0.name == name }) else {
        throw SearchError.notSearched(property: name, entity: entity.name, searched: index.attributes.map(\.name))
      }
      return attribute
    }
    self.index = index
    functions = SearchFunctions(schema: schema)
    query = SearchQuery(condition)
    attributes = try condition.attributes.map(attribute)
    weights = condition.weights
    isRanked = condition.isRanked
    for name in weights.keys.sorted() { _ = try attribute(name) }
  }

  /// The index finds the rows that may satisfy the condition, and the words of each decide.
  func condition(_ row: QueryPrinter.Row, _ printer: inout QueryPrinter) -> String {
    guard !query.phrases.isEmpty else { return "FALSE" }
    let candidates = query.expression.map { expression in
      "\(lexemes(row.alias)) @@ \(printer.placeholder(.parameter(.text(expression))))::tsquery AND "
    }
    let words = index.words(of: attributes, row.alias)
    if query.hasAlternatives, !query.isAny {
      let entries = query.parts.enumerated().flatMap { number, part in
        part.map { (number: Int64(number), phrase: query.phrases[$0].text) }
      }
      let texts = printer.placeholder(.parameter(.texts(entries.map(\.phrase))))
      let numbers = printer.placeholder(.parameter(.integers(entries.map(\.number))))
      return (candidates ?? "")
        + "NOT EXISTS (SELECT FROM unnest(\(texts)::text[], \(numbers)::bigint[]) p(phrase, part) "
        + "GROUP BY p.part HAVING bool_and(strpos(\(words), p.phrase) = 0))"
    }
    let phrases = printer.placeholder(.parameter(.texts(query.phrases.map(\.text))))
    return (candidates ?? "")
      + "\(query.isAny ? "" : "NOT ")EXISTS (SELECT FROM unnest(\(phrases)::text[]) p WHERE "
      + "strpos(\(words), p) \(query.isAny ? ">" : "=") 0)"
  }

  private func lexemes(_ alias: String) -> String { functions.lexemes(of: "\(alias).\(index.name)") }

  // MARK: Relevance

  /// The rows of a table that the average length of a row is computed from.
  private static let sampleSize = 1000

  // They cannot clash with tables, whose names are written with their schema.
  private static let rows = "_search_rows"
  private static let phrases = "_search_phrases"
  private static let words = "_search_words"

  /// From so many words on, a row's own words are counted, and looked up. It takes less time to look for each of fewer words in the row.
  private static let manyWords = 64

  /// Whether the words of a row are looked up among those of the condition.
  private var looksUpWords: Bool { query.phrases.count { $0.isWord } >= Self.manyWords }

  /// The queries that the order needs: the number of rows, their average number of words, and the weight of each phrase. The more rows
  /// have a phrase, the smaller is its weight.
  ///
  /// The server's estimate of the number of rows is enough for a large table, and a sample for the length of its rows.
  func statistics(_ printer: inout QueryPrinter) -> String {
    let (table, size) = (index.table.sql, Self.sampleSize)
    let catalogue = "pg_class WHERE oid = \(sqlLiteral(table))::regclass"
    let texts = printer.placeholder(.parameter(.texts(query.phrases.map(\.text))))
    let expressions = printer.placeholder(.parameter(.texts(query.phrases.map { SearchQuery.expression([$0]) })))
    let counts = printer.placeholder(.parameter(.integers(query.counts)))
    let names = looksUpWords ? query.phrases.map { $0.isWord ? $0.words[0] : "" } : []
    let words = printer.placeholder(.parameter(.texts(names)))
    let lookup = """
      , \(Self.words) AS MATERIALIZED (
        SELECT jsonb_object_agg(word, jsonb_build_array(place, weight)) AS places FROM \(Self.phrases) WHERE word <> ''
      )
      """
    return """
      WITH \(Self.rows) AS MATERIALIZED (
        SELECT coalesce((SELECT reltuples FROM \(catalogue) AND reltuples > \(size)), count(*))::double precision AS number,
          greatest(avg(\(count("s"))), 1)::double precision AS length
        FROM \(table) s TABLESAMPLE SYSTEM (
          (SELECT 100.0 * least(1, \(size) / greatest(reltuples, 1)) FROM \(catalogue))::real) REPEATABLE (0)
      ), \(Self.phrases) AS MATERIALIZED (
        SELECT p.phrase, p.word, p.place, p.count * greatest(ln((greatest(r.number - f.number, 0) + 0.5) / (f.number + 0.5)), 1e-6) AS weight
        FROM \(Self.rows) r
        CROSS JOIN unnest(\(texts)::text[], \(expressions)::text[], \(counts)::bigint[], \(words)::text[])
          WITH ORDINALITY p(phrase, expression, count, word, place)
        CROSS JOIN LATERAL (SELECT count(*)::double precision AS number FROM \(table) s
          WHERE \(lexemes("s")) @@ p.expression::tsquery AND strpos(\(index.words(of: attributes, "s")), p.phrase) > 0) f
      )\(looksUpWords ? lookup : "")

      """
  }

  /// The order of BM25, with the constants of SQLite's FTS5 (https://www.sqlite.org/fts5.html#the_bm25_function): the best match first.
  ///
  /// - Returns: `nil` for an order by key.
  func order(_ row: QueryPrinter.Row, _ printer: inout QueryPrinter) -> String? {
    guard isRanked, !query.phrases.isEmpty else { return nil }
    var sources: [String] = []
    if looksUpWords { sources.append(wordCounts(row.alias, &printer)) }
    if query.phrases.contains(where: { !looksUpWords || !$0.isWord }) {
      sources.append(
        "SELECT p.place, p.weight, \(occurrences(row.alias, &printer)) FROM \(Self.phrases) p"
          + (looksUpWords ? " WHERE p.word = ''" : ""))
    }
    return """
      (SELECT sum(f.weight * f.number * 2.2 / (f.number + 1.2 * (0.25 + 0.75 * \(count(row.alias)) / r.length)) ORDER BY f.place)
        FROM \(Self.rows) r CROSS JOIN LATERAL (\(sources.joined(separator: " UNION ALL "))) f(place, weight, number)) DESC
      """
  }

  /// A query of the words that both a row and the condition have: the place and the weight of each in the condition, and how often the
  /// row has it. A word of an attribute counts as much as the attribute weighs.
  private func wordCounts(_ alias: String, _ printer: inout QueryPrinter) -> String {
    let places = "(SELECT places FROM \(Self.words))"
    let words = terms(alias, &printer).map { factor, words in
      "SELECT w, \(factor ?? "1")::double precision FROM unnest(string_to_array(\(words), ' ')) w WHERE \(places) ? w"
    }
    return
      "SELECT (\(places) -> o.word ->> 0)::bigint, (\(places) -> o.word ->> 1)::double precision, sum(o.factor) "
      + "FROM (\(words.joined(separator: " UNION ALL "))) o(word, factor) GROUP BY o.word"
  }

  /// How often a row has the phrase `p.phrase`, with the weights of the attributes.
  private func occurrences(_ alias: String, _ printer: inout QueryPrinter) -> String {
    terms(alias, &printer).map { factor, words in
      (factor.map { "\($0)::double precision * " } ?? "")
        + "(octet_length(\(words)) - octet_length(replace(\(words), p.phrase, '')))::double precision / octet_length(p.phrase)"
    }.joined(separator: " + ")
  }

  /// The words of each attribute with its weight, or those of all attributes if they weigh the same.
  private func terms(_ alias: String, _ printer: inout QueryPrinter) -> [(factor: String?, words: String)] {
    if weights.isEmpty { return [(nil, index.words(of: attributes, alias))] }
    return (attributes.isEmpty ? index.attributes : attributes).map { attribute in
      (
        printer.placeholder(.parameter(.double(weights[attribute.name] ?? 1))),
        index.words(of: [attribute], alias)
      )
    }
  }

  /// The number of words of a row: each stands between two blanks.
  private func count(_ alias: String) -> String {
    let words = "\(alias).\(index.name)"
    return "((octet_length(\(words)) - octet_length(replace(\(words), ' ', ''))) / 2)"
  }
}
