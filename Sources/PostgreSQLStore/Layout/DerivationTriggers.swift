import PostgreSQL
import StoreRequests

/// The triggers of a derived attribute: any change along its path, of any program, computes the value of the owners anew.
///
/// A trigger runs once per statement. It locks the owners, and the rows between them and the changed rows, before it
/// reads. So a transaction that changes values of the same owner waits, and then sees both changes. Versions of rows
/// stay. A setting of the transaction lists the changed owners; see ``DerivedRows``.
struct DerivationTriggers {
  private let derivation: PathDerivation
  /// The place among the layout's path derivations.
  private let number: Int
  private let schema: Identifier
  private(set) var definitions: [String] = []
  /// The functions of the triggers. Dropping a function drops its triggers.
  private(set) var functions: [Identifier] = []
  /// Give the functions of a store their present bodies.
  private(set) var renewals: [String] = []

  init(_ derivation: PathDerivation, number: Int, schema: Identifier) {
    self.derivation = derivation
    self.number = number
    self.schema = schema
    addOwner()
    for level in 1...derivation.hops.count { addLink(level) }
    addEnd()
  }

  var function: StringFunction? { derivation.function }
  /// The derived attribute's column and its table.
  var column: ColumnLayout { derivation.column }
  var table: TableLayout { derivation.table }
  /// The text at the end of the path, as ``unfinished(_:)`` can select it.
  var source: String { "t\(derivation.hops.count).\(derivation.value.column?.name ?? TableLayout.key)" }

  /// The owners that the trigger functions have changed, and the rows whose text the save has to compute.
  static let changedRows = "swiftdata.derived"
  static let textRows = "swiftdata.texts"

  // MARK: Events

  /// A new owner, or an owner with a changed key of its own.
  private mutating func addOwner() {
    add("INSERT", on: derivation.table.sql, level: 0, "SELECT n.\(TableLayout.key) FROM new_rows n")
    if case .own(let key) = derivation.hops[0].link { addChange(of: [key], level: 0) }
  }

  /// A link that is made, removed or redirected, or a row that is inserted after the link to it.
  private mutating func addLink(_ level: Int) {
    let hop = derivation.hops[level - 1]
    switch hop.link {
    case .own(let key):
      if level > 1 { addChange(of: [key], level: level - 1) }
      add("INSERT", on: hop.table.sql, level: level, "SELECT n.\(TableLayout.key) FROM new_rows n")
    case .back(let key):
      let (old, new) = ("SELECT o.\(key) FROM old_rows o", "SELECT n.\(key) FROM new_rows n")
      let changed =
        "JOIN old_rows o ON o.\(TableLayout.key) = n.\(TableLayout.key) WHERE o.\(key) IS DISTINCT FROM n.\(key)"
      add("INSERT", on: hop.table.sql, level: level - 1, new)
      add(
        "UPDATE", on: hop.table.sql, level: level - 1,
        "SELECT n.\(key) FROM new_rows n \(changed) UNION SELECT o.\(key) FROM new_rows n \(changed)")
      add("DELETE", on: hop.table.sql, level: level - 1, old)
    case .join(let join, let own, _):
      add("INSERT", on: join, level: level - 1, "SELECT n.\(own) FROM new_rows n")
      add("DELETE", on: join, level: level - 1, "SELECT o.\(own) FROM old_rows o")
      add("INSERT", on: hop.table.sql, level: level, "SELECT n.\(TableLayout.key) FROM new_rows n")
    }
  }

  /// A changed value at the end of the path.
  private mutating func addEnd() {
    var columns = derivation.filter?.columns ?? []
    if let column = derivation.value.column?.name, !columns.contains(column) { columns.append(column) }
    if !columns.isEmpty { addChange(of: columns, level: derivation.hops.count) }
  }

  private func table(_ level: Int) -> TableLayout {
    level == 0 ? derivation.table : derivation.hops[level - 1].table
  }

  /// A changed column of the rows of a level.
  private mutating func addChange(of columns: [Identifier], level: Int) {
    let tests = columns.map { "o.\($0) IS DISTINCT FROM n.\($0)" }.joined(separator: " OR ")
    add(
      "UPDATE", on: table(level).sql, level: level,
      "SELECT n.\(TableLayout.key) FROM new_rows n JOIN old_rows o ON o.\(TableLayout.key) = n.\(TableLayout.key) WHERE \(tests)"
    )
  }

