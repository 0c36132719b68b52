import CoreDataStore
import Foundation
import ManagedModel
import SQLite

/// What a store says, read with plain SQL: every row of every table, every column that is not NULL.
///
/// Only the names of tables and columns come from the layout. A value that no property accounts for is a problem too, so
/// that a column taken for another one cannot go unseen.
struct StoreRows {
  private(set) var store = ReadStore()
  /// Values that no property of the row's entity accounts for.
  private(set) var problems: [String] = []
  /// Keys to rows that are not there, which read as nil.
  private(set) var danglingCount = 0

  private let connection: Connection
  private let layout: StoreLayout
  private let externalData: URL
  /// The entity of each row, by table and key.
  private var entities: [Identifier: [Int: EntityLayout]] = [:]

  init(_ url: URL, model: ModelDescription) throws {
    connection = try Connection(path: url.path, mode: .readWrite)
    layout = try StoreLayout(
      model: model, catalogue: Catalogue(connection), numbers: PrimaryKeys(connection).numbers)
    externalData = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    for table in layout.tables { try readKeys(of: table) }
    for table in layout.tables { try readRows(of: table) }
    for entity in layout.entities {
      for case .toMany(let relationship) in entity.properties {
        try readMembers(of: relationship, entity)
      }
    }
  }

  private mutating func readKeys(of table: TableLayout) throws {
    let statement = try connection.prepare("SELECT Z_PK, Z_ENT FROM \(table.name)")
    while try statement.step() {
      let (key, number) = (Int(statement.integer(0)), Int(statement.integer(1)))
      guard let entity = layout.entity(numbered: number) else {
        problems.append("\(table.name) \(key): no entity has the number \(number)")
        continue
      }
      entities[table.name, default: [:]][key] = entity
      store.objects[entity.name, default: [:]][key] = [:]
    }
  }

  /// The object a key leads to; `nil` for NULL, and for the key of a row that is not there.
  private mutating func object(_ key: Int, in table: Identifier) -> ReadObject? {
    if let entity = entities[table]?[key] { return ReadObject(entity: entity.name, key: key) }
    danglingCount += 1
    return nil
  }

  // MARK: Rows

  private mutating func readRows(of table: TableLayout) throws {
    let statement = try connection.prepare("SELECT * FROM \(table.name)")
    let names = (0..<statement.columnCount).map { Identifier(statement.columnName($0)) }
    guard let keyColumn = names.firstIndex(of: "Z_PK") else { return }
    let plans = Dictionary(
      uniqueKeysWithValues: layout.entities.filter { $0.table == table.name }.map { ($0.name, plan(for: $0)) })
    let attributes = self.attributes(of: table)
    while try statement.step() {
      let key = Int(statement.integer(keyColumn))
      guard let entity = entities[table.name]?[key], let plan = plans[entity.name] else { continue }
      var values: [String: ReadValue] = [:]
      for (index, name) in names.enumerated() {
        if statement.isNull(index) {
          // Photos has such rows; the properties' types have no way to say it.
          if case .attribute(let column)? = plan[name], column.path.count == 1,
            let value = ReadValue(missing: column.attribute)
          {
            values.set(value, at: column.path[...])
          }
          continue
        }
        switch plan[name] {
        case .attribute(let column)?:
          guard let value = value(statement, index, column.attribute) else { continue }
          values.set(value, at: column.path[...])
        case .toOne(let relationship)?:
          if let object = object(Int(statement.integer(index)), in: relationship.destinationTable) {
            values[relationship.description.name] = .object(object)
          }
        case .bookkeeping?: continue
        case nil:
          // A migration that adds a column gives all rows the default value, those of other entities too.
          if let other = attributes[name], value(statement, index, other) == ReadValue(other.defaultValue) { continue }
          problems.append("\(entity.name) \(key): \(name) has a value that no property accounts for")
        }
      }
      store.objects[entity.name]?[key] = values
    }
  }

  private enum Meaning {
    case attribute(AttributeColumn)
    case toOne(ToOneLayout)
    case bookkeeping
  }

  /// What the columns of an entity's rows mean.
  private func plan(for entity: EntityLayout) -> [Identifier: Meaning] {
    var plan: [Identifier: Meaning] = ["Z_PK": .bookkeeping, "Z_ENT": .bookkeeping, "Z_OPT": .bookkeeping]
    for property in entity.properties {
      switch property {
      case .attribute(let attribute): for column in attribute.columns { plan[column.name] = .attribute(column) }
      case .toOne(let relationship):
        plan[relationship.key] = .toOne(relationship)
        for column in [relationship.entityColumn, relationship.orderColumn] {
          if let column { plan[column] = .bookkeeping }
        }
      case .toMany: continue
      }
    }
    // Keys of to-many relationships without inverse stand in their destination's rows.
    for other in layout.entities {
      for case .toMany(let relationship) in other.properties {
        guard case .key(let side) = relationship.storage, side.isVirtual, side.table == entity.table else { continue }
        for column in [side.key, side.orderColumn, side.entityColumn] {
          if let column { plan[column] = .bookkeeping }
        }
      }
    }
    return plan
  }

