import ManagedModel
import SQLite
import StoreRequests

/// Infers how the rows of a store come into the tables of another model (CD-9).
///
/// Tables without changes are not touched. Tables that only gain columns get them at their end, as Core Data does. Other tables are
/// written anew. Keys, versions, the identifier, history and the tables of other programs stay.
struct MigrationPlanner {
  let old: StoreLayout
  let new: StoreLayout
  let catalogue: Catalogue
  let relationships: RelationshipMatching
  /// The new relationships without inverse, by the table that has their keys.
  let virtualSides: [Identifier: [VirtualSide]]
  /// The number of each old entity that has a place in the new model.
  let newNumbers: [Int: Int]
  var steps: [MigrationScript.Step] = []
  /// Whether rows with equal unique values are merged; otherwise they are an obstacle.
  private let mergesDuplicates: Bool
  private var uniqueness: [PendingUniqueness] = []
  /// The present names of the old tables that are written anew, until they are dropped.
  private(set) var renamed: [Identifier: Identifier] = [:]

  typealias VirtualSide = (owner: EntityLayout, relationship: ToManyLayout, side: ToManyLayout.KeySide)

  /// - Parameters:
  ///   - old: the layout of the store, made with its catalogue.
  ///   - destination: the new model.
  ///   - mergesDuplicates: whether rows with equal unique values are merged.
  ///   - convertsKinds: whether the program's own code converts an attribute into a relationship of the same name, or the reverse.
  ///     Otherwise the migration is refused.
  /// - Throws: ``LayoutError`` for a model that has no layout.
  init(
    from old: StoreLayout, to destination: ModelDescription, catalogue: Catalogue, mergesDuplicates: Bool = false,
    convertsKinds: Bool = false
  ) throws {
    self.old = old
    self.mergesDuplicates = mergesDuplicates
    self.catalogue = catalogue
    new = try StoreLayout(model: destination)
    virtualSides = Self.virtualSides(in: new)
    let relationships = RelationshipMatching(from: old.model, to: destination, convertsKinds: convertsKinds)
    self.relationships = relationships
    var numbers: [Int: Int] = [:]
    for entity in new.entities {
      if let source = relationships.matching.source(of: entity.name).flatMap({ old.entity(named: $0) }) {
        numbers[source.number] = entity.number
      }
    }
    newNumbers = numbers
  }

  /// The source property of each property, by destination entity.
  var properties: [String: [String: String]] { relationships.properties }

  /// The old entity whose rows become rows of a new one.
  func source(of entity: EntityLayout) -> EntityLayout? {
    relationships.matching.source(of: entity.name).flatMap { old.entity(named: $0) }
  }

  /// The name under which an old table can be read while the script runs.
  func present(_ table: Identifier) -> Identifier { renamed[table] ?? table }

  // MARK: The script

  /// - Parameter removesEntities: whether the rows of entities that the new model lacks are deleted; otherwise they are an obstacle.
  /// - Throws: ``MigrationError`` for a change that no row can follow; ``LayoutError``.
  consuming func script(removesEntities: Bool) throws -> MigrationScript {
    try checkMirroring()
    // Names that collide are found before any table is changed.
    _ = try new.definitions()
    try checkRelationships()
    if !removesEntities { checkRemovedEntities() }
    let plans = try new.tables.map { try rows(of: $0) }
    try checkMirroring(plans)
    let joins = new.joinTables.map { JoinPlan($0, kept: keptJoinTable($0)) }
    let kept = Set(plans.filter(\.isInPlace).map(\.table.name) + joins.compactMap { $0.isKept ? $0.table.name : nil })
    let oldTables = old.tables.map(\.name) + old.joinTables.map(\.name)
    let strangers = dropDefinitions(of: oldTables, kept: kept)
    separateKeys(plans)
    for (index, table) in oldTables.filter({ !kept.contains($0) }).enumerated() {
      let name = Identifier("OSD_MIGRATED_\(index)")
      run("ALTER TABLE \(table) RENAME TO \(name)")
      renamed[table] = name
    }
    for plan in plans {
      if plan.isInPlace { try extend(plan) } else { run(new.definition(of: plan.table)) }
    }
    for join in joins where !join.isKept { run(join.table.definition) }
    for plan in plans where !plan.isInPlace {
      for copy in plan.copies { run(insertion(of: copy, into: plan.table)) }
    }
    addRelationships(joins)
    for plan in plans where plan.isInPlace { emptyLeftColumns(of: plan) }
    addDerivedValues()
    for name in renamed.values.sorted() { run("DROP TABLE \(name)") }
    try addDefinitions()
    for sql in strangers { steps.append(.attempt(sql)) }
    addPrimaryKeys()
    let bitmaps = addHistory()
    let warnings = addSearchIndexes()
    return MigrationScript(steps: steps, bitmaps: bitmaps, uniqueness: uniqueness, warnings: warnings)
  }

  mutating func run(_ sql: String) { steps.append(.run(sql)) }

