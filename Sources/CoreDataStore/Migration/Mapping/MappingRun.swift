import ErrorReporting
import ManagedModel
import SQLite
import StoreRequests

/// Writes the rows of an old store into a new one, entity mapping by entity mapping.
///
/// The old store is attached to the new store's connection as `old`. So each step is one statement, and needs constant memory. The rows
/// come first, with their attributes and the keys that are known already (``MappedKeys``). The other links follow. The indexes come last.
struct MappingRun {
  let resolution: MappingResolution
  let old: PersistentStore
  let state: StoreTransaction
  let new: StoreLayout
  let connection: Connection
  private let rows: MappedRows
  private let links: [[MappedLink]]
  private let keys: MappedKeys
  private var linked = LinkedRows()
  private(set) var report = MappingMigrationReport()
  /// The largest key of each root entity of the new store.
  private var lastKeys: [Int: Int64] = [:]

  init(
    resolution: MappingResolution, old: PersistentStore, state: StoreTransaction, new: StoreLayout,
    connection: Connection
  ) throws {
    self.resolution = resolution
    self.old = old
    self.state = state
    self.new = new
    self.connection = connection
    let rows = MappedRows(resolution, from: state.layout, to: new)
    let links = try resolution.entities.indices.map { try rows.links(of: $0) }
    (self.rows, self.links, keys) = (rows, links, MappedKeys(links, of: rows))
  }

  mutating func run() throws {
    try surveyForeignTables()
    try connection.execute(
      """
      CREATE TEMP TABLE OSD_MAPPED (MAPPING INTEGER, SOURCE INTEGER, DESTINATION INTEGER, PRIMARY KEY (MAPPING, SOURCE)) WITHOUT ROWID;
      CREATE TEMP TABLE OSD_TAKEN (SOURCE INTEGER PRIMARY KEY);
      """)
    defer { try? connection.execute("DROP TABLE temp.OSD_MAPPED; DROP TABLE temp.OSD_TAKEN") }
    let indexes = try dropIndexes()
    for (number, entity) in resolution.entities.enumerated() {
      report.rowCounts.append((entity.mapping.name, try copyRows(of: entity, number)))
    }
    for (entity, links) in links.enumerated() {
      for link in links { try write(link, of: entity) }
    }
    try checkMandatory()
    for index in indexes { try make(index) }
    for (root, last) in lastKeys.sorted(by: { $0.key < $1.key }) {
      try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_ENT = \(root)")
    }
    try leaveHistory()
    try countRowsLeftBehind()
  }

  /// Records the tables that no model describes.
  /// - Throws: ``MigrationError`` for the tables of CloudKit mirroring, which hold entity numbers (CD-8).
  private mutating func surveyForeignTables() throws {
    let catalogue = try Catalogue(state.connection)
    let known = Set(state.layout.tables.map(\.name)).union(state.layout.joinTables.map(\.name))
    for table in catalogue.columns.keys.sorted() where !known.contains(table) {
      if table.name.hasPrefix("ANSCK") {
        let first = resolution.mapping.entityMappings.lazy.compactMap(\.sourceEntityName).first ?? ""
        throw MigrationError(
          obstacle: MigrationObstacle(entity: first, property: nil, reason: .mirrored), rowCount: nil)
      }
      // ``PersistentStore/keepSearchIndexes(of:in:_:)`` notes search indexes.
      if SearchIndexLayout.isName(table.name) { continue }
      if ["Z_", "ACHANGE", "ATRANSACTION", "sqlite_"].contains(where: table.name.hasPrefix) { continue }
      report.tablesLeftBehind.append(table.name)
    }
  }

  // MARK: Rows

