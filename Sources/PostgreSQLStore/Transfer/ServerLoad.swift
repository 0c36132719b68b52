import ErrorReporting
package import Foundation
package import ManagedModel
import PostgreSQL
package import StoreRequests

/// Writes the rows of another store into new tables, with the keys that they had: one statement for many rows.
final class ServerLoad: RowLoad {
  private let connection: Connection
  private let layout: StoreLayout
  private let isLenient: Bool

  var entities: EntityTable { layout.entities }

  fileprivate init(_ connection: Connection, _ layout: StoreLayout, isLenient: Bool) {
    self.connection = connection
    self.layout = layout
    self.isLenient = isLenient
  }

  /// A date in whole microseconds, and a number of single precision. A lenient load makes a date infinite that the server cannot keep.
  func stored(_ value: StoreValue, as type: AttributeType) -> StoreValue {
    func stored(_ seconds: Double) -> StoreValue {
      if let moment = BinaryForm.microseconds(seconds) { return .real(BinaryForm.seconds(moment)) }
      return isLenient && !seconds.isNaN ? .real(seconds < 0 ? -.infinity : .infinity) : value
    }
    return switch (type, value) {
    case (.date, .real(let seconds)): stored(seconds)
    case (.date, .integer(let seconds)): stored(Double(seconds))
    case (.float, .real(let number)): number.isNaN ? value : .real(Double(Float(number)))
    case (.float, .integer(let number)): Int64(exactly: Float(number)) == number ? value : .real(Double(Float(number)))
    default: value
    }
  }

  func reserve(_ key: Int64, of root: StoreEntity) throws {
    guard key > 0 else { return }
    _ = try connection.run("SELECT setval(\(layout.table(of: root).keySequence), $1::bigint)", [.integer(key)])
  }

  func write(_ part: ChangeSet, keys: [Int64]) throws {
    var groups = RowGroups(layout, writesDerived: true, count: min(part.insertions.count, keys.count)) { index in
      let insertion = part.insertions[index]
      return .init(
        key: keys[index], shape: RowShape(entity: insertion.entity, columns: insertion.columns),
        source: insertion.source)
    }
    var next = try groups.next()
    while let group = next {
      let entity = group.rows.entity
      guard !entity.description.isAbstract else { throw SaveError.abstractEntity(entity.name) }
      next = try group.rows.insert(over: connection) { try groups.next() }
    }
    try MemberLists(part.relationshipChanges, layout).write(over: connection)
  }
}

/// The members of to-many relationships with their places, gathered for one statement per relationship.
private struct MemberLists {
  private var lists: [List] = []
  private var indexes: [Name: Int] = [:]

  private struct Name: Hashable {
    let entity: String
    let relationship: String
  }

  private struct List {
    let toMany: ToManyLayout
    let table: TableLayout
    /// Whether pairs, or keys without a property, are written; places only otherwise.
    let addsMembers: Bool
    var owners: [Int64] = []
    var members: [Int64] = []
    var places: [Int64] = []
  }

  init(_ changes: [ChangeSet.RelationshipChange], _ layout: StoreLayout) throws {
    for change in changes {
      guard case .existing(let owner) = change.owner else { continue }
      let entity = try layout.existingEntity(owner.entity)
      let toMany = try layout.toMany(change.relationship, of: entity)
      let name = Name(entity: toMany.relationship.declaringEntityName, relationship: change.relationship)
      let index = indexes[name] ?? lists.count
      if index == lists.count {
        indexes[name] = index
        let table = layout.table(of: try layout.destination(of: toMany.relationship))
        lists.append(List(toMany: toMany, table: table, addsMembers: toMany.relationship.storage.isListed))
      }
      let members = (change.order ?? change.added).compactMap { member -> Int64? in
        if case .existing(let object) = member { object.key } else { nil }
      }
      lists[index].owners += members.map { _ in owner.key }
      lists[index].members += members
      lists[index].places += OrderKeys.assign(members.map { _ in nil })
    }
  }

  func write(over connection: Connection) throws {
    for list in lists where !list.members.isEmpty {
      _ = try connection.run(
        Self.statement(list), [.integers(list.owners), .integers(list.members), .integers(list.places)])
    }
  }

  private static func statement(_ list: List) -> String {
    let rows = "unnest($1::bigint[], $2::bigint[], $3::bigint[]) s(owner, member, place)"
    switch list.toMany.storage {
    case .joinTable(let side) where list.addsMembers:
      let order = side.order.map { ", \($0)" } ?? ""
      return "INSERT INTO \(side.table.sql) (\(side.own), \(side.other)\(order)) "
        + "SELECT s.owner, s.member\(order.isEmpty ? "" : ", s.place") FROM \(rows) ON CONFLICT DO NOTHING"
    case .joinTable(let side):
      let order = side.order.map { "\($0) = s.place" } ?? "\(side.own) = t.\(side.own)"
      return "UPDATE \(side.table.sql) t SET \(order) FROM \(rows) "
        + "WHERE t.\(side.own) = s.owner AND t.\(side.other) = s.member"
    case .key(let side):
      let sets = (side.isVirtual ? ["\(side.column) = s.owner"] : []) + (side.order.map { ["\($0) = s.place"] } ?? [])
      let condition = side.isVirtual ? "" : " AND t.\(side.column) = s.owner"
      let written = sets.isEmpty ? "\(side.column) = t.\(side.column)" : sets.joined(separator: ", ")
      return "UPDATE \(list.table.sql) t SET \(written) FROM \(rows) WHERE t.\(TableLayout.key) = s.member\(condition)"
    }
  }
}