  /// Adds a trigger.
  ///
  /// - Parameters:
  ///   - level: the number of steps of the path from the owners to the rows that the event concerns.
  ///   - rows: selects the keys of these rows.
  private mutating func add(_ event: String, on source: String, level: Int, _ rows: String) {
    let name = Identifier(shortening: "\(derivation.triggerPrefix)_\(functions.count + 1)")
    let tables = ["INSERT": ["NEW"], "DELETE": ["OLD"]][event] ?? ["OLD", "NEW"]
    let transition = tables.map { "\($0) TABLE AS \($0.lowercased())_rows" }.joined(separator: " ")
    functions.append(name)
    let function = "FUNCTION \(schema).\(name)() RETURNS trigger LANGUAGE plpgsql AS \(sqlLiteral(body(level, rows)))"
    definitions.append("CREATE \(function)")
    renewals.append("CREATE OR REPLACE \(function)")
    definitions.append(
      "CREATE TRIGGER \(name) AFTER \(event) ON \(source) REFERENCING \(transition) FOR EACH STATEMENT "
        + "EXECUTE FUNCTION \(schema).\(name)()")
  }

  // MARK: Functions

  private func body(_ level: Int, _ rows: String) -> String {
    var lines = [
      "#variable_conflict use_variable", "DECLARE affected bigint[]; report text;", "BEGIN",
      "  affected := ARRAY(SELECT DISTINCT s.k FROM (\(rows)) s(k) WHERE s.k IS NOT NULL);",
      // A derivation that depends on itself in a circle ends here.
      "  IF cardinality(affected) = 0 OR pg_trigger_depth() > 32 THEN RETURN NULL; END IF;",
      "  affected := ARRAY(\(locked(level, "t.\(TableLayout.key) = ANY (affected)")));",
    ]
    for step in stride(from: level, to: 0, by: -1) {
      lines.append("  affected := ARRAY(\(locked(step - 1, owners(of: step))));")
    }
    lines += sourceLocks
    lines += [
      "  WITH d AS (\(update(where: " WHERE t0.\(TableLayout.key) = ANY (affected)")) "
        + "RETURNING \(derivation.table.number(of: "t")) AS n, t.\(TableLayout.key) AS k) "
        + "SELECT string_agg(concat(d.n, ':', d.k), ',') INTO report FROM d;",
      note(in: Self.changedRows),
    ]
    if derivation.function != nil {
      lines += [
        "  SELECT string_agg(concat('\(number):', s.k), ',') INTO report FROM (\(unfinished()) AND t0.\(TableLayout.key) = ANY (affected)) s(k);",
        note(in: Self.textRows),
      ]
    }
    return (lines + ["  RETURN NULL;", "END"]).joined(separator: "\n")
  }

  private func note(in setting: String) -> String {
    "  IF report <> '' THEN PERFORM set_config('\(setting)', concat_ws(',', nullif(current_setting('\(setting)', true), ''), report), true); END IF;"
  }

  /// Locks rows of a level, and selects their keys. Owners are about to be written; other rows must not change meanwhile.
  private func locked(_ level: Int, _ condition: String) -> String {
    "SELECT t.\(TableLayout.key) FROM \(table(level).sql) t WHERE \(condition) ORDER BY t.\(TableLayout.key) "
      + "FOR \(level == 0 ? "NO KEY UPDATE" : "SHARE")"
  }

  /// The condition for rows `t` of the level before that lead to the affected rows of a level.
  private func owners(of level: Int) -> String {
    switch derivation.hops[level - 1].link {
    case .own(let key): "t.\(key) = ANY (affected)"
    case .back(let key):
      "t.\(TableLayout.key) IN (SELECT m.\(key) FROM \(table(level).sql) m WHERE m.\(TableLayout.key) = ANY (affected))"
    case .join(let join, let own, let other):
      "t.\(TableLayout.key) IN (SELECT j.\(own) FROM \(join) j WHERE j.\(other) = ANY (affected))"
    }
  }

  /// Locks the rows that to-one relationships at the beginning of the path lead to: a value of theirs must not change unseen.
  private var sourceLocks: [String] {
    var lines: [String] = []
    var keys = "affected"
    for (index, hop) in derivation.hops.enumerated() {
      guard case .own(let key) = hop.link else { break }
      let next = "SELECT s.\(key) FROM \(table(index).sql) s WHERE s.\(TableLayout.key) = ANY (\(keys))"
      lines.append(
        "  PERFORM 1 FROM \(hop.table.sql) t WHERE t.\(TableLayout.key) IN (\(next)) ORDER BY t.\(TableLayout.key) FOR SHARE;"
      )
      keys = "ARRAY(\(next))"
    }
    return lines
  }

