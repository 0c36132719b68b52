import ManagedModel
import SQLite
import StoreRequests

/// Finds the rows that insertions become one with: rows of the store as they will be, or earlier insertions, with the same
/// unique values.
struct UniquenessResolver {
  private let connection: Connection
  private let layout: StoreLayout
  private let updates: [ChangeSet.Update]
  /// Rows that will be gone.
  private let deleted: Set<ObjectKey>
  /// What this save has written so far of rows of the store, in order: their stored values say nothing of these properties.
  private var written: [ObjectKey: Set<String>]
  private var insertionLookups: [Shape: [Lookup]] = [:]
  private var updateLookups: [Shape: [Lookup]] = [:]
  private var noted: Set<Noted> = []
  private var lastShape: (entity: Int32, columns: [ColumnSelection], lookups: [Lookup])?
  /// Rows of this save by their unique values, as the store would hold them.
  private var rows: [Values: Match] = [:]
  /// How often rows took an insertion's values: what was noted of them before does not count any more.
  private var overwrites: [ObjectKey: Int] = [:]
  private var indexes: [Index: Int] = [:]
  /// Values of the insertion in hand, which belong to the row it becomes.
  private var pending: [Values] = []

  struct Match {
    let object: ObjectKey
    /// The row's version after the save.
    let version: Int64
    /// Whether an insertion, an update or an earlier merge of this save already counts as the row's change.
    var isCounted: Bool
    fileprivate var overwrites = 0
  }

  private struct Shape: Hashable {
    let entity: Int32
    let columns: [ColumnSelection]
  }

  /// What tells the unique index of one constraint from others: siblings may have columns of their own for one name.
  private struct Index: Hashable {
    let table: Identifier
    let columns: [Identifier]
  }

  private struct Values: Hashable {
    let index: Int
    let values: [StoreValue]

    /// Texts are compared as SQLite compares them, by byte: normal forms differ.
    static func == (left: Values, right: Values) -> Bool {
      left.index == right.index
        && left.values.elementsEqual(right.values) { left, right in
          if case (.text(let left), .text(let right)) = (left, right) {
            left.utf8.elementsEqual(right.utf8)
          } else {
            left == right
          }
        }
    }
  }

  private struct Lookup {
    let constraint: UniquenessConstraint
    let index: Int
    let columns: [ColumnSelection]
    let width: Int
    let hasKey: Bool
    let statement: Statement

    /// The values that the statement's row gives from a column on; `nil` if one is `NULL`, which equals nothing, also in
    /// SQLite's unique indexes.
    func values(startingAt column: Int) -> Values? {
      var reader = RowReader(statement, startingAt: column)
      let values = constraint.properties.map { _ -> StoreValue in
        let value = reader.value()
        // A column may keep a whole number of the two kinds as the other (CD-5); to SQLite they are equal.
        if case .real(let number) = value, let whole = Int64(exactly: number) { return .integer(whole) }
        return value
      }
      return values.contains(.null) ? nil : Values(index: index, values: values)
    }
  }

  /// What was noted of updated rows already.
  private struct Noted: Hashable {
    let table: Identifier
    let withKeys: Bool
  }

  init(connection: Connection, layout: StoreLayout, changes: ChangeSet) {
    self.connection = connection
    self.layout = layout
    updates = changes.updates
    deleted = Set(changes.deletions.map(\.object))
    written = Dictionary(
      changes.updates.map { ($0.object, Set($0.columns.map(\.propertyName))) }, uniquingKeysWith: { $0.union($1) })
  }

