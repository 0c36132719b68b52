import ManagedModel
import SQLite
import StoreRequests

/// How the rows of a table come about.
struct TablePlan {
  let table: TableLayout
  var copies: [RowCopy]
  /// Whether the old table stays, and gains columns at most.
  var isInPlace = false
}

/// The rows of an old entity as rows of a new one.
struct RowCopy {
  let source: EntityLayout
  let destination: EntityLayout
  /// In the order of the new table.
  var values: [(column: Identifier, value: MigratedValue)]
}

/// A column's value, made from a row of the old table, whose alias is `o`.
enum MigratedValue {
  case column(Identifier)
  /// An SQL literal.
  case literal(String)
  /// An expression, which may read other old tables under their present names.
  case computed((_ present: (Identifier) -> Identifier) -> String)
  /// NULL, until a later statement fills it.
  case later

  func sql(_ present: (Identifier) -> Identifier) -> String {
    switch self {
    case .column(let name): "o.\(name)"
    case .literal(let sql): sql
    case .computed(let sql): sql(present)
    case .later: "NULL"
    }
  }
}

extension MigrationPlanner {
  /// The rows of a new table: of each entity that has rows in the old store.
  mutating func rows(of table: TableLayout) throws -> TablePlan {
    var plan = TablePlan(table: table, copies: [])
    for entity in new.entities where entity.table == table.name {
      guard let source = source(of: entity), !source.isAbstract else { continue }
      if entity.isAbstract {
        check(
          "SELECT count(*) FROM \(source.table) WHERE Z_ENT = \(source.number)", entity.name, nil, .becomesAbstract)
        continue
      }
      plan.copies.append(try rows(of: entity, from: source, in: table))
    }
    plan.isInPlace = isInPlace(plan)
    return plan
  }

  private mutating func rows(of entity: EntityLayout, from source: EntityLayout, in table: TableLayout) throws
    -> RowCopy
  {
    var values: [Identifier: MigratedValue] = [:]
    for property in entity.properties {
      let former = properties[entity.name]?[property.name].flatMap { source.property(named: $0) }
      switch property {
      case .attribute(let attribute):
        for column in attribute.columns {
          values[column.name] = try value(of: column, attribute, from: former, of: (entity, source))
        }
      case .toOne(let relationship):
        values.merge(keys(of: relationship, from: former), uniquingKeysWith: { first, _ in first })
      case .toMany: break
      }
    }
    // Columns of other entities of the table stay NULL; keys of relationships without inverse belong to no property.
    for (key, former) in virtualKeys(in: table, of: entity, from: source) { values[key] = former }
    return RowCopy(
      source: source, destination: entity,
      values: table.columns.compactMap { column in values[column.name].map { (column.name, $0) } })
  }

  // MARK: Attributes

  private mutating func value(
    of column: AttributeColumn, _ attribute: AttributeLayout, from former: PropertyLayout?,
    of entity: (new: EntityLayout, old: EntityLayout)
  ) throws -> MigratedValue {
    let isMandatory = attribute.requiresValue(in: column)
    let fallback = column.initialLiteral
    let name = attribute.description.name
    func refuse(_ reason: MigrationObstacle.Reason, at place: String) throws -> Never {
      throw MigrationError(
        obstacle: MigrationObstacle(entity: entity.new.name, property: place, reason: reason), rowCount: nil)
    }
    guard let former else {
      if let fallback { return .literal(fallback) }
      if isMandatory { checkNoRows(of: entity.old, entity.new.name, name) }
      return .later
    }
    guard case .attribute(let oldAttribute) = former else { try refuse(.kindChange, at: name) }
    let path = attribute.description.formerPath(of: column.path, in: oldAttribute.description)
    guard let oldColumn = oldAttribute.columns.first(where: { $0.path == path }) else {
      guard attribute.description.type == .composite, oldAttribute.description.type == .composite else {
        try refuse(.typeChange(from: oldAttribute.description.type, to: attribute.description.type), at: name)
      }
      return valueOfNewElement(column, attribute, of: oldAttribute, in: entity)
    }
    switch attribute.description.formerPayload(of: column.path, in: oldAttribute.description) {
    case .whole, nil: break
    case .member(let label):
      return .computed { _ in PayloadMembers.sql(label, of: "o.\(oldColumn.name)", as: column.attribute) }
    case .unknown: try refuse(.payloadChange, at: column.spelledPath)
    }
    guard let conversion = oldColumn.attribute.type.conversion(to: column.attribute.type) else {
      try refuse(.typeChange(from: oldColumn.attribute.type, to: column.attribute.type), at: column.spelledPath)
    }
    let plain = "o.\(oldColumn.name)"
    var sql = oldColumn.isExternal && !column.isExternal ? externalValue(oldColumn, of: entity.old) : plain
    if column.isExternal, !oldColumn.isExternal {
      sql = "CASE WHEN \(plain) NOT NULL THEN CAST(x'01' || \(plain) AS BLOB) END"
    }
    sql = conversion.sql(sql)
    if let misfits = conversion.misfits {
      check(
        "SELECT count(*) FROM \(entity.old.table) o WHERE \(rowTest(of: entity.old)) AND \(misfits(plain))",
        entity.new.name, column.spelledPath, .outOfRange(column.attribute.type))
    }
    if isMandatory, !oldAttribute.requiresValue(in: oldColumn) {
      if let fallback {
        sql = "ifnull(\(sql), \(fallback))"
      } else {
        check(
          "SELECT count(*) FROM \(entity.old.table) o WHERE \(rowTest(of: entity.old)) AND \(plain) IS NULL",
          entity.new.name, column.spelledPath, .missingValue(of: .formerProperty))
      }
    }
    return sql == plain ? .column(oldColumn.name) : .computed { [sql] _ in sql }
  }

