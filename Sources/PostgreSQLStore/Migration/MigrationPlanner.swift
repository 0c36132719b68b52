import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

/// Infers how the rows of a store come into the tables of another model.
///
/// A table whose rows all come from one old table is that table with changes. Adding, dropping and renaming columns takes
/// a moment, and only changed values are written. Tables that merge or divide are written as new tables. Old names stay
/// until the end of the script; a new column or table whose name is taken has another name until then. Keys, versions and
/// identifiers of the rows stay.
struct MigrationPlanner {
  let old: StoreLayout
  let new: StoreLayout
  /// Whether rows with equal values of a new uniqueness constraint are merged; else they are in the way.
  let mergesDuplicates: Bool
  let relationships: RelationshipMatching
  /// What the database has about the old tables, beside their layout.
  let former: FormerTables
  /// The relationships without inverse.
  let virtualSides: (old: [VirtualSide], new: [VirtualSide])
  /// Counts that are made before anything is changed.
  var checks: [MigrationScript.Step] = []
  var steps: [MigrationScript.Step] = []
  var pending: [LateDefinition] = []
  /// By the number of the new hierarchy.
  var plans: [TablePlan] = []
  var joins: [JoinPlan] = []
  /// Tables with links of the old rows, and the statements that write them into the new rows.
  var links: (tables: [Identifier], statements: [String]) = ([], [])
  /// The new uniqueness constraints, if rows are merged for them.
  var merges: [UniqueConstraint] = []
  /// What goes with the old tables, in words.
  var warnings: [String] = []
  /// The indexes that become new uniqueness constraints, by the constraints' names.
  var uniqueIndexes: [Identifier: Identifier] = [:]
  private var temporaryNames = 0

  typealias VirtualSide = (owner: StoreEntity, relationship: StoreRelationship, side: ToManyLayout.KeySide)

  /// - Parameter convertsKinds: whether the program's own code converts an attribute into a relationship of the same name, or the
  ///   reverse. Otherwise the migration is refused.
  init(
    from old: StoreLayout, to new: StoreLayout, mergesDuplicates: Bool = false, convertsKinds: Bool = false,
    former: FormerTables = FormerTables()
  ) {
    self.old = old
    self.new = new
    self.mergesDuplicates = mergesDuplicates
    self.former = former
    relationships = RelationshipMatching(
      from: old.graph.model, to: new.graph.model, convertsKinds: convertsKinds)
    virtualSides = (Self.virtualSides(in: old), Self.virtualSides(in: new))
  }

  /// The search indexes that the store has now.
  var searchIndexes: [SearchCatalogue.Entry] { former.searchIndexes }

  /// The source property of each property, by destination entity.
  var properties: [String: [String: String]] { relationships.properties }

  /// The old entity whose rows become rows of a new one.
  func source(of entity: StoreEntity) -> StoreEntity? {
    relationships.matching.source(of: entity.name).flatMap { old.entities.entity(named: $0) }
  }

  /// The new entity that an old one becomes.
  func destination(of entity: StoreEntity) -> StoreEntity? {
    relationships.matching.destination(of: entity.name).flatMap { new.entities.entity(named: $0) }
  }

  mutating func run(_ sql: String) { steps.append(.run(sql)) }

  mutating func temporaryName() -> Identifier {
    temporaryNames += 1
    return Identifier("_migrating_\(temporaryNames)")
  }

  // MARK: The script

  /// - Parameter removesEntities: whether the rows of entities that the new model lacks may go; else they are in the way.
  /// - Throws: ``MigrationError`` for a change that no row can follow; ``StoreProblem`` for what others have added to a table and the new
  ///   one cannot have.
  consuming func script(removesEntities: Bool) throws -> MigrationScript {
    try checkRelationships()
    if !removesEntities { checkRemovedEntities() }
    plans = try new.tables.map { try plan($0) }
    choosePlaces()
    completeRequiredValues()
    joins = new.joinTables.map { JoinPlan(table: $0, base: keptJoinTable($0)) }
    let othersDefinitions = try othersDefinitions()
    makeUniqueIndexes()
    dropTriggers()
    dropSearchIndexes()
    separateKeys()
    dropDefinitions()
    addTablesAndColumns()
    readLinks()
    for plan in plans { writeRows(of: plan) }
    addRelationships()
    for plan in plans { deleteLeftRows(of: plan) }
    checkNewRows()
    dropOldTables()
    renameAll()
    addDefinitions()
    addHistory()
    addDerivedValues()
    try addSearchIndexes()
    steps += othersDefinitions.map { .run($0) }
    return MigrationScript(steps: checks + steps, merges: merges, pending: pending, warnings: warnings)
  }