  /// Whether finding a match needs keys of other rows, because a relationship is among the unique values.
  mutating func dependsOnKeys(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> Bool {
    try lookups(insertion, entity).contains { $0.hasKey }
  }

  /// The row that an insertion becomes one with; `nil` if it is new.
  ///
  /// Insertions that depend on keys come after all others.
  mutating func match(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> Match? {
    let lookups = try lookups(insertion, entity)
    pending.removeAll(keepingCapacity: true)
    guard !lookups.isEmpty else { return nil }
    try noteUpdates(of: entity.table, withKeys: false)
    if lookups.contains(where: \.hasKey) { try noteUpdates(of: entity.table, withKeys: true) }
    var match: Match?
    for lookup in lookups {
      try RowBinder.bind(
        insertion.source, lookup.columns, to: lookup.statement, width: lookup.width, entity: entity)
      guard try lookup.statement.step() else { continue }
      defer { lookup.statement.reset() }
      guard let values = lookup.values(startingAt: 3) else { continue }
      pending.append(values)
      guard match == nil else { continue }
      match = try noted(values) ?? stored(lookup, entity)
    }
    guard var match else { return nil }
    guard match.object.entity == insertion.entity else {
      throw SaveError.notUnique(entity: entity.name, properties: lookups.flatMap(\.constraint.properties))
    }
    let found = match
    match.isCounted = true
    match.overwrites = overwrites[match.object, default: 0] + 1
    overwrites[match.object] = match.overwrites
    written[match.object, default: []].formUnion(insertion.columns.map(\.propertyName))
    for values in pending { rows[values] = match }
    return found
  }

  /// Remembers the values of the insertion that ``match(_:_:)`` was last asked about, which becomes a row of its own.
  mutating func willInsert(_ object: ObjectKey) {
    for values in pending { rows[values] = Match(object: object, version: 1, isCounted: true) }
    pending.removeAll(keepingCapacity: true)
  }

  /// The row of this save that has the values, and was not given others since.
  private func noted(_ values: Values) -> Match? {
    guard let match = rows[values], match.overwrites == overwrites[match.object, default: 0] else { return nil }
    return match
  }

  /// The stored row that the look-up found, unless this save removes it or has changed the values.
  private func stored(_ lookup: Lookup, _ entity: EntityLayout) throws -> Match? {
    guard !lookup.statement.isNull(0) else { return nil }
    let object = ObjectKey(
      entity: Int32(clamping: lookup.statement.integer(1)), key: lookup.statement.integer(0))
    guard !deleted.contains(object) else { return nil }
    let changed = written[object]
    if let changed, !changed.isDisjoint(with: lookup.constraint.properties) { return nil }
    let version = lookup.statement.integer(2)
    guard version < Int64.max else { throw DamagedCounter.outOfVersions(entity: entity.name) }
    return Match(object: object, version: version + 1, isCounted: changed != nil)
  }

  /// Notes what unique values the updated rows of a table will have: insertions are compared with rows as they will be.
  ///
  /// - Parameter withKeys: whether those are meant that relationships are part of, which may lead to inserted rows.
  private mutating func noteUpdates(of table: Identifier, withKeys: Bool) throws {
    guard !updates.isEmpty, noted.insert(Noted(table: table, withKeys: withKeys)).inserted else { return }
    for update in updates where !update.columns.isEmpty {
      let entity = try layout.existingEntity(update.object.entity)
      guard entity.table == table else { continue }
      let shape = Shape(entity: update.object.entity, columns: update.columns)
      let lookups = try updateLookups[shape] ?? makeUpdateLookups(shape, entity)
      updateLookups[shape] = lookups
      for lookup in lookups where lookup.hasKey == withKeys {
        try RowBinder.bind(update.source, lookup.columns, to: lookup.statement, width: lookup.width, entity: entity)
        try lookup.statement.bind(update.object.key, at: lookup.width + 1)
        guard try lookup.statement.step() else { continue }
        defer { lookup.statement.reset() }
        guard let values = lookup.values(startingAt: 1) else { continue }
        // A version that cannot grow is told when the row is written.
        rows[values] = Match(object: update.object, version: lookup.statement.integer(0) &+ 1, isCounted: true)
      }
    }
  }

  // MARK: Statements

  private mutating func lookups(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> [Lookup] {
    if let lastShape, lastShape.entity == insertion.entity, lastShape.columns == insertion.columns {
      return lastShape.lookups
    }
    let shape = Shape(entity: insertion.entity, columns: insertion.columns)
    let lookups = try insertionLookups[shape] ?? makeInsertionLookups(shape, entity)
    insertionLookups[shape] = lookups
    lastShape = (insertion.entity, insertion.columns, lookups)
    return lookups
  }

  private mutating func makeInsertionLookups(_ shape: Shape, _ entity: EntityLayout) throws -> [Lookup] {
    try UniquenessConstraint.applying(to: entity, columns: shape.columns, in: layout).compactMap { constraint in
      try makeLookup(constraint, entity, given: constraint.properties, SaveStatement.rowOfUniqueValues)
    }
  }

  private mutating func makeUpdateLookups(_ shape: Shape, _ entity: EntityLayout) throws -> [Lookup] {
    let changed = Set(shape.columns.map(\.propertyName))
    return try UniquenessConstraint.touching(changed, of: entity, in: layout).compactMap { constraint in
      try makeLookup(
        constraint, entity, given: constraint.properties.filter(changed.contains), SaveStatement.uniqueValuesOfRow)
    }
  }

  /// - Parameter given: those of the constraint's properties that a source binds, each in its width.
  private mutating func makeLookup(
    _ constraint: UniquenessConstraint, _ entity: EntityLayout, given: [String],
    _ sql: (EntityLayout, [SaveStatement.UniqueColumn], Int) -> String
  ) throws -> Lookup? {
    var columns: [SaveStatement.UniqueColumn] = []
    var width = 0
    var hasKey = false
    for property in constraint.properties {
      guard let column = entity.column(ofPath: property) else { return nil }
      guard given.contains(property) else {
        columns.append(.init(name: column, placeholder: nil))
        continue
      }
      columns.append(.init(name: column, placeholder: width + 1))
      if case .toOne = entity.property(named: property) {
        hasKey = true
        width += 2
      } else {
        width += 1
      }
    }
    let index = Index(table: entity.table, columns: columns.map(\.name))
    let number = indexes[index] ?? indexes.count
    indexes[index] = number
    return Lookup(
      constraint: constraint, index: number,
      columns: given.map { ColumnSelection(entityName: entity.name, propertyName: $0) }, width: width, hasKey: hasKey,
      statement: try connection.prepare(sql(entity, columns, width), persistent: true))
  }
}
