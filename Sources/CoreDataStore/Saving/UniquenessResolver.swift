import ManagedModel
import SQLite

/// A uniqueness constraint, inherited ones included, with the columns it is about.
struct UniquenessConstraint: Hashable {
  let properties: [String]

  /// The constraints of an entity whose properties all are among the columns that a row is inserted with.
  static func applying(to entity: EntityLayout, columns: [ColumnSelection], in layout: StoreLayout)
    -> [UniquenessConstraint]
  {
    let bound = Set(columns.map(\.propertyName))
    return all(of: entity, in: layout).filter { !$0.properties.isEmpty && bound.isSuperset(of: $0.properties) }
  }

  private static func all(of entity: EntityLayout, in layout: StoreLayout) -> [UniquenessConstraint] {
    entity.lineage.flatMap { layout.entity(named: $0)?.description.uniquenessConstraints ?? [] }
      .map(UniquenessConstraint.init)
  }

  /// The columns of all constraints whose properties are selected.
  static func columns(of entity: EntityLayout, among selections: [ColumnSelection], in layout: StoreLayout)
    -> [Identifier]
  {
    let unique = Set(all(of: entity, in: layout).flatMap(\.properties))
    return selections.map(\.propertyName).filter(unique.contains).compactMap { entity.uniqueColumn($0) }
  }

  /// What SQLite says of columns, said of properties.
  static func violation(_ error: SQLiteError, of entity: EntityLayout, in layout: StoreLayout) -> any Error {
    // “UNIQUE constraint failed: ZBOOK.ZTITLE, ZBOOK.ZYEAR”
    let columns = Set(
      error.message.split(separator: ": ").last?.split(separator: ", ").map {
        String($0.split(separator: ".").last ?? "")
      } ?? [])
    let match = all(of: entity, in: layout).first { constraint in
      Set(constraint.properties.compactMap { entity.uniqueColumn($0)?.name }) == columns
    }
    return match.map { SaveError.notUnique(entity: entity.name, properties: $0.properties) } ?? error
  }
}

/// Finds the rows that insertions become one with: rows of the store, or earlier insertions, with the same unique values.
struct UniquenessResolver {
  private let connection: Connection
  private let layout: StoreLayout
  /// Rows that will be gone, or that change a value of their own in this save.
  private let deleted: Set<ObjectKey>
  private let updated: [ObjectKey: Set<String>]
  private var constraints: [Shape: [Lookup]] = [:]
  private var lastShape: (entity: Int32, columns: [ColumnSelection], lookups: [Lookup])?
  /// Rows of this save by their unique values, as the store would hold them.
  private var rows: [Values: Match] = [:]
  /// Values of the insertion in hand, which belong to the row it becomes.
  private var pending: [Values] = []

  struct Match {
    let object: ObjectKey
    /// The row's version after the save.
    let version: Int64
    /// Whether an insertion, an update or an earlier merge of this save already counts as the row's change.
    var isCounted: Bool
  }

  private struct Shape: Hashable {
    let entity: Int32
    let columns: [ColumnSelection]
  }

  private struct Values: Hashable {
    let table: Identifier
    let constraint: UniquenessConstraint
    let values: [StoreValue]
  }

  private struct Lookup {
    let constraint: UniquenessConstraint
    let columns: [ColumnSelection]
    let width: Int
    let hasKey: Bool
    let statement: Statement
  }

  init(connection: Connection, layout: StoreLayout, changes: ChangeSet) {
    self.connection = connection
    self.layout = layout
    deleted = Set(changes.deletions.map(\.object))
    updated = Dictionary(
      changes.updates.map { ($0.object, Set($0.columns.map(\.propertyName))) }, uniquingKeysWith: { $0.union($1) })
  }

