import ManagedModel
import SQLite
import StoreRequests

/// Finds the row that has the same unique values as an insertion, and that the insertion overwrites.
///
/// The row is a row of the store with its values after the save, or a row of an earlier insertion.
struct UniquenessResolver {
  private let connection: Connection
  private let layout: StoreLayout
  private let updates: [ChangeSet.Update]
  /// Rows that this save deletes.
  private let deleted: Set<ObjectKey>
  /// The properties that this save has written so far, by stored row, in order.
  ///
  /// The stored values of these properties are out of date.
  private var written: [ObjectKey: Set<String>]
  private var insertionLookups: [Shape: [Lookup]] = [:]
  private var updateLookups: [Shape: [Lookup]] = [:]
  private var noted: Set<Noted> = []
  private var lastShape: (entity: Int32, columns: [ColumnSelection], lookups: [Lookup])?
  /// Rows of this save by their unique values, in the form in which the store holds them.
  private var rows: [Values: Match] = [:]
  /// The number of insertions that have overwritten each row.
  ///
  /// Values that were noted before the last of them no longer count.
  private var overwrites: [ObjectKey: Int] = [:]
  private var indexes: [Index: Int] = [:]
  /// The unique values of the present insertion, which belong to the row that it becomes.
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

  /// The identity of a constraint's unique index: sibling entities may have different columns for one property name.
  private struct Index: Hashable {
    let table: Identifier
    let columns: [Identifier]
  }

  private struct Values: Hashable {
    let index: Int
    let values: [StoreValue]

    /// Compares texts by byte, as SQLite does: the normal forms of a text differ.
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

    /// Returns the values of the statement's row, from a column on; `nil` if one value is `NULL`.
    ///
    /// `NULL` equals no value, in SQLite's unique indexes as well.
    func values(startingAt column: Int) -> Values? {
      var reader = RowReader(statement, startingAt: column)
      let values = constraint.properties.map { _ -> StoreValue in
        let value = reader.value()
        // A column may keep a whole number as an integer or as a real (CD-5). SQLite treats the two as equal.
        if case .real(let number) = value, let whole = Int64(exactly: number) { return .integer(whole) }
        return value
      }
      return values.contains(.null) ? nil : Values(index: index, values: values)
    }
  }

  /// A kind of constraint of one table, whose values of updated rows the resolver has already noted.
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

  /// Tells whether a match needs the keys of other rows, because the unique values include a relationship.
  mutating func dependsOnKeys(_ insertion: ChangeSet.Insertion, _ entity: EntityLayout) throws -> Bool {
    try lookups(insertion, entity).contains { $0.hasKey }
  }

  /// Returns the row that has an insertion's unique values; `nil` if the insertion makes a new row.
  ///
  /// Insertions that depend on keys come after all others.
  /// - Throws: ``SaveError/notUnique(entity:properties:clashes:)`` if the policy is to fail, or if the row is of another entity.
  mutating func match(
    _ insertion: ChangeSet.Insertion, _ entity: EntityLayout, _ policy: ChangeSet.DuplicatePolicy
  ) throws -> Match? {
    let lookups = try lookups(insertion, entity)
    pending.removeAll(keepingCapacity: true)
    guard !lookups.isEmpty else { return nil }
    try noteUpdates(of: entity.table, withKeys: false)
    if lookups.contains(where: \.hasKey) { try noteUpdates(of: entity.table, withKeys: true) }
    var match: Match?
    var taken: [String] = []
    for lookup in lookups {
      try RowBinder.bind(
        insertion.source, lookup.columns, to: lookup.statement, width: lookup.width, entity: entity)
      guard try lookup.statement.step() else { continue }
      defer { lookup.statement.reset() }
      guard let values = lookup.values(startingAt: 3) else { continue }
      pending.append(values)
      guard match == nil else { continue }
      match = try noted(values) ?? stored(lookup, entity)
      taken = lookup.constraint.properties
    }
    guard var match else { return nil }
    guard match.object.entity == insertion.entity, policy != .fail else {
      throw SaveError.notUnique(entity: entity.name, properties: taken)
    }
    let found = match
    if policy == .keep { return found }
    match.isCounted = true
    match.overwrites = overwrites[match.object, default: 0] + 1
    overwrites[match.object] = match.overwrites
    written[match.object, default: []].formUnion(insertion.columns.map(\.propertyName))
    for values in pending { rows[values] = match }
    return found
  }

