package import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// Carries out the batch changes of a save by statements over whole tables, inside the save's transaction.
///
/// It collects the keys of deleted and updated rows in temporary tables. Rows and history are the same as after the change of
/// each object; only the order of the history's changes may differ. The versions of rows grow once per save.
struct BatchWriter {
  let connection: Connection
  let layout: StoreLayout
  /// Whether the save records history, which needs the bitmaps of updated rows.
  let isRecording: Bool
  /// Whether triggers of other programs may skip rows without an error.
  let maySkipRows: Bool
  /// The tables of the hierarchies in use, in the order of their first use.
  private(set) var tables: [BatchTable] = []
  private var links: [BatchMembers]?
  private var knownRequirements: [BatchRequirement]?

  init(_ connection: Connection, _ layout: StoreLayout, isRecording: Bool, maySkipRows: Bool) {
    self.connection = connection
    self.maySkipRows = maySkipRows
    self.layout = layout
    self.isRecording = isRecording
  }

  /// Registers the function of the statements with a connection.
  static func register(on connection: Connection) throws {
    try connection.registerFunction(BatchTable.uniteBits, argumentCount: 2) { arguments in
      guard let old = arguments.blob(0), let new = arguments.blob(1) else { return .null }
      return .blob(Data(zip(old, new).map { $0 | $1 }))
    }
  }

  // MARK: Deletion

  /// Deletes the selected rows and applies the delete rules of their relationships.
  ///
  /// Cost: one statement per cascading relationship and step of the cascade, and a few per relationship.
  /// - Throws: ``BatchRefusal`` for a denied deletion, and if a relationship would lack a required object.
  mutating func delete(_ selection: BatchSelection, history: inout HistoryWriter) throws {
    let seed = try SelectStatement.keys(selection.request, in: layout)
    try delete(layout.existingEntity(selection.entityName), keys: seed.sql, seed.bindings, history: &history)
  }

  /// Deletes rows of an entity's hierarchy, as ``delete(_:history:)`` does.
  ///
  /// - Parameter keys: the query of their keys and entities.
  mutating func delete(
    _ entity: EntityLayout, keys: String, _ bindings: [StoreValue] = [], history: inout HistoryWriter
  ) throws {
    let root = try open(entity)
    let start = try lastOrdinals(\.deleted)
    try run("INSERT OR IGNORE INTO \(root.deleted) (Z_PK, Z_ENT) \(keys)", bindings)
    try cascade(from: start)
    let rows = try DeletedRanges(lastOrdinals(\.deleted), after: start)
    try refuseSurvivors(of: rows)
    let released = try members().filter { $0.relationship.deleteRule == .nullify }
    try remove(rows, releasing: released, history: &history)
  }

  /// Deletes all rows of entities, without their subentities, and applies no delete rule.
  ///
  /// Cost: a few statements per entity and relationship.
  mutating func empty(_ entityNames: [String], history: inout HistoryWriter) throws {
    let start = try lastOrdinals(\.deleted)
    var emptied: Set<Int32> = []
    for name in entityNames {
      let entity = try layout.existingEntity(name)
      let table = try open(entity)
      emptied.insert(Int32(entity.number))
      let keys = try SelectStatement.keys(FetchRequest(entityName: name, includesSubentities: false), in: layout)
      try run("INSERT OR IGNORE INTO \(table.deleted) (Z_PK, Z_ENT) \(keys.sql)", keys.bindings)
    }
    let rows = try DeletedRanges(lastOrdinals(\.deleted), after: start)
    try refuseMissingDestinations(of: rows)
    let released = try members().filter { link in
      !link.destination.kindNumbers.allSatisfy { emptied.contains(Int32($0)) }
    }
    try remove(rows, releasing: released, history: &history)
  }

  /// Throws if rows that stay deny the deletion, or require a deleted row.
  private mutating func refuseSurvivors(of rows: DeletedRanges) throws {
    for link in try members() where link.relationship.deleteRule == .deny {
      guard let range = rows[link.ownerTable] else { continue }
      try open(link.destination)
      if try hasRow(link.survivor, range.first, range.last) {
        throw BatchRefusal.denied(entity: link.owner.name, relationship: link.relationship.name)
      }
    }
    try refuseMissingDestinations(of: rows)
  }

