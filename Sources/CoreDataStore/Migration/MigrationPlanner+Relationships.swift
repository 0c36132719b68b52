import ManagedModel
import SQLite
import StoreRequests

/// A join table of the new model, which may be the old one.
struct JoinPlan {
  let table: JoinTableLayout
  let isKept: Bool

  init(_ table: JoinTableLayout, kept: Bool) {
    self.table = table
    isKept = kept
  }
}

/// The pairs of an old relationship, from keys or from a join table, as a query with four columns.
///
/// `a` is the owner's key, `b` the member's. `o` is the order key of the member among the owner's members; `r` that of the owner among
/// the member's owners.
struct RelationshipPairs {
  let sql: String
  let hasMemberOrder: Bool
  let hasOwnerOrder: Bool
  /// Whether a member has one owner at most, and an owner one member at most.
  let hasOneOwner: Bool
  let hasOneMember: Bool

  /// The first member of each owner.
  var first: RelationshipPairs {
    RelationshipPairs(
      sql: "SELECT a, min(b) AS b, NULL AS o, NULL AS r FROM (\(sql)) GROUP BY a", hasMemberOrder: false,
      hasOwnerOrder: false, hasOneOwner: hasOneOwner, hasOneMember: true)
  }

  var swapped: RelationshipPairs {
    RelationshipPairs(
      sql: "SELECT b AS a, a AS b, r AS o, o AS r FROM (\(sql))", hasMemberOrder: hasOwnerOrder,
      hasOwnerOrder: hasMemberOrder, hasOneOwner: hasOneMember, hasOneMember: hasOneOwner)
  }
}

extension MigrationPlanner {
  // MARK: Keys in the rows

  /// The columns of a to-one relationship, as far as they come from the row itself.
  func keys(
    of relationship: ToOneLayout, from former: PropertyLayout?, of entity: (new: EntityLayout, old: EntityLayout)
  ) throws -> [Identifier: MigratedValue] {
    let columns = [relationship.key, relationship.entityColumn, relationship.orderColumn].compactMap { $0 }
    var values = Dictionary(uniqueKeysWithValues: columns.map { ($0, MigratedValue.later) })
    switch former {
    case nil, .toMany: return values
    case .attribute: throw refusal(.kindChange, relationship.description.name, of: entity.new)
    case .toOne(let old):
      let survivors = survivors(of: old.destinationName, in: relationship.destinationName)
      guard !survivors.isEmpty || isGone(old.destinationName) else {
        throw refusal(
          .destinationChange(from: old.destinationName, to: relationship.destinationName),
          relationship.description.name, of: entity.new)
      }
      let isWhole = survivors.count == kinds(of: old.destinationName).count
      values[relationship.key] = isWhole ? .column(old.key) : filtered(old.key, old.destinationTable, survivors)
      if let column = relationship.entityColumn {
        values[column] = entityNumber(of: old, survivors, isWhole: isWhole)
      }
      if let column = relationship.orderColumn, let order = old.orderColumn { values[column] = .column(order) }
      return values
    }
  }

  /// The key, if its row is still there under the new model.
  private func filtered(_ key: Identifier, _ table: Identifier, _ survivors: [Int]) -> MigratedValue {
    survivors.isEmpty
      ? .later
      : .computed { present in
        "CASE WHEN o.\(key) IN (SELECT Z_PK FROM \(present(table)) WHERE Z_ENT \(SQLText.numbersTest(survivors))) THEN o.\(key) END"
      }
  }

  /// The new entity number of a to-one relationship's object.
  private func entityNumber(of old: ToOneLayout, _ survivors: [Int], isWhole: Bool) -> MigratedValue {
    if let column = old.entityColumn {
      if isWhole, survivors.allSatisfy({ newNumbers[$0] == $0 }) { return .column(column) }
      let cases = survivors.compactMap { number in newNumbers[number].map { "WHEN \(number) THEN \($0)" } }
      return cases.isEmpty
        ? .later : .computed { _ in "CASE o.\(column) \(cases.joined(separator: " ")) END" }
    }
    guard let number = newNumbers[old.destinationNumber] else { return .later }
    return .computed { _ in "CASE WHEN o.\(old.key) NOT NULL THEN \(number) END" }
  }

  /// The keys of relationships without inverse that lead to rows of a new entity.
  func virtualKeys(
    in table: TableLayout, of entity: EntityLayout, from source: EntityLayout
  ) -> [(Identifier, MigratedValue)] {
    var result: [(Identifier, MigratedValue)] = []
    for (owner, relationship, side) in virtualSides where side.table == table.name {
      guard new.entity(named: relationship.destinationName)?.includes(entity.number) == true else { continue }
      var values: [MigratedValue] = [.later, .later]
      if let former = former(relationship.description.name, of: owner), case .toMany(let old) = former.property,
        case .key(let oldSide) = old.storage, oldSide.isVirtual, oldSide.table == source.table
      {
        let survivors = survivors(of: former.entity.name, in: owner.name)
        values[0] =
          survivors.count == kinds(of: former.entity.name).count
          ? .column(oldSide.key) : filtered(oldSide.key, former.entity.table, survivors)
        if let order = oldSide.orderColumn { values[1] = .column(order) }
      }
      result.append((side.key, values[0]))
      if let order = side.orderColumn { result.append((order, values[1])) }
    }
    return result
  }