extension ServerStore {
  /// Makes a store of the rows that a closure writes, all in one transaction: its schema, if that is missing, its tables and its rows.
  ///
  /// - Parameters:
  ///   - identifier: the identifier of the new store.
  ///   - isLenient: whether to accept an object without a required value, and a date that the server cannot keep. The column of the
  ///     value then allows `NULL`, and the date becomes infinite.
  /// - Returns: a clause for each column that allows `NULL` for this reason.
  /// - Throws: ``StoreProblem`` if the schema has a store or any other table; ``SaveError``, ``PostgreSQLError``; the errors of `body`.
  package static func make(
    _ address: String, options: ServerOptions, model: ModelDescription, identifier: UUID, isLenient: Bool = false,
    _ body: (any RowLoad) throws -> Void
  ) throws -> [String] {
    let address = try ServerAddress(address)
    try options.check(address)
    let connection = try options.connect(address, preparesStatements: false)
    let records = StoreRecords(connection: connection, options: options)
    try records.checkServer()
    let layout = try LayoutBuilder.layout(model, schema: options.schema, rule: options.naming)
    try records.checkNames(of: layout)
    do {
      return try connection.transaction(with: .unlimited) {
        try records.lock()
        try records.requireEmptySchema()
        try records.checkTypes(of: layout)
        let definitions = StoreDefinitions(layout: layout, requiresValues: !isLenient)
        try records.making {
          try records.makeSchema()
          for statement in definitions.tables { try connection.execute(statement) }
        }
        _ = try records.insert(model, identifier: identifier)
        // The server checks pairs and unique values at once. Otherwise it would keep a list of all of them until the end.
        try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
        try body(ServerLoad(connection, layout, isLenient: isLenient))
        let waived = isLenient ? try LenientRequirements(connection: connection, layout: layout).add() : []
        for statement in definitions.keysAndIndexes + definitions.triggers { try connection.execute(statement) }
        return waived
      }
    } catch let error as PostgreSQLError {
      let phrased = layout.phrased(error)
      guard let missing = phrased as? StoreProblem, !isLenient,
        error.state == .notNullViolation || error.state == .checkViolation
      else { throw phrased }
      throw StoreProblem(missing.problem, remedy: "give it a value, or make a lenient copy")
    }
  }
}

extension StoreRecords {
  /// - Throws: ``StoreProblem`` if the schema has a store or any other table.
  fileprivate func requireEmptySchema() throws {
    if try exists(StoreDefinitions.store) {
      throw problem(
        "the schema \(quoted(options.schema)) has a store already", remedy: "name a schema that has no tables")
    }
    let names = try tableNames()
    guard names.isEmpty else {
      throw problem(
        "the schema \(quoted(options.schema)) has tables already: \(abbreviatedList(names.map(quoted)))",
        remedy: "name a schema that has no tables")
    }
  }
}

/// The `NOT NULL`s and `CHECK`s of required properties, for tables whose rows may lack their values.
private struct LenientRequirements {
  let connection: Connection
  let layout: StoreLayout

  /// Adds the requirements that all rows satisfy.
  ///
  /// - Returns: a clause for each of the others.
  func add() throws -> [String] {
    let columns = layout.tables.flatMap { table in
      table.columns.map { (table, $0, table.requirement(of: $0)) }.filter { $0.2 != .none }
    }
    var waived: [String] = []
    for (table, column, requirement) in columns {
      let kinds: String
      if case .kinds(let names) = requirement {
        kinds = " AND \(TableLayout.kind) IN (\(sqlLiterals(names)))"
      } else {
        kinds = ""
      }
      let count = try connection.run("SELECT count(*) FROM \(table.sql) WHERE \(column.name) IS NULL\(kinds)")
        .integer(0, 0)
      if count > 0 {
        waived.append(
          "\(count) row\(count == 1 ? " lacks" : "s lack") the required value of the column \(quoted("\(table.name.name).\(column.name.name)")), which now allows NULL"
        )
      } else if case .everyRow = requirement {
        try connection.execute("ALTER TABLE \(table.sql) ALTER COLUMN \(column.name) SET NOT NULL")
      } else if let definition = requirement.definition(of: column.name, in: table) {
        try connection.execute("ALTER TABLE \(table.sql) ADD \(definition)")
      }
    }
    return waived
  }
}
