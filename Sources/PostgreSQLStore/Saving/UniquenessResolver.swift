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

  /// The values of a constraint, in a form that equal values share.
  private struct Values: Hashable {
    let constraint: Identifier
    let forms: [[UInt8]]
  }

  /// A constraint of an entity, with the properties that a source binds for it.
  private struct Lookup {
    let constraint: UniqueConstraint
    let columns: [ColumnSelection]
    let places: [ColumnLayout?]
    let hasKey: Bool
  }

  private let connection: Connection
  private let layout: StoreLayout
  private let changes: ChangeSet
  private let deleted: Set<ObjectKey>
  /// The properties that this save has written so far, by stored row.
  private var written: [ObjectKey: Set<String>]
  /// The look-ups of each insertion.
  private var lookups: [[Lookup]] = []
  /// Stored rows by their unique values.
  private var stored: [Values: (object: ObjectKey, version: Int64)] = [:]
  /// Rows of this save by their unique values.
  private var rows: [Values: Match] = [:]
  /// How many insertions have overwritten each row. Unique values that were noted with a smaller number are no longer the row's.
  private var overwrites: [ObjectKey: Int] = [:]
  /// The unique values of the insertion that was matched last.
  private var pending: [Values] = []
  private var hasNotedKeys = false

  init(_ changes: ChangeSet, connection: Connection, layout: StoreLayout) throws {
    self.changes = changes
    self.connection = connection
    self.layout = layout
    deleted = Set(changes.deletions.map(\.object))
    written = Dictionary(
      changes.updates.map { ($0.object, Set($0.columns.map(\.propertyName))) }, uniquingKeysWith: { $0.union($1) })
    var known: [RowShape: [Lookup]] = [:]
    for insertion in changes.insertions {
      let shape = RowShape(entity: insertion.entity, columns: insertion.columns)
      let own = try known[shape] ?? makeLookups(shape)
      known[shape] = own
      lookups.append(own)
    }
    guard lookups.contains(where: { !$0.isEmpty }) else { return }
    try noteUpdates(withKeys: false)
    try findStored(lookups.indices.filter { !dependsOnKeys($0) })
  }

  /// Whether a match needs the keys of other rows, because the unique values include a relationship.
  func dependsOnKeys(_ insertion: Int) -> Bool { lookups[insertion].contains(where: \.hasKey) }

  private func constraints(of entity: StoreEntity) -> [UniqueConstraint] {
    layout.table(of: entity).uniqueConstraints.filter { entity.lineage.contains($0.entity.name) }
  }

  private func makeLookups(_ shape: RowShape) throws -> [Lookup] {
    let entity = try layout.existingEntity(shape.entity)
    let bound = Set(shape.columns.map(\.propertyName))
    return try constraints(of: entity).filter { bound.isSuperset(of: $0.properties) }.map { constraint in
      let columns = constraint.properties.map { ColumnSelection(entityName: entity.name, propertyName: $0) }
      return Lookup(
        constraint: constraint, columns: columns, places: try layout.columns(columns, of: entity),
        hasKey: constraint.properties.contains { if case .toOne = entity.property(named: $0) { true } else { false } })
    }
  }

  /// The values that a source binds; `nil` if one of them is `NULL`, which equals no value.
  private func values(_ source: any RowSource, _ lookup: Lookup, _ entity: StoreEntity) throws -> Values? {
    let sink = RowSink(lookup.places)
    try RowBinder.bind(source, lookup.columns, to: sink, width: lookup.places.count, entity: entity)
    let forms = zip(lookup.places, sink.forms).compactMap { place, form in place.map { ($0.type, form) } }
    let known = forms.compactMap { type, form in form.map { type.equalForm($0) } }
    return known.count == forms.count ? Values(constraint: lookup.constraint.name, forms: known) : nil
  }

  /// Different unique values of some insertions, in the order of the insertions.
  private struct Wanted {
    let lookup: Lookup
    var values: [Values] = []
    var known: Set<Values> = []
  }

  /// Finds the stored rows that have the unique values of some insertions, and locks them until the end of the save.
  private mutating func findStored(_ insertions: [Int]) throws {
    var wanted: [Identifier: Wanted] = [:]
    for index in insertions {
      let entity = try layout.existingEntity(changes.insertions[index].entity)
      for lookup in lookups[index] {
        guard let values = try values(changes.insertions[index].source, lookup, entity) else { continue }
        let name = lookup.constraint.name
        if wanted[name, default: Wanted(lookup: lookup)].known.insert(values).inserted {
          wanted[name]?.values.append(values)
        }
      }
    }
    for (_, wanted) in wanted.sorted(by: { $0.key.name < $1.key.name }) { try findStored(wanted) }
  }

  /// Nobody may change or delete a row that an insertion will overwrite, or delete a row that stands for an insertion.
  private var lock: String {
    switch changes.duplicates {
    case .overwrite: " FOR NO KEY UPDATE OF t"
    case .keep: " FOR KEY SHARE OF t"
    case .fail: ""
    }
  }

  private mutating func findStored(_ wanted: Wanted) throws {
    let constraint = wanted.lookup.constraint
    let table = layout.table(of: constraint.entity)
    var arrays = constraint.columns.map { ParameterArray($0.type) }
    for values in wanted.values {
      for (index, form) in values.forms.enumerated() { arrays[index].append { $0 += form } }
    }
    let names = arrays.indices.map { "c\($0)" }
    let casts = zip(arrays.indices, constraint.columns).map { "$\($0 + 1)::\($1.type.sql)[]" }
    let equal = zip(constraint.columns, names).map { "t.\($0.name) = s.\($1)" }
    // The server says which values a row has: equal values may have several forms. Two saves lock rows in one order.
    let found = try connection.run(
      "SELECT s.place, t.\(TableLayout.key), \(table.number(of: "t")), t.\(TableLayout.version) "
        + "FROM unnest(\(casts.joined(separator: ", "))) WITH ORDINALITY s(\(names.joined(separator: ", ")), place) "
        + "JOIN \(table.sql) t ON \(equal.joined(separator: " AND ")) ORDER BY t.\(TableLayout.key)\(lock)",
      arrays.map(\.parameter))
    for row in 0..<found.rowCount {
      let place = Int(found.integer(row, 0)) - 1
      guard wanted.values.indices.contains(place) else { continue }
      stored[wanted.values[place]] = (
        ObjectKey(entity: Int32(truncatingIfNeeded: found.integer(row, 2)), key: found.integer(row, 1)),
        found.integer(row, 3)
      )
    }
  }

  /// The row that has an insertion's unique values; `nil` if the insertion makes a new row.
  ///
  /// Insertions that depend on keys come after all others.
  /// - Throws: ``SaveError/notUnique(entity:properties:)`` if the policy is to fail, or if the row is of another entity.
  mutating func match(_ insertion: Int, _ entity: StoreEntity) throws -> Match? {
    let lookups = lookups[insertion]
    pending.removeAll(keepingCapacity: true)
    guard !lookups.isEmpty else { return nil }
    if lookups.contains(where: \.hasKey) {
      if !hasNotedKeys { try noteUpdates(withKeys: true) }
      hasNotedKeys = true
      try findStored([insertion])
    }
    var match: Match?
    for lookup in lookups {
      guard let values = try values(changes.insertions[insertion].source, lookup, entity) else { continue }
      pending.append(values)
      if match == nil { match = noted(values) ?? stored(values, lookup) }
    }
    guard var match else { return nil }
    guard match.object.entity == entity.number, changes.duplicates != .fail else {
      throw SaveError.notUnique(entity: entity.name, properties: lookups.flatMap(\.constraint.properties))
    }
    let found = match
    if changes.duplicates == .keep { return found }
    match.isCounted = true
    match.overwrites = overwrites[match.object, default: 0] + 1
    overwrites[match.object] = match.overwrites
    written[match.object, default: []].formUnion(changes.insertions[insertion].columns.map(\.propertyName))
    for values in pending { rows[values] = match }
    return found
  }

  /// Notes the unique values of the insertion that was matched last: it makes a new row.
  mutating func willInsert(_ object: ObjectKey) {
    for values in pending { rows[values] = Match(object: object, version: 1, isCounted: true) }
    pending.removeAll(keepingCapacity: true)
  }

  /// The row of this save that has the values and has not received other values since.
  private func noted(_ values: Values) -> Match? {
    guard let match = rows[values], match.overwrites == overwrites[match.object, default: 0] else { return nil }
    return match
  }

  /// The stored row that has the values, unless this save deletes it or changes its unique values.
  private func stored(_ values: Values, _ lookup: Lookup) -> Match? {
    guard let (object, version) = stored[values], !deleted.contains(object) else { return nil }
    let changed = written[object]
    if let changed, !changed.isDisjoint(with: lookup.constraint.properties) { return nil }
    return Match(object: object, version: version + 1, isCounted: changed != nil)
  }

  /// Notes the unique values that updated rows will have.
  ///
  /// - Parameter withKeys: `true` for constraints that include a relationship, which may refer to inserted rows; `false` for all
  ///   other constraints.
  private mutating func noteUpdates(withKeys: Bool) throws {
    for update in changes.updates where !update.columns.isEmpty {
      let entity = try layout.existingEntity(update.object.entity)
      let changed = Set(update.columns.map(\.propertyName))
      for constraint in constraints(of: entity) where !changed.isDisjoint(with: constraint.properties) {
        let columns = constraint.properties.filter(changed.contains).map {
          ColumnSelection(entityName: entity.name, propertyName: $0)
        }
        let hasKey = constraint.properties.contains {
          if case .toOne = entity.property(named: $0) { true } else { false }
        }
        guard hasKey == withKeys else { continue }
        let places = try layout.columns(columns, of: entity)
        let sink = RowSink(places)
        try RowBinder.bind(update.source, columns, to: sink, width: places.count, entity: entity)
        let given = Dictionary(
          zip(places, sink.forms).compactMap { place, form in place.map { ($0.name, form) } },
          uniquingKeysWith: { first, _ in first })
        let names = constraint.columns.map { ", \($0.name)" }.joined()
        let row = try connection.run(
          "SELECT \(TableLayout.version)\(names) FROM \(layout.table(of: entity).sql) WHERE \(TableLayout.key) = $1",
          [.integer(update.object.key)])
        guard row.rowCount == 1 else { continue }
        let forms = constraint.columns.enumerated().compactMap { index, column in
          (given[column.name] ?? row.form(0, 1 + index)).map { column.type.equalForm($0) }
        }
        guard forms.count == constraint.columns.count else { continue }
        rows[Values(constraint: constraint.name, forms: forms)] = Match(
          object: update.object, version: row.integer(0, 0) + 1, isCounted: true)
      }
    }
  }
}

extension QueryResult {
  /// The binary form of a value; `nil` for `NULL`.
  fileprivate func form(_ row: Int, _ column: Int) -> [UInt8]? { bytes(row, column).map { Array($0) } }
}