  mutating func check(_ sql: String, _ entity: String, _ property: String?, _ reason: MigrationObstacle.Reason) {
    checks.append(.check(sql, MigrationObstacle(entity: entity, property: property, reason: reason)))
  }

  private mutating func checkRemovedEntities() {
    for entity in old.entities.entities where destination(of: entity) == nil && !entity.description.isAbstract {
      check(
        "SELECT count(*) FROM \(old.table(of: entity).sql) o WHERE \(rowTest(of: entity))", entity.name, nil,
        .removedEntity)
    }
  }

  // MARK: Places

  /// Decides which old tables become new ones, and which of their columns stay.
  private mutating func choosePlaces() {
    let taken = formerNames
    for index in plans.indices {
      let sources = Set(plans[index].copies.map(\.source.hierarchy))
      let isShared = plans.indices.contains { other in
        other != index && plans[other].copies.contains { sources.contains($0.source.hierarchy) }
      }
      if sources.count == 1, !isShared, let source = sources.first {
        plans[index].base = old.tables[source]
        plans[index].presentName = old.tables[source].name
        var plan = plans[index]
        placeColumns(of: &plan, in: old.tables[source])
        plans[index] = plan
      } else {
        let name = plans[index].table.name
        plans[index].presentName = taken.contains(name) ? temporaryName() : name
        plans[index].kind = plans[index].table.hasKinds ? TableLayout.kind : nil
      }
    }
  }

  private mutating func placeColumns(of plan: inout TablePlan, in base: TableLayout) {
    if plan.table.hasKinds {
      let isSame = base.hasKinds && plan.copies.allSatisfy { $0.source.name.hasBytes(of: $0.destination.name) }
      plan.kind = isSame || !base.hasKinds ? TableLayout.kind : temporaryName()
    }
    let former = Dictionary(base.columns.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var claimed: Set<Identifier> = []
    for column in plan.table.columns {
      let candidates = plan.copies.compactMap { $0.values[column.name]?.column }
      // A column that keeps its name comes first.
      let ordered = candidates.filter { $0 == column.name } + candidates
      if let name = ordered.first(where: { former[$0]?.type == column.type && !claimed.contains($0) }) {
        claimed.insert(name)
        plan.kept[column.name] = former[name]
      } else if let conversion = conversion(to: column, in: plan, former), !claimed.contains(conversion.column.name) {
        claimed.insert(conversion.column.name)
        plan.converted[column.name] = conversion
      } else {
        plan.added[column.name] = former[column.name] == nil ? column.name : temporaryName()
      }
    }
  }

  /// The conversion of an old column that all rows share, and whose values nothing else needs; `nil` if there is none.
  private func conversion(
    to column: ColumnLayout, in plan: TablePlan, _ former: [Identifier: ColumnLayout]
  ) -> ColumnConversion? {
    let found = plan.copies.lazy.compactMap { copy -> ColumnConversion? in
      guard case .converted(let name, let sql)? = copy.values[column.name] else { return nil }
      return former[name].map { ColumnConversion(column: $0, sql: sql) }
    }.first
    guard let found, !plan.hasLeftRows else { return nil }
    let name = found.column.name
    let isShared = plan.copies.allSatisfy { copy in
      let isOnlyReader = copy.values.allSatisfy { $0.key == column.name || !$0.value.reads(name) }
      let value = copy.values[column.name]
      return isOnlyReader && (value == .converted(name, sql: found.sql) || value == nil && !holds(copy.source, name))
    }
    return isShared ? found : nil
  }

  // MARK: Tests of rows

  /// The test for rows of exactly this old entity, in a table with the alias `o`.
  func rowTest(of entity: StoreEntity) -> String {
    old.table(of: entity).hasKinds ? "o.\(TableLayout.kind) = \(sqlLiteral(entity.name))" : "true"
  }

  /// The test for rows of some old entities of one table.
  func kindTest(_ names: [String], in table: TableLayout, alias: String) -> String {
    guard table.hasKinds else { return "true" }
    return names.isEmpty ? "false" : "\(alias).\(TableLayout.kind) IN (\(sqlLiterals(names)))"
  }

  /// The test for the new rows of an entity and its subentities, while the script runs.
  func kindTest(_ entity: StoreEntity, alias: String) -> String {
    let plan = plans[entity.hierarchy]
    if let kind = plan.kind {
      let names = concreteNames(of: entity)
      return names.isEmpty ? "false" : "\(alias).\(kind) IN (\(sqlLiterals(names)))"
    }
    return plan.base.map { kindTest(plan.copies.map(\.source.name), in: $0, alias: alias) } ?? "true"
  }

  func concreteNames(of entity: StoreEntity) -> [String] {
    entity.kindNumbers.compactMap { new.entities.entity(numbered: $0) }.filter { !$0.description.isAbstract }
      .map(\.name)
  }
}
