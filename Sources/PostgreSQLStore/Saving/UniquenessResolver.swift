import PostgreSQL
import StoreRequests

/// Finds the row that has the unique values of an insertion: a row of the store, or the row of an earlier insertion.
///
/// Rows of the store count with the values that they have after the save's updates and deletions. Cost: one statement for each
/// constraint.
struct UniquenessResolver {
  struct Match {
    let object: ObjectKey
    /// The row's version after the save.
    let version: Int64
    /// Whether an insertion, an update or an earlier merge of this save already counts as the row's change.
    var isCounted: Bool
    fileprivate var overwrites = 0
  }

  /// A constraint of an entity, with the properties that a source binds for it.
  private struct Lookup {
    let constraint: UniqueConstraint
    let columns: [ColumnSelection]
    let places: [ColumnLayout?]
    /// Where ``places`` has the columns of the constraint. Of a composite it has the other elements, too.
    let positions: [Int]
    let hasKey: Bool
    /// Takes the values of one source after another.
    let sink: RowSink
  }

  /// The constraints to check for insertions of one shape, and the properties that these insertions write.
  private struct Plan {
    let lookups: [Lookup]
    let properties: Set<String>
    let hasKey: Bool
  }

  /// The rows that have unique values.
  private struct Owners {
    /// The stored row, as it is before the save.
    var stored: (object: ObjectKey, version: Int64)?
    /// Whether the store was searched.
    var isSearched = false
    /// The row of this save.
    var match: Match?
  }

  private struct Written {
    var properties: Set<String> = []
    /// The number of insertions that have overwritten the row. Unique values noted at a smaller number no longer belong to the row.
    var overwrites = 0
  }

  let connection: Connection
  let layout: StoreLayout
  let changes: ChangeSet
  private let strategy: SaveStrategy
  private let deleted: Set<ObjectKey>
  /// What this save has written so far, by row.
  private var written: [ObjectKey: Written] = [:]
  private var plans: [Plan] = []
  /// For each insertion, the place of its plan.
  private var planOf: [Int] = []
  /// The numbers of unique values. Values are compared once, and later only their numbers.
  private var numbers: [UniqueValues: Int] = [:]
  /// The rows that have unique values, by the numbers of the values.
  private var owners: [Owners] = []
  /// The numbers of the insertions' unique values, in the order of each insertion's constraints; `nil` for values with a `NULL`.
  private var known: [Int?] = []
  /// For each insertion, where its values in ``known`` begin.
  private var firstKnown: [Int]
  /// The numbers of the unique values of the insertion that was matched last.
  private var pending: [Int] = []
  private var hasNotedKeys = false

  init(
    _ changes: ChangeSet, connection: Connection, layout: StoreLayout, strategy: SaveStrategy
  ) throws {
    self.changes = changes
    self.strategy = strategy
    self.connection = connection
    self.layout = layout
    deleted = Set(changes.deletions.map(\.object))
    firstKnown = [Int](repeating: 0, count: changes.insertions.count)
    var places: [RowShape: Int] = [:]
    planOf.reserveCapacity(changes.insertions.count)
    for insertion in changes.insertions {
      let shape = RowShape(entity: insertion.entity, columns: insertion.columns)
      let place = try places[shape] ?? makePlan(shape)
      places[shape] = place
      planOf.append(place)
    }
    for update in changes.updates {
      written[update.object, default: Written()].properties.formUnion(update.columns.map(\.propertyName))
    }
    guard plans.contains(where: { !$0.lookups.isEmpty }) else { return }
    try noteUpdates(withKeys: false)
    if strategy.locksUniqueValues { try lockValues() }
    try findStored(planOf.indices.filter { !dependsOnKeys($0) })
  }

  /// Whether a match needs the keys of other rows, because the unique values include a relationship.
  func dependsOnKeys(_ insertion: Int) -> Bool { plans[planOf[insertion]].hasKey }

  func constraints(of entity: StoreEntity) -> [UniqueConstraint] {
    layout.table(of: entity).uniqueConstraints.filter { entity.lineage.contains($0.entity.name) }
  }

