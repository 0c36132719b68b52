import ErrorReporting
import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// Reads the rows of an old store and writes them into a new one, entity mapping by entity mapping.
///
/// First come all rows with their attributes, then all links. A temporary table knows which row became which.
struct MappingRun {
  let resolution: MappingResolution
  let old: PersistentStore
  let state: StoreTransaction
  let new: StoreLayout
  let connection: Connection
  /// Gives the new rows their files.
  let files: MappedFiles
  private(set) var report = MappingMigrationReport()
  /// The largest key of each root entity of the new store.
  private var lastKeys: [Int: Int64] = [:]

  init(
    resolution: MappingResolution, old: PersistentStore, state: StoreTransaction, new: StoreLayout,
    connection: Connection, files: MappedFiles
  ) {
    self.resolution = resolution
    self.old = old
    self.state = state
    self.new = new
    self.connection = connection
    self.files = files
  }

  mutating func run() throws {
    try surveyForeignTables()
    try connection.execute(
      "CREATE TEMP TABLE Z_MAPPED (MAPPING INTEGER, SOURCE INTEGER, DESTINATION INTEGER, "
        + "PRIMARY KEY (MAPPING, SOURCE)) WITHOUT ROWID")
    defer { try? connection.execute("DROP TABLE temp.Z_MAPPED") }
    for (number, entity) in resolution.entities.enumerated() {
      report.rowCounts.append((entity.mapping.name, try copyRows(of: entity, number)))
    }
    for (number, entity) in resolution.entities.enumerated() { try link(entity, number) }
    try checkMandatory()
    for (root, last) in lastKeys.sorted(by: { $0.key < $1.key }) {
      try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(last) WHERE Z_ENT = \(root)")
    }
    try countRowsLeftBehind()
  }