  /// Whether finding a match needs keys of other rows, because a relationship is among the unique values.
  mutating func dependsOnKeys(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> Bool {
    try lookups(insertion, entity).contains { $0.hasKey }
  }

  /// The row that an insertion becomes one with; `nil` if it is new.
  mutating func match(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> Match? {
    let lookups = try lookups(insertion, entity)
    pending.removeAll(keepingCapacity: true)
    guard !lookups.isEmpty else { return nil }
    var match: Match?
    for lookup in lookups {
      try RowBinder.bind(
        insertion.source, lookup.columns, to: lookup.statement, width: lookup.width, entity: entity)
      guard try lookup.statement.step() else { continue }
      defer { lookup.statement.reset() }
      var reader = RowReader(lookup.statement, startingAt: 3)
      let values = lookup.constraint.properties.map { _ in reader.value() }
      // `NULL` equals nothing, also in SQLite's unique indexes.
      guard !values.contains(.null) else { continue }
      let key = Values(table: entity.table, constraint: lookup.constraint, values: values)
      pending.append(key)
      guard match == nil else { continue }
      match = try rows[key] ?? stored(lookup, entity)
    }
    if var match {
      guard match.object.entity == insertion.entity else {
        throw SaveError.notUnique(entity: entity.name, properties: lookups.flatMap(\.constraint.properties))
      }
      let found = match
      match.isCounted = true
      for key in pending { rows[key] = match }
      return found
    }
    return nil
  }

  /// Remembers the values of the insertion that ``match(_:_:)`` was last asked about, which becomes a row of its own.
  mutating func willInsert(_ object: ObjectKey) {
    for key in pending { rows[key] = Match(object: object, version: 1, isCounted: true) }
    pending.removeAll(keepingCapacity: true)
  }

  /// The stored row that the look-up found, unless this save removes it or takes the value from it.
  private func stored(_ lookup: Lookup, _ entity: EntityLayout) throws -> Match? {
    guard !lookup.statement.isNull(0) else { return nil }
    let object = ObjectKey(
      entity: Int32(clamping: lookup.statement.integer(1)), key: lookup.statement.integer(0))
    guard !deleted.contains(object) else { return nil }
    let changed = updated[object]
    if let changed, !changed.isDisjoint(with: lookup.constraint.properties) { return nil }
    let version = lookup.statement.integer(2)
    guard version < Int64.max else { throw SaveError.outOfVersions(entity: entity.name) }
    return Match(object: object, version: version + 1, isCounted: changed != nil)
  }

  private mutating func lookups(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> [Lookup] {
    if let lastShape, lastShape.entity == insertion.entity, lastShape.columns == insertion.columns {
      return lastShape.lookups
    }
    let shape = Shape(entity: insertion.entity, columns: insertion.columns)
    let lookups = try constraints[shape] ?? makeLookups(shape, entity)
    constraints[shape] = lookups
    lastShape = (insertion.entity, insertion.columns, lookups)
    return lookups
  }

  private func makeLookups(_ shape: Shape, _ entity: EntityLayout) throws -> [Lookup] {
    try UniquenessConstraint.applying(to: entity, columns: shape.columns, in: layout).compactMap { constraint in
      let selections = constraint.properties.map { ColumnSelection(entityName: entity.name, propertyName: $0) }
      var columns: [(name: Identifier, index: Int)] = []
      var width = 0
      var hasKey = false
      for property in constraint.properties {
        guard let column = entity.uniqueColumn(property) else { return nil }
        columns.append((column, width + 1))
        if case .toOne = entity.property(named: property) {
          hasKey = true
          width += 2
        } else {
          width += 1
        }
      }
      let sql = SaveStatement.rowOfUniqueValues(entity, columns, width: width)
      return Lookup(
        constraint: constraint, columns: selections, width: width, hasKey: hasKey,
        statement: try connection.prepare(sql, persistent: true))
    }
  }
}

extension EntityLayout {
  /// The column of an attribute or to-one relationship that a uniqueness constraint names.
  fileprivate func uniqueColumn(_ property: String) -> Identifier? {
    switch self.property(named: property) {
    case .attribute(let attribute): attribute.column?.name
    case .toOne(let relationship): relationship.key
    case .toMany, nil: nil
    }
  }
}