  private mutating func copyRows(of entity: MappingResolution.Entity, _ number: Int) throws -> Int {
    guard let source = try rows.source(number), let destination = try rows.destination(number), !destination.isAbstract
    else { return 0 }
    let columns = try columns(of: entity, from: source, to: destination)
    let taken = "old.\(source.table) o WHERE o.Z_ENT = \(source.number)" + (try filter(entity, of: source))
    try checkValues(of: columns, in: taken, destination)
    if rows.isListed[number] { try list(number, taken, destination) }
    let keys = keys.columns(of: number)
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { "\($0.name)" } + keys.map { "\($0.name)" }
    let values =
      [rows.isListed[number] ? "m.DESTINATION" : "o.Z_PK", "\(destination.number)", "1"] + columns.map(\.storedSQL)
      + keys.map(\.sql)
    let olds =
      rows.isListed[number]
      ? "temp.OSD_MAPPED m CROSS JOIN old.\(source.table) o ON o.Z_PK = m.SOURCE WHERE m.MAPPING = \(number) ORDER BY m.SOURCE"
      : "\(taken) ORDER BY o.Z_PK"
    try connection.execute(
      "INSERT INTO main.\(destination.table) (\(names.joined(separator: ", "))) SELECT \(values.joined(separator: ", ")) "
        + "FROM \(olds)")
    let count = Int(connection.changes)
    let largest = try connection.integer("SELECT max(Z_PK) FROM main.\(destination.table)") ?? 0
    lastKeys[destination.rootNumber] = max(lastKeys[destination.rootNumber] ?? 0, largest)
    return count
  }

  /// Lists the old and the new keys of an entity mapping's rows.
  private func list(_ number: Int, _ taken: String, _ destination: EntityLayout) throws {
    let last = lastKeys[destination.rootNumber] ?? 0
    if !rows.keepsKeys[number] {
      let count = try connection.integer("SELECT count(*) FROM \(taken)") ?? 0
      guard !last.addingReportingOverflow(count).overflow else {
        throw DamagedCounter.outOfKeys(entity: destination.name)
      }
    }
    let newKey = rows.keepsKeys[number] ? "o.Z_PK" : "\(last) + row_number() OVER (ORDER BY o.Z_PK)"
    try connection.execute(
      "INSERT INTO temp.OSD_MAPPED SELECT \(number), o.Z_PK, \(newKey) FROM \(taken) ORDER BY o.Z_PK")
  }

  /// The columns of the new rows: values of expressions, and default values of the attributes without one.
  private func columns(
    of entity: MappingResolution.Entity, from source: EntityLayout, to destination: EntityLayout
  ) throws -> [MappedColumn] {
    var columns: [MappedColumn] = []
    var assigned: Set<String> = []
    let printer = MappedValuePrinter(layout: state.layout, mapping: entity.mapping.name)
    for property in entity.properties {
      guard case .mapped(let value) = property.value,
        case .attribute(let attribute)? = destination.property(named: property.property.name),
        attribute.description.derivation == nil, !attribute.description.isTransient
      else { continue }
      columns += try printer.columns(value, of: source, for: attribute)
      assigned.insert(property.property.name)
    }
    for case .attribute(let attribute) in destination.properties where !assigned.contains(attribute.description.name) {
      for column in attribute.columns {
        if let literal = column.attribute.defaultLiteral, attribute.description.derivation == nil {
          columns.append(MappedColumn(name: column.name, sql: literal, attribute: attribute))
        }
      }
    }
    return columns
  }

  /// - Throws: ``MigrationError`` for rows whose values cannot be computed, or do not fit the new types.
  private func checkValues(of columns: [MappedColumn], in taken: String, _ destination: EntityLayout) throws {
    let conditions = columns.flatMap(\.obstacles).map { "(\($0.condition))" }
    guard !conditions.isEmpty,
      try connection.integer("SELECT 1 FROM \(taken) AND (\(conditions.joined(separator: " OR "))) LIMIT 1") != nil
    else { return }
    for column in columns {
      for (condition, reason) in column.obstacles {
        let count = try connection.integer("SELECT count(*) FROM \(taken) AND (\(condition))") ?? 0
        guard count == 0 else {
          throw MigrationError(
            obstacle: MigrationObstacle(
              entity: destination.name, property: column.attribute.description.name, reason: reason),
            rowCount: count)
        }
      }
    }
  }