  private mutating func makePlan(_ shape: RowShape) throws -> Int {
    let entity = try layout.existingEntity(shape.entity)
    let bound = Set(shape.columns.map(\.propertyName))
    let lookups = try constraints(of: entity).filter { bound.isSuperset(of: $0.propertyNames) }.map { constraint in
      let columns = constraint.propertyNames.map { ColumnSelection(entityName: entity.name, propertyName: $0) }
      let places = try layout.columns(columns, of: entity)
      return Lookup(
        constraint: constraint, columns: columns, places: places,
        positions: constraint.columns.compactMap { column in places.firstIndex { $0?.name == column.name } },
        hasKey: constraint.propertyNames.contains {
          if case .toOne = entity.property(named: $0) { true } else { false }
        },
        sink: RowSink(places))
    }
    plans.append(Plan(lookups: lookups, properties: bound, hasKey: lookups.contains(where: \.hasKey)))
    return plans.count - 1
  }

  /// The values that a source binds; `nil` if one of them is `NULL`.
  private func values(_ source: any RowSource, _ lookup: Lookup, _ entity: StoreEntity) throws -> UniqueValues? {
    lookup.sink.clear()
    try RowBinder.bind(source, lookup.columns, to: lookup.sink, width: lookup.places.count, entity: entity)
    return UniqueValues(
      lookup.constraint, zip(lookup.constraint.columns, lookup.positions).lazy.map { ($0.type, lookup.sink.forms[$1]) })
  }

  /// Locks the unique values of few insertions. Those with a relationship are known one after another, so they have no common order.
  private func lockValues() throws {
    guard changes.insertions.count <= UniqueValueLocks.valueLimit else { return }
    var all: [UniqueValues] = []
    for (insertion, plan) in zip(changes.insertions, planOf) {
      let entity = try layout.existingEntity(insertion.entity)
      for lookup in plans[plan].lookups where !lookup.hasKey {
        if let values = try values(insertion.source, lookup, entity) { all.append(values) }
      }
    }
    try UniqueValueLocks.take(all, in: layout.schema, over: connection)
  }

  /// The number of unique values.
  private mutating func number(of values: UniqueValues) -> Int {
    if let number = numbers[values] { return number }
    numbers[values] = owners.count
    owners.append(Owners())
    return owners.count - 1
  }

  /// Different unique values of some insertions, in the order of the insertions.
  private struct Wanted {
    let constraint: UniqueConstraint
    var values: [UniqueValues] = []
    var numbers: [Int] = []
  }

  /// Finds the stored rows that have the unique values of some insertions.
  private mutating func findStored(_ insertions: [Int]) throws {
    var wanted: [Identifier: Wanted] = [:]
    for index in insertions {
      let entity = try layout.existingEntity(changes.insertions[index].entity)
      firstKnown[index] = known.count
      for lookup in plans[planOf[index]].lookups {
        guard let values = try values(changes.insertions[index].source, lookup, entity) else {
          known.append(nil)
          continue
        }
        let number = number(of: values)
        known.append(number)
        guard !owners[number].isSearched else { continue }
        owners[number].isSearched = true
        wanted[lookup.constraint.name, default: Wanted(constraint: lookup.constraint)].values.append(values)
        wanted[lookup.constraint.name]?.numbers.append(number)
      }
    }
    for (_, wanted) in wanted.sorted(by: { $0.key.name < $1.key.name }) { try findStored(wanted) }
  }

  /// The lock of the found rows: no other transaction may change or delete a row that an insertion overwrites, or delete
  /// a row that replaces an insertion.
  private var lock: String {
    switch changes.duplicates {
    case .overwrite: strategy.locksOverwritten ? " FOR NO KEY UPDATE OF t" : ""
    case .keep: " FOR KEY SHARE OF t"
    case .fail: ""
    }
  }

  /// Finds the stored rows that have values of a constraint.
  mutating func findStored(_ constraint: UniqueConstraint, _ values: [UniqueValues]) throws {
    try findStored(Wanted(constraint: constraint, values: values, numbers: values.map { number(of: $0) }))
  }