  /// The value of an element that the composite did not have.
  private mutating func valueOfNewElement(
    _ column: AttributeColumn, _ attribute: AttributeLayout, of oldAttribute: AttributeLayout,
    in entity: (new: EntityLayout, old: EntityLayout)
  ) -> MigratedValue {
    let fallback = column.initialLiteral
    guard attribute.requiresValue(in: column) || fallback != nil else { return .later }
    guard let value = fallback ?? column.attribute.type.emptyLiteral else {
      checkNoRows(of: entity.old, entity.new.name, column.spelledPath)
      return .later
    }
    guard attribute.description.isOptional else { return .literal(value) }
    // A structure that is nil stays nil.
    let isThere = oldAttribute.columns.map { "o.\($0.name) NOT NULL" }.joined(separator: " OR ")
    return .computed { _ in "CASE WHEN \(isThere) THEN \(value) END" }
  }

  private mutating func checkNoRows(of source: EntityLayout, _ entity: String, _ property: String) {
    check(
      "SELECT count(*) FROM \(source.table) o WHERE \(rowTest(of: source))", entity, property,
      .missingValue(of: .newProperty))
  }

  private func externalValue(_ column: AttributeColumn, of entity: EntityLayout) -> String {
    let number = old.externalColumns.firstIndex { $0.table == entity.table && $0.column == column.name } ?? -1
    return "\(SQLText.externalData)(o.\(column.name), o.Z_PK, \(number))"
  }

  /// The test for rows of exactly this old entity.
  func rowTest(of entity: EntityLayout) -> String {
    entity.soleNumber == nil ? "o.Z_ENT = \(entity.number)" : "1"
  }

  // MARK: Statements

  func insertion(of copy: RowCopy, into table: TableLayout) -> String {
    let columns = (["Z_PK", "Z_ENT", "Z_OPT"] + copy.values.map(\.column)).map(\.description)
    let values = ["o.Z_PK", "\(copy.destination.number)", "o.Z_OPT"] + copy.values.map { $0.value.sql(present) }
    return "INSERT INTO \(table.name) (\(columns.joined(separator: ", "))) SELECT \(values.joined(separator: ", "))"
      + " FROM \(present(copy.source.table)) o WHERE \(rowTest(of: copy.source))"
  }

  /// Whether the old table can stay and only needs additional columns.
  private func isInPlace(_ plan: TablePlan) -> Bool {
    guard let present = catalogue.columns[plan.table.name], let former = old.table(plan.table.name),
      old.entities.filter({ $0.table == plan.table.name }).allSatisfy({ entity in
        newNumbers[entity.number] == entity.number && new.entity(numbered: entity.number)?.table == plan.table.name
      })
    else { return false }
    let added = Set(plan.table.columns.map(\.name)).subtracting(present)
    let types = Dictionary(former.columns.map { ($0.name, $0.type.sql) }, uniquingKeysWith: { first, _ in first })
    let keeps = plan.table.columns.allSatisfy {
      types[$0.name].map { [sql = $0.type.sql] in $0 == sql } ?? added.contains($0.name)
    }
    guard keeps, former.columns.allSatisfy({ column in plan.table.columns.contains { $0.name == column.name } }) else {
      return false
    }
    let gainsKeys = new.entities.contains { entity in
      entity.table == plan.table.name
        && entity.properties.contains { property in
          guard case .toOne(let relationship) = property, property.declaringEntityName == entity.name else {
            return false
          }
          return self.gainsKeys(relationship, of: entity)
        }
    }
    if gainsKeys { return false }
    return plan.copies.allSatisfy { copy in
      copy.source.table == plan.table.name
        && copy.values.allSatisfy { column, value in
          switch value {
          case .column(let name): name == column
          case .literal, .later: added.contains(column)
          case .computed: false
          }
        }
    }
  }

  /// Empties the columns of properties that the rows of a table in place have no more.
  mutating func emptyLeftColumns(of plan: TablePlan) {
    for copy in plan.copies {
      let kept = Set(copy.values.map(\.column))
      let left = copy.source.properties.flatMap(\.columns).filter { !kept.contains($0) }
      if left.isEmpty { continue }
      let values = left.map { "\($0) = NULL" }.joined(separator: ", ")
      let test = copy.destination.soleNumber == nil ? " WHERE Z_ENT = \(copy.destination.number)" : ""
      run("UPDATE \(plan.table.name) SET \(values)\(test)")
    }
  }

  /// Adds the columns that a table in place lacks, and fills in their defaults.
  mutating func extend(_ plan: TablePlan) throws {
    let present = Set(catalogue.columns[plan.table.name] ?? [])
    let added = plan.table.columns.filter { !present.contains($0.name) }
    for column in added { run("ALTER TABLE \(plan.table.name) ADD COLUMN \(column.name) \(column.type.sql)") }
    let names = Set(added.map(\.name))
    for copy in plan.copies {
      let filled = copy.values.compactMap { column, value -> String? in
        guard case .literal(let sql) = value, names.contains(column) else { return nil }
        return "\(column) = \(sql)"
      }
      if filled.isEmpty { continue }
      let test = copy.destination.soleNumber == nil ? " WHERE Z_ENT = \(copy.destination.number)" : ""
      run("UPDATE \(plan.table.name) SET \(filled.joined(separator: ", "))\(test)")
    }
  }
}

extension PropertyLayout {
  /// The columns in the rows of the property's own entity.
  fileprivate var columns: [Identifier] {
    switch self {
    case .attribute(let attribute): attribute.columns.map(\.name)
    case .toOne(let relationship):
      [relationship.key, relationship.entityColumn, relationship.orderColumn].compactMap(\.self)
    case .toMany: []
    }
  }
}