  /// The condition for the rows that satisfy a filter, whose keys are then in a temporary table; empty without a filter.
  private func filter(_ entity: MappingResolution.Entity, of source: EntityLayout) throws -> String {
    guard let format = entity.mapping.sourceFilter else { return "" }
    let condition: FetchExpression
    do { condition = try FetchExpression(format: format, of: source.name, in: old.entities) } catch {
      throw MappingMigrationError(
        "the filter of the entity mapping \(quoted(entity.mapping.name)) was not understood: \(error)",
        remedy: "write it in a stage that generate-models makes of the mapping model")
    }
    let rows = try state.rows(
      FetchRequest(entityName: source.name, includesSubentities: false, predicate: condition))
    try connection.execute("DELETE FROM temp.OSD_TAKEN")
    let insert = try connection.prepare("INSERT INTO temp.OSD_TAKEN VALUES (?)")
    while try rows.next() {
      try insert.bind(rows.key, at: 1)
      try insert.run()
    }
    return " AND o.Z_PK IN temp.OSD_TAKEN"
  }

  // MARK: Links

  private mutating func write(_ link: MappedLink, of owners: Int) throws {
    if keys.isComplete(link.relationship.name, of: owners), try !link.isOneToOne || isAnswered(link) { return }
    let members = linked.missing(link, of: owners, in: rows)
    guard !members.isEmpty, let pairs = pairs(link.former, of: link.source) else { return }
    try MappedLinkWriter(link, of: owners, in: rows, connection: connection).write(pairs, to: members)
    linked.add(link, of: owners)
  }

  /// Whether the members of a one-to-one relationship have the keys of their owners already.
  private func isAnswered(_ link: MappedLink) throws -> Bool {
    guard case .toOne(let toOne) = link.relationship, let inverse = toOne.inverse,
      case .toOne(let other)? = new.entity(named: inverse.entityName)?.property(named: inverse.description.name)
    else { return false }
    let entity = link.destination.number
    let isOpen =
      "t.\(other.key) IS NOT w.Z_PK" + (other.entityColumn.map { " OR t.\($0) IS NOT \(entity)" } ?? "")
    return try connection.integer(
      "SELECT 1 FROM main.\(link.destination.table) w JOIN main.\(toOne.destinationTable) t ON t.Z_PK = w.\(toOne.key) "
        + "WHERE w.Z_ENT = \(entity) AND (\(isOpen)) LIMIT 1") == nil
  }

