import ManagedModel
import PostgreSQL
import StoreRequests

/// Carries out the batch changes of a save by statements over whole tables, inside the save's transaction.
///
/// Rows, versions and history are the same as after the change of each object; only the order of the history's changes may differ.
/// The version of a row grows once per save. The keys of the changed rows are kept in memory, as the save's result has them.
struct BatchWriter {
  let connection: Connection
  let layout: StoreLayout
  /// The deleted rows of each hierarchy.
  private var deleted: [Int: [ObjectKey]] = [:]
  private var updated = BatchUpdates()
  private var tombstones: [ObjectKey: String] = [:]
  private var links: [BatchLink]?

  init(_ connection: Connection, _ layout: StoreLayout) {
    self.connection = connection
    self.layout = layout
  }

  // MARK: Deletion

  /// Deletes the selected rows and applies the delete rules of their relationships.
  ///
  /// Cost: one statement per cascading relationship and step of the cascade, and a few per relationship.
  /// - Throws: ``BatchRefusal`` if a rule denies the deletion, or if a relationship would lack a required object. Also if the server
  ///   cannot decide whether to delete a row.
  mutating func delete(_ selection: BatchSelection) throws { try delete(lockedRows(selection)) }

  /// Deletes rows and applies the delete rules of their relationships; see ``delete(_:)``.
  mutating func delete(_ rows: [ObjectKey]) throws {
    var known = deleted.mapValues { Set($0.map(\.key)) }
    var own: [Int: [ObjectKey]] = [:]
    var step = try new(rows, &known)
    while !step.isEmpty {
      own.merge(step) { $0 + $1 }
      var reached: [ObjectKey] = []
      for link in try allLinks() where link.relationship.deleteRule == .cascade {
        let owners = keys(of: step, link)
        if !owners.isEmpty {
          reached += try self.rows(link.members(selecting: identity) + " FOR UPDATE OF m", [.integers(owners)])
        }
      }
      step = try new(reached, &known)
    }
    deleted.merge(own) { $0 + $1 }
    for link in try allLinks() where link.relationship.deleteRule == .deny {
      if try hasRow(link.survivor, keys(of: own, link), link) {
        throw BatchRefusal.denied(entity: link.owner.name, relationship: link.relationship.name)
      }
    }
    try refuseMissingDestinations(own)
    let released = try allLinks().filter { $0.relationship.deleteRule == .nullify }
    try remove(own, releasing: released)
  }

  /// Deletes all rows of entities, without their subentities, and applies no delete rule.
  ///
  /// Cost: a few statements per entity and relationship.
  /// - Throws: ``BatchRefusal`` if a row that stays would lack a required object.
  mutating func empty(_ entityNames: [String]) throws {
    var known = deleted.mapValues { Set($0.map(\.key)) }
    var own: [Int: [ObjectKey]] = [:]
    for name in entityNames {
      own.merge(try new(lockedRows(BatchSelection(entityName: name, includesSubentities: false)), &known)) { $0 + $1 }
    }
    deleted.merge(own) { $0 + $1 }
    try refuseMissingDestinations(own)
    let emptied = Set(try entityNames.map { try layout.entities.existingEntity($0).number })
    let released = try allLinks().filter { !emptied.isSuperset(of: $0.destination.kindNumbers) }
    try remove(own, releasing: released)
  }

  /// Deletes the rows.
  ///
  /// - Parameter released: the relationships whose members give up the rows. A member that requires its owner refuses the deletion.
  private mutating func remove(_ own: [Int: [ObjectKey]], releasing released: [BatchLink]) throws {
    for link in released {
      let owners = keys(of: own, link)
      if !owners.isEmpty { try release(link, owners) }
    }
    for hierarchy in own.keys.sorted() {
      let rows = own[hierarchy] ?? []
      for (object, text) in try Tombstone.texts(of: rows, over: connection, layout) { tombstones[object] = text }
      let table = layout.tables[hierarchy].sql
      try connection.run(
        "DELETE FROM \(table) WHERE \(TableLayout.key) IN (SELECT unnest($1::bigint[]))", [.integers(rows.map(\.key))])
      updated.remove(rows, hierarchy: hierarchy)
    }
  }

