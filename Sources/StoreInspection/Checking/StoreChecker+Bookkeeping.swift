import CoreDataStore
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-1.1, CD-1.4: the bookkeeping tables. No table has SQL constraints.
  mutating func checkBookkeepingTables() throws {
    let texts = Dictionary(
      store.definitions.filter { $0.kind == "table" }.map { ($0.name, $0.sql ?? "") },
      uniquingKeysWith: { first, _ in first })
    for (name, text) in zip(["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"], StoreLayout.bookkeepingDefinitions) {
      guard texts[name] != nil || isStrict else { continue }
      expect(
        .bookkeepingTables, texts[name] == text, name, texts[name].map { "is defined as \($0)" } ?? "is missing")
    }
    for (name, text) in texts.sorted(by: { $0.key < $1.key })
    where ["Z", "ACHANGE", "ATRANSACTION"].contains(where: name.hasPrefix) {
      let found = DefinitionText(text).constraints
      expect(.plainDefinitions, found.isEmpty, name, "has \(found.joined(separator: ", "))")
    }
    guard store.model.source != .given else {
      // Stores of older frameworks have no such table (VH-16).
      guard store.tables["Z_MODELCACHE"] != nil || store.metadata.frameworkVersion >= Self.firstVersionWithCache else {
        return
      }
      count(.modelCache, checked: 1)
      report(
        .modelCache, .warning, "Z_MODELCACHE", "the store carries no model that can be read",
        repair: "Write the given model into it.")
      return
    }
    guard store.tables["Z_MODELCACHE"] != nil else { return }
    switch store.model.source {
    case .emptyCache where !isStrict:
      count(.modelCache, checked: 1)
      report(
        .modelCache, .warning, "Z_MODELCACHE",
        "is empty; a store has its model there, or no such table (VH-16)",
        repair: "Write the model's archive into it, or drop the table.", byHand: true)
    case .emptyCache, .unreadableCache, .none:
      expect(
        .modelCache, false, "Z_MODELCACHE", store.model.problem ?? "cannot be read",
        repair: store.model.hasFittingVersion ? "Write the given model into it." : nil)
    // Reported above.
    case .given: break
    case .cache:
      if let problem = store.model.problem {
        expect(.modelCache, false, "Z_MODELCACHE", problem)
      } else {
        let count = try store.connection.integer("SELECT count(*) FROM Z_MODELCACHE") ?? 0
        expect(
          .modelCache, count == 1, "Z_MODELCACHE", "has \(count) rows instead of one",
          repair: "Delete the rows but the first, which is read.")
      }
    }
  }

  /// The first version of the framework that is known to write `Z_MODELCACHE`.
  private static let firstVersionWithCache = 637

  /// CD-1.2: numbers, names and superentities.
  mutating func checkNumbers() throws {
    let rows = store.primaryKeys.filter(\.isEntity)
    expect(
      .entityNumbers, zip(rows, 1...).allSatisfy { $0.number == Int64($1) }, "Z_PRIMARYKEY",
      "Z_ENT are not 1 to \(rows.count)")
    guard let layout = store.model.layout else {
      let known = Set(rows.map(\.number))
      for row in rows {
        let superentity = row.superentityNumber
        expect(
          .superentities, superentity.map { $0 == 0 || known.contains($0) } ?? false, row.name ?? "\(row.number)",
          "Z_SUPER is \(text(superentity)), which is no entity")
      }
      return
    }
    let order = store.model.order
    expect(
      .entityNumbers, rows.count == order.count, "Z_PRIMARYKEY", "\(rows.count) rows for \(order.count) entities")
    let missing = StoreChecker.entitiesWithoutRow(rows, layout, order)
    for name in order where missing.contains(name) {
      let number = layout.entity(named: name).map { String($0.number) } ?? "?"
      expect(
        .entityNumbers, false, name, "has no row in Z_PRIMARYKEY, so that new objects get no keys",
        repair: "Insert the row: number \(number), and Z_MAX the largest key that the table or history has.")
    }
    for (row, name) in zip(rows, order.filter { !missing.contains($0) }) {
      // A migration that renames an entity keeps its former name.
      let former = layout.entity(named: name)?.description.renamingIdentifier
      // The name of another entity may be right, and the number wrong.
      let isOther = row.name.map { layout.entity(named: $0) != nil } ?? false
      prefer(
        .entityNumbers, row.name == name, isTolerable: former != nil && row.name == former, name,
        "number \(row.number) is of \(row.name ?? "NULL")", repair: isOther ? nil : "Set Z_NAME to \(name).")
      let wanted = Int64(layout.entity(named: name)?.superentityNumber ?? 0)
      expect(
        .superentities, row.superentityNumber == wanted, name,
        "Z_SUPER is \(text(row.superentityNumber)) instead of \(wanted)")
    }
  }

  /// The entities whose rows of `Z_PRIMARYKEY` are gone; empty if the rows that are left do not tell.
  private static func entitiesWithoutRow(
    _ rows: [StoreSnapshot.KeyRow], _ layout: StoreLayout, _ order: [String]
  ) -> Set<String> {
    let names = Set(rows.compactMap(\.name))
    let missing = order.filter { name in
      let former = layout.entity(named: name)?.description.renamingIdentifier
      return !names.contains(name) && !(former.map(names.contains) ?? false)
    }
    return missing.count == order.count - rows.count ? Set(missing) : []
  }

  /// No store has assigned so many keys: a larger `Z_MAX` is damage, and would leave no key for new objects.
  static let maximumLimit: Int64 = 1 << 62

  /// CD-1.2: no key exceeds the maximum.
  mutating func checkMaxima() throws {
    var tables: [Int64: Identifier] = [:]
    for entry in store.entityTables {
      for (number, _) in entry.entities { tables[Int64(number)] = entry.table }
    }
    for (number, name) in HistoryTables.primaryKeyNames { tables[Int64(number)] = Identifier("A" + name) }
    for row in store.primaryKeys {
      let subject = row.name ?? "\(row.number)"
      if (row.superentityNumber ?? 0) != 0 {
        let isStale = row.isEntity && store.model.layout.map { $0.entity(named: subject) == nil } ?? false
        prefer(.maxima, row.maximum == 0, isTolerable: isStale, subject, "Z_MAX is \(text(row.maximum)) instead of 0")
      } else if let table = tables[row.number], store.has(table, "Z_PK") {
        let highest = try store.connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
        expect(
          .maxima, row.maximum.map { $0 >= highest } ?? false, subject,
          "Z_MAX is \(text(row.maximum)), and the largest Z_PK of \(table) is \(highest)")
        if let maximum = row.maximum, maximum > StoreChecker.maximumLimit, maximum > highest {
          expect(
            .maxima, false, subject,
            "Z_MAX is \(maximum), which leaves no keys, and the largest Z_PK of \(table) is \(highest)")
        }
      }
    }
  }

  private func text(_ number: Int64?) -> String { number.map(String.init) ?? "no integer" }
}

extension StoreSnapshot {
  /// The tables of rows, each with its possible entities: from the model, or else from `Z_PRIMARYKEY` alone.
  var entityTables: [(table: Identifier, entities: [(number: Int, isConcrete: Bool)])] {
    if let layout = model.layout {
      return layout.tables.map { table in
        (
          table.name,
          layout.entities.filter { $0.rootNumber == table.rootNumber }.map { ($0.number, !$0.isAbstract) }
        )
      }
    }
    let rows = primaryKeys.filter(\.isEntity)
    let byNumber = Dictionary(rows.map { ($0.number, $0) }, uniquingKeysWith: { first, _ in first })
    var result: [Identifier: [(Int, Bool)]] = [:]
    for row in rows {
      var (root, steps) = (row, 0)
      while let next = root.superentityNumber.flatMap({ byNumber[$0] }), steps < rows.count {
        root = next
        steps += 1
      }
      result[Identifier("Z" + (root.name ?? "").uppercased()), default: []].append((Int(row.number), true))
    }
    return result.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