  // MARK: Values

  /// Writes the values of the owners `t0` that a condition selects.
  private func update(where condition: String) -> String {
    let column = derivation.column.name
    return "UPDATE \(derivation.table.sql) t SET \(column) = v.value "
      + "FROM (SELECT t0.\(TableLayout.key) AS k, \(derivation.sql) AS value FROM \(derivation.table.sql) t0\(condition)\(kinds(condition.isEmpty ? " WHERE" : " AND"))) v "
      + "WHERE t.\(TableLayout.key) = v.k AND t.\(column) IS DISTINCT FROM v.value"
  }

  private func kinds(_ word: String) -> String {
    guard derivation.table.hasKinds, derivation.entity.lineage.count > 1 else { return "" }
    let names = derivation.table.entities.filter { derivation.entity.kindNumbers.contains($0.number) }.map(\.name)
    return "\(word) t0.\(TableLayout.kind) IN (\(sqlLiterals(names)))"
  }

  /// Writes the values of all owners.
  var refresh: String { update(where: "") }

  /// Selects the keys of owners `t0`, and more columns, whose text is not ASCII, so that the server does not know its function.
  func unfinished(_ columns: String = "") -> String {
    let chain = derivation.chain
    return "SELECT t0.\(TableLayout.key)\(columns) FROM \(derivation.table.sql) t0, \(chain.tables) "
      + "WHERE \(chain.conditions) AND octet_length(\(source)) <> char_length(\(source))\(kinds(" AND"))"
  }
}

extension PathDerivation {
  /// The tables of the path. Their aliases are t1, t2 …; those of join tables are j1, j2 … The owner's alias is t0.
  fileprivate var chain: (tables: String, conditions: String) {
    var tables: [String] = []
    var conditions: [String] = []
    for (index, hop) in hops.enumerated() {
      let (previous, alias) = ("t\(index)", "t\(index + 1)")
      switch hop.link {
      case .own(let key): conditions.append("\(alias).\(TableLayout.key) = \(previous).\(key)")
      case .back(let key): conditions.append("\(alias).\(key) = \(previous).\(TableLayout.key)")
      case .join(let join, let own, let other):
        tables.append("\(join) j\(index + 1)")
        conditions += [
          "j\(index + 1).\(own) = \(previous).\(TableLayout.key)",
          "\(alias).\(TableLayout.key) = j\(index + 1).\(other)",
        ]
      }
      if let filter, index == hops.count - 1 {
        tables.append("(SELECT e.* FROM \(hop.table.sql) e WHERE \(filter.sql)) \(alias)")
      } else {
        tables.append("\(hop.table.sql) \(alias)")
      }
    }
    return (tables.joined(separator: ", "), conditions.joined(separator: " AND "))
  }

  /// The value for the owner `t0`.
  fileprivate var sql: String {
    let chain = self.chain
    let end = "t\(hops.count)"
    func number(_ source: ColumnLayout) -> String {
      switch source.type {
      case .boolean: "\(end).\(source.name)::integer"
      // The server adds numbers of single precision in single precision.
      case .single: "\(end).\(source.name)::double precision"
      default: "\(end).\(source.name)"
      }
    }
    func converted(_ value: String, isWhole: Bool) -> String {
      // A fraction is cut off, as if the column were read as an integer.
      column.type.isInteger && !isWhole ? "trunc(\(value))::\(column.type.sql)" : "(\(value))::\(column.type.sql)"
    }
    let selected: String
    switch value {
    case .column(let source, let function):
      selected = function?.derivationSQL("\(end).\(source.name)") ?? "\(end).\(source.name)"
    case .count: selected = converted("count(*)", isWhole: true)
    // The sum of no values is 0. The minimum, maximum and average of no values are NULL.
    case .aggregate(.sum, let source):
      selected = converted(
        "coalesce(sum(\(number(source))), 0)", isWhole: source.type.isInteger || source.type == .boolean)
    case .aggregate(.avg, let source):
      selected = converted(
        "sum(\(number(source)))::double precision / nullif(count(\(end).\(source.name)), 0)", isWhole: false)
    case .aggregate(let aggregate, let source):
      selected =
        source.type == column.type
        ? "\(aggregate.rawValue)(\(end).\(source.name))"
        : converted("\(aggregate.rawValue)(\(number(source)))", isWhole: source.type.isInteger)
    }
    return "(SELECT \(selected) FROM \(chain.tables) WHERE \(chain.conditions))"
  }
}