  /// Selects the rows and locks them against changes of other transactions.
  private func lockedRows(_ selection: BatchSelection) throws -> [ObjectKey] {
    let entity = try layout.entities.existingEntity(selection.entityName)
    var printer = QueryPrinter(layout)
    let row = printer.open(.root, over: entity)
    let condition = try BatchCondition(selection, on: row, &printer)
    let source = printer.close(.root)
    try refuse(condition.doubt(from: source, printer.parameters), entity)
    return try rows(
      "SELECT \(identity(layout.table(of: entity), row.alias))\nFROM \(source)\(SelectStatement.filter(condition.terms))"
        + "\nORDER BY \(row.key) FOR UPDATE OF \(row.alias)", printer.parameters)
  }

  /// Refuses the change if the statement returns a row, so that the framework changes the objects in memory.
  private func refuse(_ doubt: SelectStatement?, _ entity: StoreEntity) throws {
    guard let doubt, try connection.run(doubt.sql, doubt.parameters).rowCount > 0 else { return }
    throw BatchRefusal.unsupported(entity: entity.name, property: "")
  }

  /// Lets the members that are not deleted give up their owners, which are deleted.
  private mutating func release(_ link: BatchLink, _ owners: [Int64]) throws {
    guard let inverse = link.inverse else { return }
    if inverse.isToMany ? inverse.minimumCount > 0 : !inverse.isOptional,
      try hasRow(link.releasedMember, owners, link)
    {
      throw BatchRefusal.required(entity: link.destination.name, relationship: inverse.name)
    }
    let others = updated.keys(hierarchy: link.destination.hierarchy)
    let version = "\(TableLayout.version) = m.\(TableLayout.version) + " + (others.isEmpty ? "1" : link.isNew(in: 3))
    let times = layout.rowDerivations(of: link.destination).compactMap { derivation -> String? in
      if case .now = derivation.source { "\(derivation.column.name) = clock_timestamp()" } else { nil }
    }
    let assignments = (link.clearedColumns.map { "\($0) = NULL" } + times + [version]).joined(separator: ", ")
    let result = try connection.run(
      "UPDATE \(link.destinationTable.sql) m SET \(assignments) WHERE \(link.released) RETURNING \(identity(link.destinationTable))",
      [.integers(owners), .integers(deletedKeys(link.destination.hierarchy))]
        + (others.isEmpty ? [] : [.integers(others)]))
    updated.add(objects(result), [inverse.name], hierarchy: link.destination.hierarchy)
  }

  /// Refuses the deletion of rows that other rows require by a relationship without an inverse.
  private func refuseMissingDestinations(_ own: [Int: [ObjectKey]]) throws {
    for entity in layout.entities.entities {
      for requirement in try entity.properties.compactMap({ try BatchRequirement($0, of: entity, in: layout) }) {
        let kinds = requirement.destination.kindNumbers
        let keys = (own[requirement.destination.hierarchy] ?? []).filter { kinds.contains($0.entity) }.map(\.key)
        guard !keys.isEmpty else { continue }
        let deleted = deletedKeys(requirement.owner.hierarchy)
        if try connection.run(requirement.survivor, [.integers(keys), .integers(deleted)]).rowCount > 0 {
          throw BatchRefusal.required(entity: entity.name, relationship: requirement.name)
        }
      }
    }
  }

  private mutating func allLinks() throws -> [BatchLink] {
    if let links { return links }
    let all = try layout.entities.entities.flatMap { entity in
      try entity.properties.compactMap { try BatchLink($0, of: entity, in: layout) }
    }
    links = all
    return all
  }

  /// The keys of rows that have a relationship.
  private func keys(of rows: [Int: [ObjectKey]], _ link: BatchLink) -> [Int64] {
    (rows[link.owner.hierarchy] ?? []).filter { link.owner.kindNumbers.contains($0.entity) }.map(\.key)
  }

