import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

// A table that the migration writes anew is another one for the server: whatever others have added to the old one would go with it.
extension MigrationPlanner {
  /// The statements that give the new tables what others have added to the old ones: rights, comments, the owner, requirements and defaults of
  /// columns, plain indexes and statistics.
  ///
  /// - Throws: ``StoreProblem`` for what no statement can give them and rows depend on.
  mutating func othersDefinitions() throws -> [String] {
    var statements: [String] = []
    for plan in plans where plan.base == nil { statements += try definitions(of: rewritten(plan)) }
    for join in joins where join.base == nil { statements += try definitions(of: rewritten(join.table)) }
    for plan in plans where plan.base != nil { warnOfDroppedDefinitions(plan) }
    return statements
  }

  private mutating func definitions(of table: RewrittenTable) throws -> [String] {
    let sources = table.sources.compactMap { name in former.tables[name].map { (name, $0) } }
    guard !sources.isEmpty else { return [] }
    var statements = rights(to: table, from: sources.map(\.1)) + comments(on: table, from: sources)
    let rules = columnRules(of: table, from: sources)
    statements += rules.statements
    for (name, source) in sources {
      var lost = source.otherColumns.map { "the column \(quoted($0.name))" } + (rules.lost[name] ?? [])
      let isSameTable = sources.count == 1 && name == table.name
      for definition in source.definitions {
        let part = "the \(definition.kind.rawValue) \(quoted(definition.name))"
        if isSameTable, definition.kind.isDispensable, definition.kind != .publication,
          table.sameColumns.isSuperset(of: definition.columns)
        {
          statements.append(definition.statement)
        } else if definition.kind.isDispensable {
          warnings.append(
            "rows of the table \(quoted(name.name)) have come into the table \(quoted(table.name.name)), which lacks \(part)"
          )
        } else {
          lost.append(part)
        }
      }
      guard lost.isEmpty else {
        throw StoreProblem(
          "the store was not migrated: rows of the table \(quoted(name.name)) come into the new table \(quoted(table.name.name)), which cannot have what somebody has added: \(abbreviatedList(lost))",
          remedy:
            "copy the values of such columns to a table of your own; drop the rest, and make what the new tables need of it after the migration"
        )
      }
    }
    // The last one: the other statements need the owner.
    if let owner = sources[0].1.owner { statements.append("ALTER TABLE \(table.sql) OWNER TO \(owner)") }
    return statements
  }

  // MARK: Rights and comments

  /// A role has the rights that it had to all old tables, and no more.
  private mutating func rights(to table: RewrittenTable, from sources: [FormerTable]) -> [String] {
    var statements = former.defaultRoles.map { "REVOKE ALL ON TABLE \(table.sql) FROM \($0)" }
    let new = zip(table.sources, sources).map { name, source in
      Set(
        source.rights.flatMap { right -> [TableRight] in
          guard let column = right.column else { return [right] }
          return table.columns.filter { $0.value[name] == column }.map { right.on($0.key) }
        })
    }
    statements += TableRight.grants(common(to: new, table), of: "TABLE \(table.sql)")
    guard table.hasSequence else { return statements }
    // The server names the sequence.
    let place = "pg_get_serial_sequence(\(sqlLiteral(table.sql)), \(sqlLiteral(TableLayout.key.name)))"
    let grants =
      former.defaultRoles.map { (before: "REVOKE ALL ON SEQUENCE ", after: " FROM \($0)") }
      + TableRight.grants(common(to: sources.map(\.sequenceRights), table), ofPlace: "SEQUENCE ")
    if !grants.isEmpty {
      let calls = grants.map { "EXECUTE \(sqlLiteral($0.before)) || \(place) || \(sqlLiteral($0.after));" }
      statements.append("DO \(sqlLiteral("BEGIN \(calls.joined(separator: " ")) END"))")
    }
    return statements
  }

  private mutating func common(to rights: [Set<TableRight>], _ table: RewrittenTable) -> Set<TableRight> {
    let all = rights.reduce(into: Set<TableRight>()) { $0.formUnion($1) }
    let common = rights.dropFirst().reduce(rights.first ?? []) { $0.intersection($1) }
    let lost = Set(all.subtracting(common).map(\.role)).sorted()
    if !lost.isEmpty {
      warnings.append(
        "the table \(quoted(table.name.name)) has rows of several tables, and each role the rights that it had to all of them; grant what these roles lack: \(abbreviatedList(lost))"
      )
    }
    return common
  }