  /// The query of owners and members of a relationship in the old store, with the position of the member; `nil` for an attribute.
  private func pairs(_ former: PropertyLayout, of source: EntityLayout) -> MappedPairs? {
    let owners = "old.\(source.table) o"
    let ofEntity = "WHERE o.Z_ENT = \(source.number)"
    switch former {
    case .attribute: return nil
    case .toOne(let toOne):
      return MappedPairs(
        sql: "SELECT o.Z_PK AS OWNER, o.\(toOne.key) AS MEMBER, 0 AS POSITION FROM \(owners) "
          + "\(ofEntity) AND o.\(toOne.key) IS NOT NULL",
        hasOneOwner: false, hasOneMember: true)
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        let order = side.orderColumn.map { "m.\($0)" } ?? "0"
        return MappedPairs(
          sql: "SELECT o.Z_PK AS OWNER, m.Z_PK AS MEMBER, \(order) AS POSITION FROM \(owners) "
            + "JOIN old.\(side.table) m ON m.\(side.key) = o.Z_PK \(ofEntity)",
          hasOneOwner: true, hasOneMember: false)
      case .joinTable(let side):
        let order = side.orderColumn.map { "j.\($0)" } ?? "0"
        return MappedPairs(
          sql: "SELECT o.Z_PK AS OWNER, j.\(side.otherColumn) AS MEMBER, \(order) AS POSITION FROM \(owners) "
            + "JOIN old.\(side.table) j ON j.\(side.ownColumn) = o.Z_PK \(ofEntity)",
          hasOneOwner: false, hasOneMember: false)
      }
    }
  }

  // MARK: Afterwards

  /// Drops the indexes of the new store, which are made faster when the rows are there.
  ///
  /// - Returns: their definitions.
  private func dropIndexes() throws -> [Catalogue.Definition] {
    let indexes = try Catalogue(connection).definitions.filter { $0.kind == "index" && $0.sql != nil }
    for index in indexes { try connection.execute("DROP INDEX main.\(Identifier(index.name))") }
    return indexes
  }

  /// - Throws: ``MigrationError`` if rows have equal unique values.
  private func make(_ index: Catalogue.Definition) throws {
    guard let sql = index.sql else { return }
    do { try connection.execute(sql) } catch let error as SQLiteError
      where error.extendedCode == SQLiteError.uniqueConstraint
    {
      for entity in new.entities where entity.table == Identifier(index.table) {
        guard case SaveError.notUnique(_, let names, _) = UniquenessConstraint.violation(error, of: entity, in: new)
        else {
          continue
        }
        throw MigrationError(
          obstacle: MigrationObstacle(
            entity: entity.name, property: nil, reason: .duplicates(names, of: .mappedProperty)), rowCount: nil)
      }
      throw error
    }
  }

  /// - Throws: ``MigrationError`` for rows without a value that the new model requires.
  private func checkMandatory() throws {
    for entity in new.entities where !entity.isAbstract {
      let columns = entity.properties.compactMap(\.mandatoryColumn)
      let rows = "\(entity.table) WHERE Z_ENT = \(entity.number)"
      // One reading of the table finds whether there is any such row.
      let isMissing = columns.map { "\($0.column) IS NULL" }.joined(separator: " OR ")
      guard !columns.isEmpty, try connection.integer("SELECT 1 FROM \(rows) AND (\(isMissing)) LIMIT 1") != nil else {
        continue
      }
      for missing in columns {
        let count = try connection.integer("SELECT count(*) FROM \(rows) AND \(missing.column) IS NULL") ?? 0
        guard count == 0 else {
          throw MigrationError(
            obstacle: MigrationObstacle(entity: entity.name, property: missing.property, reason: missing.reason),
            rowCount: count)
        }
      }
    }
  }

  /// Goes on with the old store's numbers of transactions, and leaves one out.
  ///
  /// The old transactions name rows by keys that the new store may give to others. A token of the old store then is older than a missing
  /// transaction, so that it has expired.
  private mutating func leaveHistory() throws {
    let form = try HistoryForm(state.connection)
    guard form != .none else { return }
    let numbers = HistoryTables.primaryKeyNames.map { "\($0.number)" }.joined(separator: ", ")
    try connection.execute(
      "INSERT INTO main.Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) "
        + "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX + (Z_ENT = \(HistoryTables.transactionNumber)) FROM old.Z_PRIMARYKEY "
        + "WHERE Z_ENT IN (\(numbers)) AND Z_ENT NOT IN (SELECT Z_ENT FROM main.Z_PRIMARYKEY)")
    report.transactionsLeftBehind = Int(try state.connection.integer("SELECT count(*) FROM ATRANSACTION") ?? 0)
  }

  private mutating func countRowsLeftBehind() throws {
    let taken = Set(resolution.entities.filter { $0.destination != nil }.compactMap { $0.source?.name })
    for entity in state.layout.entities where !entity.isAbstract && !taken.contains(entity.name) {
      let count =
        try state.connection.integer("SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number)") ?? 0
      if count > 0 { report.rowsLeftBehind[entity.name] = Int(count) }
    }
  }
}

extension PropertyLayout {
  /// The column that needs a value in each row; `nil` if there is none.
  fileprivate var mandatoryColumn: (property: String, column: Identifier, reason: MigrationObstacle.Reason)? {
    switch self {
    case .attribute(let attribute):
      guard !attribute.description.isOptional, !attribute.description.isTransient,
        attribute.description.derivation == nil, let column = attribute.column?.name
      else { return nil }
      return (name, column, .missingValue(of: .mappedProperty))
    case .toOne(let toOne):
      return toOne.description.isOptional ? nil : (name, toOne.key, .missingObject(of: .mappedProperty))
    case .toMany: return nil
    }
  }
}