  /// Remembers the values of the last insertion that the caller passed to ``match(_:_:)``, which makes a new row.
  mutating func willInsert(_ object: ObjectKey) {
    for values in pending { rows[values] = Match(object: object, version: 1, isCounted: true) }
    pending.removeAll(keepingCapacity: true)
  }

  /// Returns the row of this save that has the values and has not received other values since.
  private func noted(_ values: Values) -> Match? {
    guard let match = rows[values], match.overwrites == overwrites[match.object, default: 0] else { return nil }
    return match
  }

  /// Returns the stored row that the look-up found.
  ///
  /// Returns `nil` if this save deletes the row or has changed its unique values.
  private func stored(_ lookup: Lookup, _ entity: EntityLayout) throws -> Match? {
    guard !lookup.statement.isNull(0) else { return nil }
    let object = ObjectKey(
      entity: Int32(clamping: lookup.statement.integer(1)), key: lookup.statement.integer(0))
    guard !deleted.contains(object) else { return nil }
    let changed = written[object]
    if let changed, !changed.isDisjoint(with: lookup.constraint.propertyNames) { return nil }
    let version = lookup.statement.integer(2)
    guard version < Int64.max else { throw DamagedCounter.outOfVersions(entity: entity.name) }
    return Match(object: object, version: version + 1, isCounted: changed != nil)
  }

  /// Notes the unique values that the updated rows of a table will have.
  ///
  /// The save compares insertions with these values, because they are the values after the save.
  /// - Parameter withKeys: `true` for constraints that include a relationship, which may refer to inserted rows;
  ///   `false` for all other constraints.
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
        // The save reports a version that cannot grow when it writes the row.
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
      try makeLookup(constraint, entity, given: constraint.propertyNames, SaveStatement.rowOfUniqueValues)
    }
  }

  private mutating func makeUpdateLookups(_ shape: Shape, _ entity: EntityLayout) throws -> [Lookup] {
    let changed = Set(shape.columns.map(\.propertyName))
    return try UniquenessConstraint.touching(changed, of: entity, in: layout).compactMap { constraint in
      try makeLookup(
        constraint, entity, given: constraint.propertyNames.filter(changed.contains), SaveStatement.uniqueValuesOfRow)
    }
  }

  /// Prepares the look-up of a constraint.
  ///
  /// - Parameter given: the constraint's properties that a source binds, each in its width. Of a composite the look-up takes only the
  ///   elements that the constraint names.
  private mutating func makeLookup(
    _ constraint: UniquenessConstraint, _ entity: EntityLayout, given: [String],
    _ sql: (EntityLayout, [SaveStatement.UniqueColumn], Int) -> String
  ) throws -> Lookup? {
    var placeholders: [Identifier: Int] = [:]
    var width = 0
    var hasKey = false
    for name in given {
      switch entity.property(named: name) {
      case .attribute(let attribute)?:
        for (index, column) in attribute.columns.enumerated() { placeholders[column.name] = width + index + 1 }
        width += attribute.columns.count
      case .toOne(let relationship)?:
        hasKey = true
        placeholders[relationship.key] = width + 1
        width += 2
      case .toMany?, nil: break
      }
    }
    var columns: [SaveStatement.UniqueColumn] = []
    for path in constraint.properties {
      guard let column = entity.column(ofPath: path) else { return nil }
      columns.append(.init(name: column, placeholder: placeholders[column]))
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