  /// Throws if rows that stay require a deleted row by a relationship without an inverse.
  private mutating func refuseMissingDestinations(of rows: DeletedRanges) throws {
    for requirement in try requirements() {
      guard let range = rows[requirement.destinationTable] else { continue }
      try open(requirement.owner)
      if try hasRow(requirement.survivor, range.first, range.last) {
        throw BatchRefusal.required(
          entity: requirement.owner.name, relationship: requirement.relationship.description.name)
      }
    }
  }

  /// Deletes the rows, with their pairs and the keys that lead to them.
  ///
  /// - Parameter released: the relationships whose members give up the rows. A member that requires its owner refuses the deletion.
  private mutating func remove(
    _ rows: DeletedRanges, releasing released: [BatchMembers], history: inout HistoryWriter
  ) throws {
    guard !rows.isEmpty else { return }
    let updatedBefore = try lastOrdinals(\.updated)
    func apply(_ change: RowChange, _ link: BatchMembers) throws {
      if let range = rows[link.ownerTable] { try run(change, range.first, range.last, of: link.destination) }
    }
    var clearings: [(change: RowChange, link: BatchMembers)] = []
    for link in released {
      guard let inverse = link.inverse, let range = rows[link.ownerTable] else { continue }
      try open(link.destination)
      let toOne = inverse.isToMany ? nil : try layout.toOne(inverse.name, of: link.destination)
      if inverse.isToMany ? inverse.minimumCount > 0 : !inverse.isOptional,
        try hasRow(link.releasedMember(toOne), range.first, range.last)
      {
        throw BatchRefusal.required(entity: link.destination.name, relationship: inverse.name)
      }
      try run(
        link.release(toOne, bits: bits(of: inverse.name, toOne, in: link.destination)), range.first, range.last)
      guard let toOne else { continue }
      // One side of a one-to-one relationship is found through the deleted row.
      if link.relationship.isToMany {
        clearings.append((link.clearKeys(toOne), link))
      } else {
        try apply(link.clearKeys(toOne), link)
      }
    }
    for (table, range) in rows.sorted {
      for entity in layout.entities where entity.table == table.table && !entity.tombstoneAttributes.isEmpty {
        try history.willDelete(from: table, range.first, range.last, of: entity)
      }
    }
    for link in try members() { for change in link.cleanUp { try apply(change, link) } }
    for (table, range) in rows.sorted {
      guard let entity = layout.entity(numbered: table.rootNumber) else { continue }
      try run(table.deleteRows, range.first, range.last, of: entity)
    }
    for clearing in clearings { try apply(clearing.change, clearing.link) }
    for (table, _) in rows.sorted { try connection.statement(table.forgetDeleted).run() }
    try bumpVersions(after: updatedBefore)
  }

  /// Adds the rows that cascades reach, step by step, until a step adds none.
  private mutating func cascade(from start: [BatchTable: Int64]) throws {
    let links = try members().filter { $0.relationship.deleteRule == .cascade }
    var first = start
    while true {
      let last = try lastOrdinals(\.deleted)
      guard last.contains(where: { $0.value > first[$0.key] ?? 0 }) else { return }
      for link in links {
        guard let end = last[link.ownerTable], end > first[link.ownerTable] ?? 0 else { continue }
        try open(link.destination)
        try run(link.cascade, first[link.ownerTable] ?? 0, end)
      }
      first = last
    }
  }

  /// The relationships of all entities, each at the entity that declares it.
  private mutating func members() throws -> [BatchMembers] {
    if let links { return links }
    let all = try layout.entities.flatMap { entity in
      try entity.properties.filter { $0.declaringEntityName == entity.name }.compactMap {
        try BatchMembers($0, of: entity, in: layout)
      }
    }
    links = all
    return all
  }

  /// The required relationships without an inverse, each at the entity that declares it.
  private mutating func requirements() throws -> [BatchRequirement] {
    if let knownRequirements { return knownRequirements }
    let all = try layout.entities.flatMap { entity in
      try entity.properties.filter { $0.declaringEntityName == entity.name }.compactMap {
        try BatchRequirement($0, of: entity, in: layout)
      }
    }
    knownRequirements = all
    return all
  }

  // MARK: Updated rows