  private mutating func findStored(_ wanted: Wanted) throws {
    let constraint = wanted.constraint
    let table = layout.table(of: constraint.entity)
    var columns = constraint.columns.map { ColumnValues($0.type) }
    for values in wanted.values { values.append(to: &columns) }
    let unnested = UnnestedColumns(columns, from: 1)
    let names = (unnested.names + ["place"]).joined(separator: ", ")
    let equal = zip(constraint.columns, unnested.values).map { "t.\($0.name) = \($1)" }
    // The server says which values a row has: equal values may have several forms. Two saves lock rows in one order.
    let found = try connection.run(
      "SELECT s.place, t.\(TableLayout.key), \(table.number(of: "t")), t.\(TableLayout.version) "
        + "FROM unnest(\(unnested.arrays.joined(separator: ", "))) WITH ORDINALITY s(\(names)) "
        + "JOIN \(table.sql) t ON \(equal.joined(separator: " AND ")) ORDER BY t.\(TableLayout.key)\(lock)",
      columns.flatMap(\.parameters))
    for row in 0..<found.rowCount {
      let place = Int(found.integer(row, 0)) - 1
      guard wanted.numbers.indices.contains(place) else { continue }
      owners[wanted.numbers[place]].stored = (
        ObjectKey(entity: Int32(truncatingIfNeeded: found.integer(row, 2)), key: found.integer(row, 1)),
        found.integer(row, 3)
      )
    }
  }

  /// The row that has an insertion's unique values; `nil` if the insertion makes a new row.
  ///
  /// Insertions that depend on keys come after all others.
  /// - Throws: ``SaveError/notUnique(entity:properties:clashes:)`` if the policy is to fail, or if the row is of another entity.
  mutating func match(_ insertion: Int, _ entity: StoreEntity) throws -> Match? {
    let plan = plans[planOf[insertion]]
    pending.removeAll(keepingCapacity: true)
    guard !plan.lookups.isEmpty else { return nil }
    if plan.hasKey {
      if !hasNotedKeys { try noteUpdates(withKeys: true) }
      hasNotedKeys = true
      try findStored([insertion])
    }
    var match: Match?
    var taken: [String] = []
    for (place, lookup) in plan.lookups.enumerated() {
      guard let number = known[firstKnown[insertion] + place] else { continue }
      pending.append(number)
      guard match == nil else { continue }
      match = noted(number) ?? stored(number, lookup.constraint)
      taken = lookup.constraint.properties
    }
    guard var match else { return nil }
    guard match.object.entity == entity.number, changes.duplicates != .fail else {
      throw SaveError.notUnique(entity: entity.name, properties: taken)
    }
    let found = match
    if changes.duplicates == .keep { return found }
    match.isCounted = true
    match.overwrites = note(plan.properties, writtenOver: match.object)
    for number in pending { owners[number].match = match }
    return found
  }

  /// Returns how many insertions have then overwritten the row.
  private mutating func note(_ properties: Set<String>, writtenOver object: ObjectKey) -> Int {
    guard let before = written[object] else {
      // Rows of one shape share the set.
      written[object] = Written(properties: properties, overwrites: 1)
      return 1
    }
    written[object] = Written(properties: before.properties.union(properties), overwrites: before.overwrites + 1)
    return before.overwrites + 1
  }

  /// Notes the unique values of the insertion that was matched last: it makes a new row.
  mutating func willInsert(_ object: ObjectKey) {
    for number in pending { owners[number].match = Match(object: object, version: 1, isCounted: true) }
    pending.removeAll(keepingCapacity: true)
  }

  /// The row of this save that has the values and has not received other values since.
  private func noted(_ number: Int) -> Match? {
    guard let match = owners[number].match, match.overwrites == written[match.object]?.overwrites ?? 0 else {
      return nil
    }
    return match
  }

  /// The stored row that has the values, unless this save deletes it or changes its unique values.
  func stored(_ values: UniqueValues, _ constraint: UniqueConstraint) -> Match? {
    numbers[values].flatMap { stored($0, constraint) }
  }

  private func stored(_ number: Int, _ constraint: UniqueConstraint) -> Match? {
    guard let (object, version) = owners[number].stored, !deleted.contains(object) else { return nil }
    let changed = written[object]
    if let changed, !changed.properties.isDisjoint(with: constraint.propertyNames) { return nil }
    return Match(object: object, version: version + 1, isCounted: changed != nil)
  }

  /// Notes the unique values that updated rows will have.
  ///
  /// - Parameter withKeys: `true` for constraints that include a relationship, which may refer to inserted rows; `false` for all
  ///   other constraints.
  private mutating func noteUpdates(withKeys: Bool) throws {
    for row in try updatedRows(withKeys: withKeys) {
      owners[number(of: row.values)].match = Match(object: row.object, version: row.version + 1, isCounted: true)
    }
  }
}