  /// The attributes that a table's columns hold, whichever entity's they are.
  private func attributes(of table: TableLayout) -> [Identifier: AttributeDescription] {
    var attributes: [Identifier: AttributeDescription] = [:]
    for entity in layout.entities where entity.table == table.name {
      for case .attribute(let attribute) in entity.properties {
        for column in attribute.columns { attributes[column.name] = column.attribute }
      }
    }
    return attributes
  }

  /// What a column's value stands for; `nil` for one kept in a file that is not there.
  private func value(_ row: Statement, _ index: Int, _ attribute: AttributeDescription) -> ReadValue? {
    switch attribute.type {
    case .integer16, .integer32, .integer64: .integer(row.integer(index))
    case .boolean: .integer(row.integer(index) == 0 ? 0 : 1)
    case .double, .date: .double(row.double(index).bitPattern)
    case .float: .double(Double(Float(row.double(index))).bitPattern)
    case .decimal: row.text(index).flatMap { Decimal(string: $0) }.map { .decimal($0.description) }
    case .string, .uri: row.text(index).map { .text(Data($0.utf8)) }
    case .uuid: row.blob(index).map { .bytes($0) }
    case .binary where attribute.allowsExternalBinaryDataStorage: row.blob(index).flatMap(externalValue)
    case .binary, .transformable, .undefined, .objectID, .composite: row.blob(index).map { .bytes($0) }
    }
  }

  /// CD-5: 1 and the bytes themselves, or 2 and the name of a file.
  private func externalValue(_ stored: Data) -> ReadValue? {
    switch stored.first {
    case 1: return .bytes(stored.dropFirst())
    case 2:
      let name = String(decoding: stored.dropFirst().prefix(36), as: UTF8.self)
      return (try? Data(contentsOf: externalData.appendingPathComponent(name))).map { .bytes($0) }
    default: return .bytes(stored)
    }
  }

  // MARK: To-many relationships

  private mutating func readMembers(of relationship: ToManyLayout, _ entity: EntityLayout) throws {
    let query: String
    switch relationship.storage {
    case .key(let side):
      query = """
        SELECT \(side.key), Z_PK FROM \(side.table) WHERE \(side.key) IS NOT NULL \
        ORDER BY \(side.orderColumn ?? "Z_PK")
        """
    case .joinTable(let side):
      query = "SELECT \(side.ownColumn), \(side.otherColumn) FROM \(side.table) ORDER BY \(side.orderColumn ?? "rowid")"
    }
    var members: [Int: [ReadObject]] = [:]
    let statement = try connection.prepare(query)
    while try statement.step() {
      let owner = Int(statement.integer(0))
      guard entities[entity.table]?[owner]?.name == entity.name else { continue }
      guard let member = object(Int(statement.integer(1)), in: relationship.destinationTable) else { continue }
      members[owner, default: []].append(member)
    }
    for (owner, objects) in members {
      store.objects[entity.name]?[owner]?[relationship.description.name] = .objects(
        relationship.description.isOrdered ? objects : objects.sorted())
    }
  }
}

extension ReadValue {
  /// What NULL reads as where a value is required: the default, or zero.
  fileprivate init?(missing attribute: AttributeDescription) {
    guard !attribute.isOptional else { return nil }
    switch attribute.type {
    case .integer16, .integer32, .integer64, .boolean: self = ReadValue(attribute.defaultValue) ?? .integer(0)
    case .double, .float, .date: self = ReadValue(attribute.defaultValue) ?? .double(Double(0).bitPattern)
    case .string: self = ReadValue(attribute.defaultValue) ?? .text(Data())
    default: return nil
    }
  }

  /// A number or a string that a model states; `nil` for all else.
  fileprivate init?(_ value: AttributeValue?) {
    switch value {
    case .integer(let number)?: self = .integer(number)
    case .boolean(let flag)?: self = .integer(flag ? 1 : 0)
    case .double(let number)?, .date(let number)?: self = .double(number.bitPattern)
    case .string(let text)?: self = .text(Data(text.utf8))
    default: return nil
    }
  }
}

extension [String: ReadValue] {
  /// Sets a value, or an element of a composite by its path.
  fileprivate mutating func set(_ value: ReadValue, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    if path.count == 1 {
      self[name] = value
    } else {
      var parts: [String: ReadValue] = [:]
      if case .parts(let known)? = self[name] { parts = known }
      parts.set(value, at: path.dropFirst())
      self[name] = .parts(parts)
    }
  }
}