  /// Notes the tables that no model describes.
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
      if ["Z_", "ACHANGE", "ATRANSACTION", "sqlite_"].contains(where: table.name.hasPrefix) { continue }
      report.tablesLeftBehind.append(table.name)
    }
  }

  // MARK: Rows

  private mutating func copyRows(of entity: MappingResolution.Entity, _ number: Int) throws -> Int {
    guard let source = try layout(entity.source, state.layout), let destination = try layout(entity.destination, new),
      !destination.isAbstract
    else { return 0 }
    let columns = try columns(of: entity, from: source, to: destination)
    let taken = try filter(entity, of: source)
    try checkMisfits(of: columns, in: source, taken, destination)
    let select = try state.connection.prepare(
      "SELECT o.Z_PK\(columns.map { ", " + $0.sql }.joined()) FROM \(source.table) o WHERE o.Z_ENT = \(source.number) "
        + "ORDER BY o.Z_PK")
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + columns.map { "\($0.name)" }
    let insert = try connection.prepare(
      "INSERT INTO \(destination.table) (\(names.joined(separator: ", "))) "
        + "VALUES (?, \(destination.number), 1\(String(repeating: ", ?", count: columns.count)))")
    let note = try connection.prepare("INSERT INTO temp.Z_MAPPED VALUES (\(number), ?, ?)")
    let keepsKeys = self.keepsKeys(entity)
    var count = 0
    while try select.step() {
      let key = select.integer(0)
      if let taken, !taken.contains(key) { continue }
      let newKey = keepsKeys ? key : try nextKey(of: destination)
      lastKeys[destination.rootNumber] = max(lastKeys[destination.rootNumber] ?? 0, newKey)
      try insert.bind(newKey, at: 1)
      for (index, column) in columns.enumerated() {
        if column.isExternal, let stored = select.blob(index + 1) {
          try insert.bind(try files.own(stored), at: index + 2)
        } else {
          try insert.copy(select, index + 1, to: index + 2)
        }
      }
      try insert.run()
      try note.bind(key, at: 1)
      try note.bind(newKey, at: 2)
      try note.run()
      count += 1
    }
    return count
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

  /// - Throws: ``MigrationError`` for rows whose values the new types cannot hold.
  private func checkMisfits(
    of columns: [MappedColumn], in source: EntityLayout, _ taken: Set<Int64>?, _ destination: EntityLayout
  ) throws {
    for column in columns {
      guard let misfits = column.misfits, let type = column.attribute.column?.attribute.type else { continue }
      let rows = try state.connection.prepare(
        "SELECT o.Z_PK FROM \(source.table) o WHERE o.Z_ENT = \(source.number) AND (\(misfits))")
      var count: Int64 = 0
      while try rows.step() { count += taken?.contains(rows.integer(0)) ?? true ? 1 : 0 }
      guard count == 0 else {
        throw MigrationError(
          obstacle: MigrationObstacle(
            entity: destination.name, property: column.attribute.description.name, reason: .outOfRange(type)),
          rowCount: count)
      }
    }
  }

  /// The keys of the rows that a filter lets through; `nil` without a filter.
  private func filter(_ entity: MappingResolution.Entity, of source: EntityLayout) throws -> Set<Int64>? {
    guard let format = entity.mapping.sourceFilter else { return nil }
    let condition: FetchExpression
    do { condition = try FetchExpression(format: format, of: source.name, in: old.entities) } catch {
      throw MappingMigrationError(
        "the filter of the entity mapping \(quoted(entity.mapping.name)) was not understood: \(error)",
        remedy: "write it in a stage that generate-models makes of the mapping model")
    }
    let rows = try state.statement(
      FetchRequest(entityName: source.name, includesSubentities: false, predicate: condition))
    var keys: Set<Int64> = []
    while try rows.step() { keys.insert(rows.integer(0)) }
    return keys
  }

  /// Whether rows keep their keys: all mappings into the destination's table take rows of one table, each entity once.
  private func keepsKeys(_ entity: MappingResolution.Entity) -> Bool {
    guard let new = entity.destination, let root = self.new.graph.root(of: new.name)?.name else { return false }
    let into = resolution.entities.filter { other in
      other.source != nil && other.destination.map { self.new.graph.root(of: $0.name)?.name == root } == true
    }
    let sources = into.compactMap { $0.source?.name }
    let roots = Set(sources.compactMap { state.layout.graph.root(of: $0)?.name })
    return roots.count == 1 && Set(sources).count == sources.count
  }

  private func nextKey(of destination: EntityLayout) throws -> Int64 {
    let (key, isOver) = (lastKeys[destination.rootNumber] ?? 0).addingReportingOverflow(1)
    guard !isOver else { throw DamagedCounter.outOfKeys(entity: destination.name) }
    return key
  }

  private func layout(_ entity: EntityDescription?, _ layout: StoreLayout) throws -> EntityLayout? {
    guard let entity else { return nil }
    guard let found = layout.entity(named: entity.name) else {
      throw MappingMigrationError(
        "the store has no rows of \(quoted(entity.name))",
        remedy: "name the mapping model that begins at the store's version")
    }
    return found
  }

  // MARK: Links

  private func link(_ entity: MappingResolution.Entity, _ number: Int) throws {
    guard let source = try layout(entity.source, state.layout), let destination = try layout(entity.destination, new)
    else {
      return
    }
    for property in entity.properties {
      guard case .mapped(.rows(let path, let mapping)) = property.value,
        let relationship = destination.property(named: property.property.name)
      else { continue }
      guard path.count == 1, let former = source.property(named: path[0]) else {
        throw MappingMigrationError(
          "the entity mapping \(quoted(entity.mapping.name)) follows \(quoted(path.joined(separator: "."))), "
            + "which is no relationship of \(quoted(source.name))",
          remedy: "write it in a stage that generate-models makes of the mapping model")
      }
      let sought = resolution.linkCandidates(
        at: path, of: entity, by: mapping, to: relationship.destinationName ?? "")
      guard !sought.isEmpty, let pairs = try pairs(former, of: source) else { continue }
      let writer = try MappedLinkWriter(relationship, of: destination, layout: new, connection: connection)
      let owner = try connection.prepare(
        "SELECT DESTINATION FROM temp.Z_MAPPED WHERE MAPPING = \(number) AND SOURCE = ?")
      let list = sought.map(String.init).joined(separator: ", ")
      let member = try connection.prepare(
        "SELECT DESTINATION, MAPPING FROM temp.Z_MAPPED WHERE SOURCE = ? AND MAPPING IN (\(list)) ORDER BY MAPPING LIMIT 1"
      )
      while try pairs.step() {
        guard let from = try owner.first(pairs.integer(0)), let to = try member.first(pairs.integer(1)) else {
          continue
        }
        let kind = resolution.entities[Int(to.second)].destination.flatMap { new.entity(named: $0.name) }
        try writer.link(from.key, from: destination.number, to.key, to: kind?.number ?? 0)
      }
    }
  }

  /// Owners and members of a relationship in the old store, in the order of the members.
  private func pairs(_ former: PropertyLayout, of source: EntityLayout) throws -> Statement? {
    let ofEntity = "WHERE o.Z_ENT = \(source.number)"
    switch former {
    case .attribute: return nil
    case .toOne(let toOne):
      return try state.connection.prepare(
        "SELECT o.Z_PK, o.\(toOne.key) FROM \(source.table) o \(ofEntity) AND o.\(toOne.key) IS NOT NULL ORDER BY o.Z_PK"
      )
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        let order = side.orderColumn.map { "m.\($0), " } ?? ""
        return try state.connection.prepare(
          "SELECT o.Z_PK, m.Z_PK FROM \(source.table) o JOIN \(side.table) m ON m.\(side.key) = o.Z_PK \(ofEntity) "
            + "ORDER BY o.Z_PK, \(order)m.Z_PK")
      case .joinTable(let side):
        let order = side.orderColumn.map { "j.\($0), " } ?? ""
        return try state.connection.prepare(
          "SELECT o.Z_PK, j.\(side.otherColumn) FROM \(source.table) o JOIN \(side.table) j ON j.\(side.ownColumn) = o.Z_PK "
            + "\(ofEntity) ORDER BY o.Z_PK, \(order)j.\(side.otherColumn)")
      }
    }
  }

  // MARK: Afterwards

  /// - Throws: ``MigrationError`` for rows without a value that the new model requires.
  private func checkMandatory() throws {
    for entity in new.entities where !entity.isAbstract {
      for property in entity.properties {
        let column: Identifier
        let reason: MigrationObstacle.Reason
        switch property {
        case .attribute(let attribute):
          guard !attribute.description.isOptional, !attribute.description.isTransient,
            attribute.description.derivation == nil, let name = attribute.column?.name
          else { continue }
          (column, reason) = (name, .missingValue)
        case .toOne(let toOne):
          guard !toOne.description.isOptional else { continue }
          (column, reason) = (toOne.key, .missingObject)
        case .toMany: continue
        }
        let count =
          try connection.integer(
            "SELECT count(*) FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND \(column) IS NULL") ?? 0
        guard count == 0 else {
          throw MigrationError(
            obstacle: MigrationObstacle(entity: entity.name, property: property.name, reason: reason), rowCount: count)
        }
      }
    }
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
  fileprivate var destinationName: String? {
    switch self {
    case .attribute: nil
    case .toOne(let toOne): toOne.destinationName
    case .toMany(let toMany): toMany.destinationName
    }
  }
}

extension Statement {
  /// Binds the value of another statement's column as it is.
  fileprivate func copy(_ source: Statement, _ column: Int, to index: Int) throws {
    switch source.type(column) {
    case .integer: try bind(source.integer(column), at: index)
    case .real: try bind(source.double(column), at: index)
    case .text: try bind(source.text(column) ?? "", at: index)
    case .blob: try bind(source.blob(column) ?? Data(), at: index)
    case .null: try bindNull(at: index)
    }
  }

  /// The first row for a bound key: its first column, and its second, or 0.
  fileprivate func first(_ key: Int64) throws -> (key: Int64, second: Int64)? {
    defer { reset() }
    try bind(key, at: 1)
    guard try step() else { return nil }
    return (integer(0), columnCount > 1 ? integer(1) : 0)
  }
}
