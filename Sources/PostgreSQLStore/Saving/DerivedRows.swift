import PostgreSQL
import StoreRequests

/// The rows in which triggers have changed the value of a derived attribute, as the triggers report them.
struct DerivedRows {
  let connection: Connection
  let layout: StoreLayout

  /// A value may depend on other derived values, at most this many times.
  private static let depthLimit = 16

  /// Computes the texts that the server cannot compute, forgets the report, and returns its rows, ordered by entity and key.
  ///
  /// Cost: a query, and two more for each derived attribute with a function of texts beyond ASCII.
  func take() throws -> [ObjectKey] {
    guard !layout.pathDerivations.isEmpty else { return [] }
    var rows: Set<ObjectKey> = []
    for _ in 0..<Self.depthLimit {
      let settings = [DerivationTriggers.changedRows, DerivationTriggers.textRows]
      let report = try connection.run(
        "SELECT \(settings.map { "current_setting('\($0)', true)" }.joined(separator: ", ")), "
          + settings.map { "set_config('\($0)', '', true)" }.joined(separator: ", "))
      for (number, keys) in Self.pairs(report.text(0, 0)) {
        for key in keys { rows.insert(ObjectKey(entity: Int32(clamping: number), key: key)) }
      }
      let texts = Self.pairs(report.text(0, 1))
      if texts.isEmpty { break }
      for (number, keys) in texts.sorted(by: { $0.key < $1.key }) {
        guard let triggers = layout.derivationTriggers(numbered: number) else { continue }
        try DerivedTexts(connection: connection, layout: layout).complete(triggers, keys)
      }
    }
    return rows.sorted { ($0.entity, $0.key) < ($1.entity, $1.key) }
  }

  /// `4:17,4:18,2:5` as lists of the second numbers by the first ones.
  private static func pairs(_ text: String?) -> [Int64: [Int64]] {
    var result: [Int64: [Int64]] = [:]
    for pair in (text ?? "").split(separator: ",") {
      let numbers = pair.split(separator: ":").compactMap { Int64($0) }
      if numbers.count == 2 { result[numbers[0], default: []].append(numbers[1]) }
    }
    return result
  }
}

/// Computes functions of texts as Swift does, where the server's functions have other results: for texts beyond ASCII.
struct DerivedTexts {
  let connection: Connection
  let layout: StoreLayout

  /// The rows that are computed at a time.
  private static let size = 1000

  /// Computes the values of some owners of a path derivation.
  func complete(_ triggers: DerivationTriggers, _ keys: [Int64]) throws {
    let rows = try connection.run(
      "\(triggers.unfinished(", \(triggers.source)")) AND t0.\(TableLayout.key) = ANY ($1)", [.integers(keys)])
    try write(rows, triggers.function, to: triggers.column, of: triggers.table)
  }

  /// Computes all values of a path derivation.
  func completeAll(_ triggers: DerivationTriggers) throws {
    guard triggers.function != nil else { return }
    try inParts { last in
      let rows = try connection.run(
        "\(triggers.unfinished(", \(triggers.source)")) AND t0.\(TableLayout.key) > $1 ORDER BY t0.\(TableLayout.key) LIMIT \(Self.size)",
        [.integer(last)])
      try write(rows, triggers.function, to: triggers.column, of: triggers.table)
      return rows
    }
  }

  /// Computes all values of an attribute that depends on its own row.
  func completeAll(_ derivation: RowDerivation, of table: TableLayout) throws {
    guard case .function(let function, let source) = derivation.source else { return }
    try inParts { last in
      let rows = try connection.run(
        "SELECT t0.\(TableLayout.key), t0.\(source.name) FROM \(table.sql) t0 WHERE octet_length(t0.\(source.name)) <> char_length(t0.\(source.name)) "
          + "AND t0.\(TableLayout.key) > $1 ORDER BY t0.\(TableLayout.key) LIMIT \(Self.size)", [.integer(last)])
      try write(rows, function, to: derivation.column, of: table)
      return rows
    }
  }

  private func inParts(_ part: (_ after: Int64) throws -> QueryResult) throws {
    var last: Int64 = 0
    while true {
      let rows = try part(last)
      guard rows.rowCount > 0 else { return }
      last = rows.integer(rows.rowCount - 1, 0)
    }
  }

  private func write(
    _ rows: QueryResult, _ function: StringFunction?, to column: ColumnLayout, of table: TableLayout
  ) throws {
    guard let function, rows.rowCount > 0 else { return }
    let texts = (0..<rows.rowCount).map { row in rows.text(row, 1).map { function.result(ofText: $0) } }
    _ = try connection.run(
      "UPDATE \(table.sql) t SET \(column.name) = s.v FROM unnest($1::bigint[], $2::text[]) s(k, v) "
        + "WHERE t.\(TableLayout.key) = s.k AND t.\(column.name) IS DISTINCT FROM s.v",
      [.integers((0..<rows.rowCount).map { rows.integer($0, 0) }), .texts(texts)])
  }
}

extension StoreLayout {
  /// The triggers of a path derivation by its place; `nil` for a number of another layout.
  func derivationTriggers(numbered number: Int64) -> DerivationTriggers? {
    guard let index = Int(exactly: number), pathDerivations.indices.contains(index) else { return nil }
    return DerivationTriggers(pathDerivations[index], number: index, schema: schema)
  }
}