  /// Rows that are not known yet, by hierarchy.
  private func new(_ rows: [ObjectKey], _ known: inout [Int: Set<Int64>]) throws -> [Int: [ObjectKey]] {
    var result: [Int: [ObjectKey]] = [:]
    for row in rows {
      let hierarchy = try layout.existingEntity(row.entity).hierarchy
      if known[hierarchy, default: []].insert(row.key).inserted { result[hierarchy, default: []].append(row) }
    }
    return result
  }

  private func deletedKeys(_ hierarchy: Int) -> [Int64] { (deleted[hierarchy] ?? []).map(\.key) }

  // MARK: Update

  /// Sets attributes of the selected rows, all from the values that the rows have before.
  ///
  /// Cost: one statement. One more if the server cannot decide the condition for each row. One more for each value that may not be
  /// computable for some row.
  /// - Throws: ``BatchRefusal`` if a value cannot be computed for a row, or if the server cannot decide about a row.
  mutating func update(_ selection: BatchSelection, _ assignments: [BatchAssignment]) throws {
    let entity = try layout.entities.existingEntity(selection.entityName)
    let statement = try BatchUpdateStatement(selection, assignments, of: entity, in: layout)
    try refuse(statement.doubt, entity)
    for (attribute, check) in statement.checks {
      if try connection.run(check.sql, check.parameters).rowCount > 0 {
        throw BatchRefusal.incomputable(entity: entity.name, attribute: attribute)
      }
    }
    let table = layout.table(of: entity)
    let others = updated.keys(hierarchy: entity.hierarchy)
    let result = try connection.run(
      statement.sql(isFirst: others.isEmpty, returning: identity(table, "t")),
      statement.parameters + (others.isEmpty ? [] : [.integers(others)]))
    updated.add(objects(result), Set(assignments.map(\.attribute)), hierarchy: entity.hierarchy)
  }

  // MARK: Results

  /// The changed rows: deleted rows, and updated rows that are not deleted.
  var result: (deleted: [ObjectKey], updated: [ObjectKey]) {
    (
      deleted.values.flatMap(\.self).sorted(by: Self.isBefore),
      updated.all.map(\.object).sorted(by: Self.isBefore)
    )
  }

  /// Adds names to the changed properties of a row that a batch change has updated.
  mutating func add(_ names: [String], to object: ObjectKey) {
    guard let hierarchy = try? layout.existingEntity(object.entity).hierarchy else { return }
    updated.add([object], Set(names), hierarchy: hierarchy)
  }

  /// Records the changes.
  func record(_ history: inout HistoryWriter) {
    for (object, properties) in updated.all.sorted(by: { Self.isBefore($0.object, $1.object) }) {
      history.add(.update, object, properties: properties.sorted())
    }
    for object in result.deleted { history.add(.delete, object, tombstone: tombstones[object]) }
  }

  private static func isBefore(_ left: ObjectKey, _ right: ObjectKey) -> Bool {
    (left.entity, left.key) < (right.entity, right.key)
  }

  // MARK: Statements

  /// The key and the entity's number of a row.
  private func identity(_ table: TableLayout) -> String { identity(table, "m") }

  private func identity(_ table: TableLayout, _ alias: String) -> String {
    "\(alias).\(TableLayout.key), \(table.number(of: alias))"
  }

  private func rows(_ sql: String, _ parameters: [Parameter]) throws -> [ObjectKey] {
    objects(try connection.run(sql, parameters))
  }

  private func objects(_ result: QueryResult) -> [ObjectKey] {
    (0..<result.rowCount).map { row in
      ObjectKey(entity: Int32(truncatingIfNeeded: result.integer(row, 1)), key: result.integer(row, 0))
    }
  }

  private func hasRow(_ sql: String, _ owners: [Int64], _ link: BatchLink) throws -> Bool {
    guard !owners.isEmpty else { return false }
    let keys = deletedKeys(link.destination.hierarchy)
    return try connection.run(sql, [.integers(owners), .integers(keys)]).rowCount > 0
  }
}