  mutating func check(_ sql: String, _ entity: String, _ property: String?, _ reason: MigrationObstacle.Reason) {
    steps.append(.check(sql, MigrationObstacle(entity: entity, property: property, reason: reason)))
  }

  /// Tables of CloudKit mirroring hold entity numbers (CD-8).
  private func checkMirroring() throws {
    guard isMirrored else { return }
    for entity in old.entities where newNumbers[entity.number] != entity.number { throw refusalOfMirrored(entity) }
  }

  var isMirrored: Bool { catalogue.columns.keys.contains { $0.name.hasPrefix("ANSCK") } }

  func refusalOfMirrored(_ entity: EntityLayout) -> MigrationError {
    MigrationError(obstacle: MigrationObstacle(entity: entity.name, property: nil, reason: .mirrored), rowCount: nil)
  }

  private mutating func checkRemovedEntities() {
    for entity in old.entities where newNumbers[entity.number] == nil && !entity.isAbstract {
      check(
        "SELECT count(*) FROM \(entity.table) o WHERE \(rowTest(of: entity))", entity.name, nil, .removedEntity)
    }
  }

  // MARK: Definitions

  /// Drops the triggers of the old tables, the location indexes, and the indexes of tables that are replaced.
  ///
  /// This frees their names, and no trigger fires during the migration.
  ///
  /// - Returns: the definitions of other programs among them.
  private mutating func dropDefinitions(of tables: [Identifier], kept: Set<Identifier>) -> [String] {
    var strangers: [String] = []
    let own = Dictionary(
      old.entities.flatMap { (try? old.indexes(of: $0)) ?? [] }.map { ($0.name, $0.definition) },
      uniquingKeysWith: { first, _ in first })
    // The bytes count: an index with a name or a column in another normal form is another one.
    let wanted = Set(new.entities.flatMap { (try? new.indexes(of: $0).map { Array($0.definition.utf8) }) ?? [] })
    // SQLite keeps the table of a trigger as the trigger's text spells it, and ignores the case of ASCII letters.
    let names = Set(tables.map { foldingCase($0.name) })
    let search = Set(old.searchTables(in: catalogue.definitions).flatMap(\.triggerNames))
    for definition in catalogue.definitions {
      guard names.contains(foldingCase(definition.table)), let sql = definition.sql else { continue }
      let name = Identifier(definition.name)
      switch definition.kind {
      case "trigger":
        run("DROP TRIGGER \(name)")
        if !definition.name.hasPrefix("Z_DA_"), !definition.name.hasPrefix("Z_RT_"), !definition.name.hasPrefix("ZT_"),
          !search.contains(definition.name)
        {
          strangers.append(sql)
        }
      case "index":
        if kept.contains(Identifier(definition.table)) {
          // It stays if the new model has it as well.
          let stays = own[name].map { wanted.contains(Array($0.utf8)) } ?? true
          if stays { keptIndexes.insert(name) } else { run("DROP INDEX \(name)") }
        } else {
          run("DROP INDEX \(name)")
          if own[name] == nil { strangers.append(sql) }
        }
      default: break
      }
    }
    for index in old.locationIndexes { run("DROP TABLE \(index.name)") }
    dropSearchIndexes()
    return strangers
  }

  /// Indexes of tables that stay.
  private var keptIndexes: Set<Identifier> = []

  private mutating func addDefinitions() throws {
    for entity in new.entities {
      for index in try new.indexes(of: entity) where !keptIndexes.contains(index.name) {
        if let pending = pendingUniqueness(index, of: entity) {
          if mergesDuplicates {
            uniqueness.append(pending)
            continue
          }
          let origin = relationships.origin(of: pending.constraint, in: entity.name)
          let obstacle = MigrationObstacle(
            entity: entity.name, property: nil, reason: .duplicates(pending.constraint, of: origin))
          steps.append(.check(pending.count, obstacle, example: pending.example(entity)))
        }
        run(index.definition)
      }
    }
    for entity in new.entities {
      for definition in try new.triggerDefinitions(of: entity) { run(definition) }
      for index in try new.locationIndexes(of: entity) { fill(index) }
    }
  }

  /// `nil` for an index that is not unique.
  private func pendingUniqueness(_ index: IndexLayout, of entity: EntityLayout) -> PendingUniqueness? {
    guard index.kind == .unique else { return nil }
    return PendingUniqueness(
      entity: entity.name, constraint: index.properties, table: index.table,
      columns: index.properties.compactMap { entity.column(ofPath: $0) }, definition: index.definition)
  }

  private mutating func fill(_ index: LocationIndexLayout) {
    // As the triggers do: the index has every row, and 0 for no value (CD-4).
    let bounds = index.columns.flatMap { ["ifnull(\($0), 0)", "ifnull(\($0), 0)"] }.joined(separator: ", ")
    run("INSERT INTO \(index.name) SELECT Z_PK, \(bounds) FROM \(index.table)")
  }
}

/// The bytes of a name with small ASCII letters.
private func foldingCase(_ name: String) -> [UInt8] {
  name.utf8.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
}