  /// SQL for the bitmap of a changed relationship in rows `m`.
  private func bits(of property: String, _ toOne: ToOneLayout?, in entity: EntityLayout) -> String {
    guard isRecording else { return "NULL" }
    return perEntity(entity) { concrete in
      let slots = ChangeBitmap.slots(of: property, in: concrete)
      let bitmap = ChangeBitmap(concrete)
      let plain = bitmap.bytes(slots).sqlLiteral
      guard let column = toOne?.entityColumn else { return plain }
      return
        "CASE WHEN m.\(column) IS NULL THEN \(plain) ELSE \(bitmap.bytes(slots + [.entityColumn(property)]).sqlLiteral) END"
    }
  }

  /// SQL for the bitmap of changed attributes in rows `m`.
  func bits(of attributes: [String], in entity: EntityLayout) -> String {
    guard isRecording else { return "NULL" }
    return perEntity(entity) { concrete in
      ChangeBitmap(concrete).bytes(attributes.flatMap { ChangeBitmap.slots(of: $0, in: concrete) }).sqlLiteral
    }
  }

  /// SQL for a value that differs between the entities of rows `m`.
  private func perEntity(_ entity: EntityLayout, _ value: (EntityLayout) -> String) -> String {
    let concrete = entity.kindNumbers.compactMap { layout.entity(numbered: $0) }
    if concrete.count == 1, let only = concrete.first { return value(only) }
    return "CASE m.Z_ENT " + concrete.map { "WHEN \($0.number) THEN \(value($0))" }.joined(separator: " ") + " END"
  }

  /// Increments the versions of the rows that no earlier change of the save has updated, and sets their time of change.
  func bumpVersions(after ordinals: [BatchTable: Int64]) throws {
    for table in tables {
      guard let entity = layout.entity(numbered: table.rootNumber) else { continue }
      try refuseLastVersions(in: table, entity)
      let times = layout.entities.filter { $0.table == table.table }.map { ($0.number, $0.timeAssignments) }
      let first = ordinals[table] ?? 0
      if times.allSatisfy({ $0.1.isEmpty }) {
        try run(table.bumpVersions("", of: nil), first)
        try checkAreWritten(table.updatedRows(of: nil), first, of: entity)
      } else {
        for (number, assignments) in times {
          try run(table.bumpVersions(assignments, of: [number]), first)
          try checkAreWritten(table.updatedRows(of: [number]), first, of: entity)
        }
      }
    }
  }

  /// Refuses updates of rows whose version cannot grow, which only a damaged store has.
  func refuseLastVersions(in table: BatchTable, _ entity: EntityLayout) throws {
    if try hasRow(table.worstVersion) { throw DamagedCounter.outOfVersions(entity: entity.name) }
  }

  /// Whether a batch change has updated a row.
  func hasUpdated(_ object: ObjectKey, of entity: EntityLayout) throws -> Bool {
    let table = BatchTable(entity)
    guard tables.contains(table) else { return false }
    let statement = try connection.statement(table.isUpdated)
    defer { statement.reset() }
    try statement.bind(object.key, at: 1)
    return try statement.step()
  }

  /// Adds columns to the changed columns of a row that a batch change has updated.
  func add(_ slots: [ChangeBitmap.Slot], to object: ObjectKey, of entity: EntityLayout) throws {
    guard isRecording else { return }
    let statement = try connection.statement(BatchTable(entity).addBits)
    try statement.bind(object.key, at: 1)
    try statement.bind(ChangeBitmap(entity).bytes(slots), at: 2)
    try statement.run()
  }

  // MARK: Results

  /// The rows of all batch changes: deleted rows, and updated rows that are not deleted.
  func result() throws -> (deleted: [ObjectKey], updated: [ObjectKey]) {
    func rows(_ path: KeyPath<BatchTable, String>) throws -> [ObjectKey] {
      var keys: [ObjectKey] = []
      for table in tables {
        let statement = try connection.statement(BatchTable.rows(table[keyPath: path]))
        defer { statement.reset() }
        while try statement.step() {
          keys.append(
            ObjectKey(entity: Int32(truncatingIfNeeded: statement.integer(0)), key: statement.integer(1)))
        }
      }
      // Rows that one statement found mostly arrive in the order of their keys.
      func isAfter(_ left: ObjectKey, _ right: ObjectKey) -> Bool {
        (left.entity, left.key) > (right.entity, right.key)
      }
      let isSorted = !zip(keys, keys.dropFirst()).contains { isAfter($0, $1) }
      return isSorted ? keys : keys.sorted { isAfter($1, $0) }
    }
    return (try rows(\.deleted), try rows(\.updated))
  }