  private var virtualSides: [(EntityLayout, ToManyLayout, ToManyLayout.KeySide)] {
    new.entities.flatMap { entity in
      entity.properties.compactMap { property in
        guard case .toMany(let relationship) = property, relationship.declaringEntityName == entity.name,
          case .key(let side) = relationship.storage, side.isVirtual
        else { return nil }
        return (entity, relationship, side)
      }
    }
  }

  // MARK: Keys from elsewhere

  /// Fills the keys and the join tables whose old relationships were stored in another way.
  mutating func addRelationships(_ plans: [TablePlan], _ joins: [JoinPlan]) throws {
    for entity in new.entities {
      for property in entity.properties where property.declaringEntityName == entity.name {
        switch property {
        case .toOne(let relationship): addKeys(of: relationship, of: entity)
        case .toMany(let relationship):
          if case .key(let side) = relationship.storage, side.isVirtual {
            addVirtualKeys(of: relationship, side, of: entity)
          }
        case .attribute: break
        }
      }
    }
    for join in joins where !join.isKept { try addPairs(to: join.table) }
    addDerivedValues()
  }

  private mutating func addKeys(of relationship: ToOneLayout, of entity: EntityLayout) {
    let (table, name) = (entity.table, relationship.description.name)
    let test =
      new.table(table)?.rootNumber == entity.number ? "" : " AND Z_ENT \(SQLText.numbersTest(entity.kindNumbers))"
    var isOrdered = relationship.orderColumn == nil
    if case .toOne(let former)? = former(name, of: entity)?.property {
      isOrdered = isOrdered || former.orderColumn != nil
      // Real stores have one-to-one relationships with a key on one side only (CD-3.1); without an inverse nobody finds them.
      if former.inverseKey != nil, relationship.inverseKey == nil, let inverse = former.inverse,
        let owner = old.entity(named: inverse.entityName),
        let property = owner.property(named: inverse.description.name), let pairs = pairs(property, of: owner)?.swapped
      {
        fill(relationship, of: entity, in: table, from: pairs.first, "\(test) AND \(table).\(relationship.key) IS NULL")
      }
    } else if let pairs = pairs(of: name, inverse: relationship.inverse, of: entity) {
      if !pairs.hasOneMember {
        check(
          "SELECT count(*) FROM (SELECT a FROM (\(pairs.sql)) GROUP BY a HAVING count(DISTINCT b) > 1)", entity.name,
          name, .severalObjects)
      }
      isOrdered = isOrdered || pairs.hasOwnerOrder
      fill(relationship, of: entity, in: table, from: pairs, test)
    }
    if !isOrdered, let order = relationship.orderColumn { addOrder(order, by: relationship.key, in: table) }
    if !relationship.description.isOptional, isNewlyMandatory(name, of: entity) {
      check(
        "SELECT count(*) FROM \(table) WHERE \(relationship.key) IS NULL AND Z_ENT \(SQLText.numbersTest(entity.kindNumbers))",
        entity.name, name, .missingObject)
    }
  }

  /// Sets the keys of a to-one relationship from pairs of an owner and its object.
  private mutating func fill(
    _ relationship: ToOneLayout, of entity: EntityLayout, in table: Identifier, from pairs: RelationshipPairs,
    _ test: String
  ) {
    guard let destination = new.entity(named: relationship.destinationName) else { return }
    var assignments = ["\(relationship.key) = p.b"]
    if let column = relationship.entityColumn { assignments.append("\(column) = p.e") }
    if let column = relationship.orderColumn, pairs.hasOwnerOrder { assignments.append("\(column) = p.r") }
    let kind = "d.Z_ENT \(SQLText.numbersTest(destination.kindNumbers))"
    run(
      "UPDATE \(table) SET \(assignments.joined(separator: ", ")) FROM (SELECT q.a, q.b, q.r, d.Z_ENT e FROM (\(pairs.sql)) q"
        + " JOIN \(destination.table) d ON d.Z_PK = q.b WHERE \(kind)) p WHERE p.a = \(table).Z_PK\(test)")
  }

  private func isNewlyMandatory(_ name: String, of entity: EntityLayout) -> Bool {
    guard case .toOne(let former)? = former(name, of: entity)?.property else { return true }
    return former.description.isOptional
      || survivors(of: former.destinationName, in: former.destinationName).count
        < kinds(of: former.destinationName).count
  }