  private func comments(on table: RewrittenTable, from sources: [(Identifier, FormerTable)]) -> [String] {
    func joined(_ comments: [String]) -> String? {
      var distinct: [String] = []
      for comment in comments where !distinct.contains(where: { $0.hasBytes(of: comment) }) { distinct.append(comment) }
      return distinct.isEmpty ? nil : sqlLiteral(distinct.joined(separator: "\n"))
    }
    var statements: [String] = []
    if let comment = joined(sources.compactMap(\.1.comment)) {
      statements.append("COMMENT ON TABLE \(table.sql) IS \(comment)")
    }
    for (column, formers) in table.columns.sorted(by: { $0.key.name < $1.key.name }) {
      let comments = sources.compactMap { name, source in formers[name].flatMap { source.columnComments[$0] } }
      if let comment = joined(comments) {
        statements.append("COMMENT ON COLUMN \(table.sql).\(column) IS \(comment)")
      }
    }
    return statements
  }

  /// An index of others goes with a column that it names.
  private mutating func warnOfDroppedDefinitions(_ plan: TablePlan) {
    guard let base = plan.base, let table = former.tables[base.name] else { return }
    warnOfLostRules(of: plan, table)
    let kept = plan.formerColumns
    var dropped = Set(base.columns.map(\.name)).subtracting(kept)
    if base.hasKinds, plan.kind != TableLayout.kind { dropped.insert(TableLayout.kind) }
    for definition in table.definitions where !dropped.isDisjoint(with: definition.columns) {
      switch definition.kind {
      case .index, .uniqueIndex, .constraint, .statistics:
        warnings.append(
          "the \(definition.kind.rawValue) \(quoted(definition.name)) of the table \(quoted(base.name.name)) went with a column that it names"
        )
      // The server drops no column that one of these names.
      case .policy, .trigger, .rule, .publication: break
      }
    }
  }

  // MARK: Tables

  private func rewritten(_ plan: TablePlan) -> RewrittenTable {
    var table = RewrittenTable(name: plan.table.name, sql: plan.table.sql, hasSequence: true)
    for copy in plan.copies {
      let source = old.table(of: copy.source)
      if !table.sources.contains(source.name) { table.sources.append(source.name) }
    }
    let own = [TableLayout.key, TableLayout.version] + (plan.table.hasKinds ? [TableLayout.kind] : [])
    for column in own { for source in table.sources { table.columns[column, default: [:]][source] = column } }
    table.sameColumns = Set(own)
    table.wholeColumns = [TableLayout.key, TableLayout.version]
    table.requiredColumns = Set(own)
    for column in plan.table.columns {
      if plan.table.requirement(of: column) == .everyRow { table.requiredColumns.insert(column.name) }
      let isWhole = plan.copies.allSatisfy { copy in
        guard case .column(let name)? = copy.values[column.name] else { return false }
        return old.table(of: copy.source).columns.contains { $0.name == name && $0.type == column.type }
      }
      if isWhole { table.wholeColumns.insert(column.name) }
      let copies = plan.copies.compactMap { copy in
        copy.values[column.name]?.source.map { (old.table(of: copy.source), $0) }
      }
      for (source, name) in copies { table.columns[column.name, default: [:]][source.name] = name }
      let isSame = copies.contains { source, name in
        name == column.name && source.columns.contains { $0.name == name && $0.type == column.type }
      }
      if isSame { table.sameColumns.insert(column.name) }
    }
    return table
  }

  private func rewritten(_ join: JoinTableLayout) -> RewrittenTable {
    var table = RewrittenTable(name: join.name, sql: join.sql, hasSequence: false)
    guard let (master, relationship, _) = writtenSide(of: join) else { return table }
    let new = [join.own, join.other, join.order, join.inverseOrder].compactMap(\.self)
    table.requiredColumns = [join.own, join.other]
    for former in relationships.formers(of: relationship.description.name, of: master.name) {
      guard case .toMany(let toMany)? = layout(of: former), case .joinTable(let side) = toMany.storage,
        !table.sources.contains(side.table.name)
      else { continue }
      table.sources.append(side.table.name)
      let columns = [side.table.own, side.table.other, side.table.order, side.table.inverseOrder]
      for column in new where columns.contains(column) {
        table.columns[column, default: [:]][side.table.name] = column
        table.sameColumns.insert(column)
        table.wholeColumns.insert(column)
      }
    }
    return table
  }
}

extension TableRight {
  fileprivate func on(_ column: Identifier) -> TableRight {
    TableRight(role: role, privilege: privilege, column: column, isGrantable: isGrantable)
  }

  /// The statements that grant rights to an object, one for each role.
  fileprivate static func grants(_ rights: Set<TableRight>, of object: String) -> [String] {
    grants(rights, ofPlace: object).map { $0.before + $0.after }
  }

  /// The same, as the texts before and after the object's name.
  fileprivate static func grants(
    _ rights: Set<TableRight>, ofPlace object: String
  ) -> [(before: String, after: String)] {
    let groups = Dictionary(grouping: rights) { [$0.role, $0.isGrantable ? " WITH GRANT OPTION" : ""] }
    return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, rights in
      let privileges = rights.map { $0.privilege + ($0.column.map { " (\($0))" } ?? "") }.sorted()
      return ("GRANT \(privileges.joined(separator: ", ")) ON \(object)", " TO \(key[0])\(key[1])")
    }
  }
}