  /// Empties the temporary tables.
  func finish() throws {
    for table in tables { try connection.execute(table.clearing) }
  }

  // MARK: Statements

  /// Makes the temporary tables of an entity's hierarchy.
  @discardableResult
  mutating func open(_ entity: EntityLayout) throws -> BatchTable {
    let table = BatchTable(entity)
    guard !tables.contains(table) else { return table }
    try connection.execute(table.definitions)
    tables.append(table)
    return table
  }

  func lastOrdinals(_ path: KeyPath<BatchTable, String>) throws -> [BatchTable: Int64] {
    var last: [BatchTable: Int64] = [:]
    for table in tables { last[table] = try connection.integer(BatchTable.lastOrdinal(table[keyPath: path])) ?? 0 }
    return last
  }

  private func run(_ sql: String, _ values: [StoreValue]) throws {
    let statement = try connection.statement(sql)
    for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
    try statement.run()
  }

  private func run(_ sql: String, _ numbers: Int64...) throws { try run(sql, numbers.map { .integer($0) }) }

  /// - Throws: ``SaveError/ignored(entity:)`` if a trigger has skipped a row.
  private func run(_ change: RowChange, _ first: Int64, _ last: Int64, of entity: EntityLayout) throws {
    try run(change.sql, first, last)
    if maySkipRows, try hasRow(change.skipped, first, last) { throw SaveError.ignored(entity: entity.name) }
  }

  /// Checks that the last statement has written all rows that a query counts.
  ///
  /// - Throws: ``SaveError/ignored(entity:)`` if a trigger has skipped a row.
  func checkAreWritten(_ count: String, _ numbers: Int64..., of entity: EntityLayout) throws {
    guard maySkipRows else { return }
    let changes = connection.changes
    let statement = try connection.statement(count)
    defer { statement.reset() }
    for (index, value) in numbers.enumerated() { try statement.bind(value, at: index + 1) }
    if try statement.step(), statement.integer(0) > changes { throw SaveError.ignored(entity: entity.name) }
  }

  private func hasRow(_ sql: String, _ numbers: Int64...) throws -> Bool {
    let statement = try connection.statement(sql)
    defer { statement.reset() }
    for (index, value) in numbers.enumerated() { try statement.bind(value, at: index + 1) }
    return try statement.step()
  }
}

/// The rows that one batch change deletes: the first ordinal, exclusive, and the last in each table.
private struct DeletedRanges {
  private var ranges: [BatchTable: (first: Int64, last: Int64)] = [:]

  init(_ last: [BatchTable: Int64], after start: [BatchTable: Int64]) {
    for (table, last) in last where last > start[table] ?? 0 { ranges[table] = (start[table] ?? 0, last) }
  }

  var isEmpty: Bool { ranges.isEmpty }
  subscript(_ table: BatchTable) -> (first: Int64, last: Int64)? { ranges[table] }
  /// In the order of the entities.
  var sorted: [(table: BatchTable, range: (first: Int64, last: Int64))] {
    ranges.sorted { $0.key.rootNumber < $1.key.rootNumber }.map { ($0.key, $0.value) }
  }
}

extension EntityLayout {
  /// Whether an attribute has the time of the last change.
  var hasTimeOfChange: Bool { !timeAssignments.isEmpty }

  /// `, column = value` for each attribute that has the time of the last change.
  fileprivate var timeAssignments: String {
    columnsOfTimes.compactMap { time in ComputedColumn.now.sql { _ in nil }.map { ", \(time.name) = \($0)" } }.joined()
  }

  /// The columns of the attributes that have the time of the last change.
  var columnsOfTimes: [(entityName: String, property: String, table: Identifier, name: Identifier)] {
    properties.compactMap { property in
      guard case .attribute(let attribute) = property, attribute.description.derivation != nil,
        let column = attribute.column, case .now? = ComputedColumn(attribute, of: self)
      else { return nil }
      return (name, attribute.description.name, table, column.name)
    }
  }
}

extension Data {
  /// The bytes as an SQL literal.
  package var sqlLiteral: String {
    "x'" + map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "'"
  }
}
