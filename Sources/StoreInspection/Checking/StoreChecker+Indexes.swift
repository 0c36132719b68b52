import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-4: every index of the model, and all other indexes.
  mutating func checkIndexes(_ layout: StoreLayout) throws {
    let found = Dictionary(
      store.definitions.filter { $0.kind == "index" }.compactMap { index in index.sql.map { (index.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    let bodies = Set(found.values.map { DefinitionText($0).indexBody })
    var wanted: [IndexLayout] = []
    for entity in layout.entities {
      do {
        wanted += try layout.indexes(of: entity).filter { index in
          index.kind != .join || (store.tables[index.table] != nil && !strangeJoinTables.contains(index.table))
        }
      } catch {
        count(.fetchIndexes, checked: 1)
        report(.fetchIndexes, .note, entity.name, "its indexes are not looked at: \(error)")
      }
    }
    for index in wanted {
      let rule = index.kind.rule
      let text = index.definition
      if let sql = found[index.name.name] {
        checkText(sql, index, rule)
      } else {
        let isElsewhere =
          try bodies.contains(DefinitionText(text).indexBody) || isServedOtherwise(index)
        // Version hashes exclude fetch indexes, so a given model may have other indexes than the store's own model.
        let isFromOther = index.kind == .fetch && store.model.source == .given
        let problem =
          isElsewhere
          ? "is missing, but its columns are indexed otherwise, as by old frameworks and after renaming"
          : isFromOther ? "is missing; the model that was given asks for it" : "is missing"
        let isHindered = index.kind == .unique && !isElsewhere && hasEqualRows(index)
        prefer(
          rule, false, isTolerable: isElsewhere || isFromOther, index.name.name, problem,
          repair: isHindered
            ? "Merge or delete the objects of equal values, then make it: \(text)" : "Make it: \(text)",
          byHand: isHindered)
      }
    }
    for name in layout.locationIndexNames {
      let sql = store.definitions.first { $0.kind == "table" && $0.name == name }?.sql ?? ""
      expect(
        .locationIndexes, sql.lowercased().contains("rtree"), name, "the R*Tree is missing",
        repair: "Make it, and fill it from the rows of its table.")
    }
    checkOtherIndexes(found, wanted, layout)
  }

  private mutating func checkText(_ sql: String, _ index: IndexLayout, _ rule: CheckRule) {
    let (own, asked) = (DefinitionText(sql), DefinitionText(index.definition))
    let isPartial = index.condition != nil
    guard own.withoutCondition == asked.withoutCondition, sql.contains(" WHERE ") == isPartial else {
      expect(
        rule, false, index.name.name, "is defined as \(sql)",
        repair: "Drop it, and make it again: \(index.definition)")
      return
    }
    prefer(rule, sql == index.definition, index.name.name, "is defined in other words: \(sql)")
  }

  /// Frameworks before 2017 wrote uniqueness into the table. An index of several columns may replace the one of
  /// `Z_ENT`.
  private func isServedOtherwise(_ index: IndexLayout) throws -> Bool {
    guard index.kind == .unique || index.kind == .entity else { return false }
    let wanted = index.elements.map { $0.replacing(" COLLATE BINARY ASC", with: "") }
    let indexes = try store.connection.prepare(#"SELECT name, "unique" FROM pragma_index_list(?)"#)
    try indexes.bind(index.table.name, at: 1)
    while try indexes.step() {
      let columns = try store.connection.prepare("SELECT name FROM pragma_index_info(?) ORDER BY seqno")
      try columns.bind(indexes.text(0) ?? "", at: 1)
      var names: [String] = []
      while try columns.step() { names.append("\(Identifier(columns.text(0) ?? ""))") }
      if index.kind == .unique ? indexes.integer(1) == 1 && Set(names) == Set(wanted) : names.contains("Z_ENT") {
        return true
      }
    }
    return false
  }

  /// Whether rows have equal values in the columns of a unique index, which then cannot be made.
  private func hasEqualRows(_ index: IndexLayout) -> Bool {
    guard store.treeDamage.isEmpty else { return false }
    let columns = index.elements.map { $0.replacing(" COLLATE BINARY ASC", with: "") }
    let isSet = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let equal = """
      SELECT 1 FROM \(index.table) WHERE \(isSet) GROUP BY \(columns.joined(separator: ", ")) \
      HAVING count(*) > 1 LIMIT 1
      """
    // A column may be missing, which is a finding of its own.
    return (try? store.connection.integer(equal)) != nil
  }

  private mutating func checkOtherIndexes(_ found: [String: String], _ wanted: [IndexLayout], _ layout: StoreLayout) {
    var known = Set(wanted.map(\.name.name))
    known.formUnion(layout.historyDefinitions.map { DefinitionText($0).definedName })
    let bodies = Set(wanted.map { DefinitionText($0.definition).indexBody })
    for (name, sql) in found.sorted(by: { $0.key < $1.key }) {
      if known.contains(name) {
        count(.otherIndexes, checked: 1)
      } else if bodies.contains(DefinitionText(sql).indexBody) {
        prefer(.otherIndexes, false, name, "repeats another index, as after renaming")
      } else if isOfIndexedAttributes(name, sql, layout) {
        prefer(
          .otherIndexes, store.metadata.frameworkVersion < 900, name,
          "an index of attributes that the model calls indexed, as before 2017")
      } else if isStrict {
        expect(.otherIndexes, false, name, "is not in the model: an application or another version made it")
      } else {
        count(.otherIndexes, checked: 1)
        report(
          .otherIndexes, .warning, name, "is not in the model: an application or another version made it")
      }
    }
  }

  private func isOfIndexedAttributes(_ name: String, _ sql: String, _ layout: StoreLayout) -> Bool {
    let pattern = /CREATE INDEX Z[^ ]* ON ([^ ]+) \(([^)]*)\)/
    guard let match = DefinitionText(sql).plain.wholeMatch(of: pattern),
      let table = layout.table(Identifier(String(match.1)))
    else { return false }
    let columns = Set(table.columns.map(\.name.name))
    return match.2.split(separator: ",").allSatisfy { part in
      part.split(separator: " ").first.map { columns.contains(String($0)) } ?? false
    }
  }

  /// CD-4: unique values occur once.
  mutating func checkUniqueness(of entity: EntityLayout) throws {
    for constraint in entity.description.uniquenessConstraints {
      let columns = constraint.compactMap(entity.column(ofPath:))
      guard !columns.isEmpty, columns.count == constraint.count, store.has(entity.table, columns) else { continue }
      try expectDistinct(
        .uniqueValues, "\(entity.name) (\(constraint.joined(separator: ", ")))", columns, in: entity.table,
        repair: "Merge or delete the objects of equal values, then make the index if it is missing.")
    }
  }
}

extension IndexLayout.Kind {
  fileprivate var rule: CheckRule {
    switch self {
    case .key: .keyIndexes
    case .join: .joinIndexes
    case .entity: .entityIndexes
    case .fetch: .fetchIndexes
    case .unique: .uniqueIndexes
    }
  }
}