  private mutating func addVirtualKeys(
    of relationship: ToManyLayout, _ side: ToManyLayout.KeySide, of entity: EntityLayout
  ) {
    let name = relationship.description.name
    var isOrdered = side.orderColumn == nil
    if case .toMany(let former)? = former(name, of: entity)?.property, case .key(let old) = former.storage,
      old.isVirtual
    {
      isOrdered = isOrdered || old.orderColumn != nil
    } else if let pairs = pairs(of: name, inverse: nil, of: entity) {
      if !pairs.hasOneOwner {
        check(
          "SELECT count(*) FROM (SELECT b FROM (\(pairs.sql)) GROUP BY b HAVING count(DISTINCT a) > 1)", entity.name,
          name, .severalObjects)
      }
      var assignments = ["\(side.key) = p.a"]
      if let column = side.orderColumn, pairs.hasMemberOrder {
        assignments.append("\(column) = p.o")
        isOrdered = true
      }
      run(
        "UPDATE \(side.table) SET \(assignments.joined(separator: ", ")) FROM (\(pairs.sql)) p WHERE p.b = \(side.table).Z_PK"
          + " AND p.a IN (SELECT Z_PK FROM \(entity.table) WHERE Z_ENT \(SQLText.numbersTest(entity.kindNumbers)))")
    }
    if !isOrdered, let order = side.orderColumn { addOrder(order, by: side.key, in: side.table) }
  }

  /// The order of members that had none: their keys (CD-3.4).
  private mutating func addOrder(_ order: Identifier, by key: Identifier, in table: Identifier) {
    let number = "row_number() OVER (PARTITION BY \(key) ORDER BY Z_PK)"
    run(
      "UPDATE \(table) SET \(order) = p.n FROM (SELECT Z_PK k, \(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * \(number) n"
        + " FROM \(table) WHERE \(key) NOT NULL) p WHERE p.k = \(table).Z_PK")
  }

  // MARK: Join tables

  /// Whether an old join table is the new one, with the same pairs.
  func keptJoinTable(_ join: JoinTableLayout, _ plans: [TablePlan]) -> Bool {
    guard let former = old.joinTables.first(where: { $0.name == join.name && $0.definition == join.definition }),
      let master = new.entity(named: join.master.entityName), let other = new.entity(named: join.other.entityName),
      case .toMany(let relationship)? = self.former(join.master.relationshipName, of: master)?.property,
      case .joinTable(let side) = relationship.storage, side.table == former.name, side.ownColumn == join.masterColumn,
      side.isReflexive == join.isReflexive
    else { return false }
    return [master, other].allSatisfy { entity in
      source(of: entity).map { survivors(of: $0.name, in: entity.name).count == kinds(of: $0.name).count } ?? false
    }
  }

  private mutating func addPairs(to join: JoinTableLayout) throws {
    guard let master = new.entity(named: join.master.entityName), let other = new.entity(named: join.other.entityName),
      case .toMany(let relationship)? = master.property(named: join.master.relationshipName),
      let pairs = pairs(of: join.master.relationshipName, inverse: relationship.inverse, of: master)
    else { return }
    var columns = [join.masterColumn, join.otherColumn]
    var values = ["a", "b"]
    if let column = join.masterOrderColumn {
      columns.append(column)
      values.append(pairs.hasOwnerOrder ? "r" : orderNumber(of: "a", among: "b"))
    }
    if let column = join.otherOrderColumn {
      columns.append(column)
      values.append(pairs.hasMemberOrder ? "o" : orderNumber(of: "b", among: "a"))
    }
    func exists(_ column: String, _ entity: EntityLayout) -> String {
      "\(column) IN (SELECT Z_PK FROM \(entity.table) WHERE Z_ENT \(SQLText.numbersTest(entity.kindNumbers)))"
    }
    var source = "SELECT a, b, o, r FROM (\(pairs.sql)) WHERE \(exists("a", master)) AND \(exists("b", other))"
    // A relationship that is its own inverse has each pair twice, once for each direction (CD-3.3).
    if join.isReflexive {
      source += " UNION SELECT b, a, r, o FROM (\(pairs.sql)) WHERE \(exists("a", master)) AND \(exists("b", other))"
    }
    run(
      "INSERT OR IGNORE INTO \(join.name) (\(columns.map(\.description).joined(separator: ", ")))"
        + " SELECT \(values.joined(separator: ", ")) FROM (\(source))")
  }

  private func orderNumber(of item: String, among owner: String) -> String {
    "\(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * row_number() OVER (PARTITION BY \(owner) ORDER BY \(item))"
  }

  // MARK: Old relationships

  /// The old property of a new one, and the old entity that has it.
  func former(_ name: String, of entity: EntityLayout) -> (entity: EntityLayout, property: PropertyLayout)? {
    guard let source = source(of: entity),
      let property = properties[entity.name]?[name].flatMap({ source.property(named: $0) })
    else { return nil }
    return (source, property)
  }

  /// Checks that no relationship leads to objects of an entity that are none of its new destination.
  func checkDestinations() throws {
    for entity in new.entities {
      for property in entity.properties where property.declaringEntityName == entity.name {
        guard let to = property.destinationName, let former = former(property.name, of: entity),
          let from = former.property.destinationName, !leads(former.property, to: to), !isGone(from)
        else { continue }
        throw refusal(.destinationChange(from: from, to: to), property.name, of: entity)
      }
    }
  }

  /// Whether an old entity has no objects under the new model, or never had any.
  private func isGone(_ name: String) -> Bool { matching.destination(of: name) == nil || kinds(of: name).isEmpty }

  /// Whether objects of an old relationship are objects of an entity still.
  private func leads(_ former: PropertyLayout, to destination: String) -> Bool {
    former.destinationName.map { !survivors(of: $0, in: destination).isEmpty } ?? true
  }

  /// The pairs of the old relationship that a new one, or its inverse, comes from; `nil` for a new relationship, and for one whose old
  /// objects are gone.
  private func pairs(of name: String, inverse: InverseLayout?, of entity: EntityLayout) -> RelationshipPairs? {
    if let former = former(name, of: entity) {
      guard let destination = entity.property(named: name)?.destinationName, leads(former.property, to: destination)
      else { return nil }
      return pairs(former.property, of: former.entity)
    }
    guard let inverse, let other = new.entity(named: inverse.entityName),
      let former = former(inverse.description.name, of: other), leads(former.property, to: entity.name)
    else { return nil }
    return pairs(former.property, of: former.entity)?.swapped
  }

  private func pairs(_ property: PropertyLayout, of entity: EntityLayout) -> RelationshipPairs? {
    switch property {
    case .attribute: return nil
    case .toOne(let relationship):
      return RelationshipPairs(
        sql:
          "SELECT Z_PK AS a, \(relationship.key) AS b, NULL AS o, \(relationship.orderColumn.map(\.description) ?? "NULL") AS r"
          + " FROM \(present(entity.table)) WHERE \(relationship.key) NOT NULL AND Z_ENT \(SQLText.numbersTest(entity.kindNumbers))",
        hasMemberOrder: false, hasOwnerOrder: relationship.orderColumn != nil,
        hasOneOwner: relationship.inverseKey != nil, hasOneMember: true)
    case .toMany(let relationship):
      switch relationship.storage {
      case .key(let side):
        return RelationshipPairs(
          sql: "SELECT \(side.key) AS a, Z_PK AS b, \(side.orderColumn.map(\.description) ?? "NULL") AS o, NULL AS r"
            + " FROM \(present(side.table)) WHERE \(side.key) NOT NULL",
          hasMemberOrder: side.orderColumn != nil, hasOwnerOrder: false, hasOneOwner: true, hasOneMember: false)
      case .joinTable(let side):
        return RelationshipPairs(
          sql:
            "SELECT \(side.ownColumn) AS a, \(side.otherColumn) AS b, \(side.orderColumn.map(\.description) ?? "NULL") AS o,"
            + " \(side.inverseOrderColumn.map(\.description) ?? "NULL") AS r FROM \(present(side.table))",
          hasMemberOrder: side.orderColumn != nil, hasOwnerOrder: side.inverseOrderColumn != nil, hasOneOwner: false,
          hasOneMember: false)
      }
    }
  }

  // MARK: Kinds

  /// The numbers of an old entity and its subentities that can have rows.
  func kinds(of name: String) -> [Int] {
    (old.entity(named: name)?.kindNumbers ?? []).filter { old.entity(numbered: $0)?.isAbstract == false }
  }

  /// Those of them whose rows are objects of a new entity.
  func survivors(of name: String, in destination: String) -> [Int] {
    guard
      let destination = new.entity(named: destination)
        ?? matching.destination(of: name).flatMap({ new.entity(named: $0) })
    else { return [] }
    return kinds(of: name).filter { newNumbers[$0].map(destination.includes) ?? false }
  }

  private func refusal(_ reason: MigrationObstacle.Reason, _ property: String, of entity: EntityLayout)
    -> MigrationError
  {
    MigrationError(
      obstacle: MigrationObstacle(entity: entity.name, property: property, reason: reason), rowCount: nil)
  }
}

extension PropertyLayout {
  /// The destination of a relationship; `nil` for an attribute.
  fileprivate var destinationName: String? {
    switch self {
    case .attribute: nil
    case .toOne(let relationship): relationship.destinationName
    case .toMany(let relationship): relationship.destinationName
    }
  }
}
