import ErrorReporting
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

extension MigrationPlanner {
  // MARK: Keys in the rows

  /// The columns of a to-one relationship, as far as they come from the row itself.
  func keys(of relationship: ToOneLayout, from former: PropertyLayout?) -> [Identifier: MigratedValue] {
    let columns = [relationship.key, relationship.entityColumn, relationship.orderColumn].compactMap { $0 }
    var values = Dictionary(uniqueKeysWithValues: columns.map { ($0, MigratedValue.later) })
    switch former {
    case nil, .toMany, .attribute: return values
    case .toOne(let old):
      let members = relationships.members(of: old.description, in: relationship.destinationName)
      values[relationship.key] = key(old.key, in: old.destinationTable, members)
      if let column = relationship.entityColumn { values[column] = entityNumber(of: old, members) }
      if let column = relationship.orderColumn, let order = old.orderColumn {
        values[column] = key(old.key, in: old.destinationTable, members, giving: order)
      }
      return values
    }
  }

  /// A key that leads to one of these entities, or the order key beside it.
  private func key(
    _ key: Identifier, in table: Identifier, _ kinds: FormerRelationship.Kinds, giving order: Identifier? = nil
  ) -> MigratedValue {
    let column = order ?? key
    if kinds.isWhole { return .column(column) }
    if kinds.names.isEmpty { return .later }
    let test = "o.\(key) IN (SELECT Z_PK FROM "
    return .computed { [self] in "CASE WHEN \(test)\($0(table)) WHERE \(kindTest(kinds))) THEN o.\(column) END" }
  }

  /// The new entity number of a to-one relationship's object.
  private func entityNumber(of old: ToOneLayout, _ members: FormerRelationship.Kinds) -> MigratedValue {
    let numbers = members.names.compactMap { self.old.entity(named: $0)?.number }
    if let column = old.entityColumn {
      if members.isWhole, numbers.allSatisfy({ newNumbers[$0] == $0 }) { return .column(column) }
      let cases = numbers.compactMap { number in newNumbers[number].map { "WHEN \(number) THEN \($0)" } }
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
    for (owner, relationship, side) in virtualSides[table.name] ?? [] {
      guard new.entity(named: relationship.destinationName)?.includes(entity.number) == true else { continue }
      var values: [MigratedValue] = [.later, .later]
      if let former = keptVirtualKey(of: relationship.description.name, of: owner), former.side.table == source.table {
        values[0] = key(former.side.key, in: former.ownerTable, former.relationship.owners)
        if let order = former.side.orderColumn {
          values[1] = key(former.side.key, in: former.ownerTable, former.relationship.owners, giving: order)
        }
      }
      result.append((side.key, values[0]))
      if let order = side.orderColumn { result.append((order, values[1])) }
    }
    return result
  }

  /// The virtual key that all links of a new relationship without inverse come from; `nil` if they come from elsewhere too.
  private func keptVirtualKey(
    of name: String, of entity: EntityLayout
  ) -> (relationship: FormerRelationship, side: ToManyLayout.KeySide, ownerTable: Identifier)? {
    let formers = relationships.formers(of: name, of: entity.name)
    guard formers.count == 1, let former = formers.first, !former.isSwapped,
      case .toMany(let relationship)? = layout(of: former), case .key(let side) = relationship.storage, side.isVirtual,
      let owner = old.entity(named: former.entityName)
    else { return nil }
    return (former, side, owner.table)
  }

  /// The relationships without inverse of a layout, by the table that has their keys.
  static func virtualSides(in layout: StoreLayout) -> [Identifier: [VirtualSide]] {
    var sides: [Identifier: [VirtualSide]] = [:]
    for entity in layout.entities {
      for case .toMany(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
        guard case .key(let side) = relationship.storage, side.isVirtual else { continue }
        sides[side.table, default: []].append((entity, relationship, side))
      }
    }
    return sides
  }

  // MARK: Keys from elsewhere

  /// Fills the keys and the join tables whose old relationships were stored in another way.
  mutating func addRelationships(_ joins: [JoinPlan]) {
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
    for join in joins where !join.isKept { addPairs(to: join.table) }
  }

  private mutating func addKeys(of relationship: ToOneLayout, of entity: EntityLayout) {
    let (table, name) = (entity.table, relationship.description.name)
    let test =
      new.table(table)?.rootNumber == entity.number ? "" : " AND Z_ENT \(SQLText.numbersTest(entity.kindNumbers))"
    let formers = relationships.formers(of: name, of: entity.name)
    let inRows = formers.filter { isKey($0) }
    let elsewhere = formers.filter { isElsewhere($0, relationship) }
    var isOrdered = formers.count < 2 && inRows.allSatisfy { hasOwnerOrder($0) }
    if let pairs = pairs(of: elsewhere), let all = self.pairs(of: formers) {
      if !all.hasOneMember { check(all.ownersOfSeveral, entity.name, name, .severalObjects) }
      isOrdered = isOrdered && pairs.hasOwnerOrder
      let isOpen = inRows.isEmpty ? "" : " AND \(table).\(relationship.key) IS NULL"
      fill(relationship, of: entity, in: table, from: pairs, test + isOpen)
      if !inRows.isEmpty, let order = relationship.orderColumn {
        // Links that both sides had.
        run(
          "UPDATE \(table) SET \(order) = p.r FROM (\(pairs.sql)) p WHERE p.a = \(table).Z_PK AND p.b = \(table).\(relationship.key)"
            + " AND \(table).\(order) IS NULL\(test)")
      }
    }
    if !isOrdered, let order = relationship.orderColumn { addOrder(order, by: relationship.key, in: table) }
    if !relationship.description.isOptional, isNewlyMandatory(name, formers, of: entity) {
      // No delete rule clears a key without an inverse, so that it may lead nowhere.
      let isMissing =
        "(\(relationship.key) IS NULL OR \(relationship.key) NOT IN (SELECT Z_PK FROM \(relationship.destinationTable)))"
      check(
        "SELECT count(*) FROM \(table) WHERE \(isMissing) AND Z_ENT \(SQLText.numbersTest(entity.kindNumbers))",
        entity.name, name,
        .missingObject(of: relationships.isFormer(name, of: entity.name) ? .formerProperty : .newProperty))
    }
  }

  /// Whether the links are keys in the rows themselves, which are copied with the rows.
  private func isKey(_ former: FormerRelationship) -> Bool {
    if case .toOne? = layout(of: former) { !former.isSwapped } else { false }
  }

  /// Whether links are to be read from another place than the rows.
  private func isElsewhere(_ former: FormerRelationship, _ relationship: ToOneLayout) -> Bool {
    // The other key of a one-to-one relationship counts only where both models have it.
    !isKey(former) || (relationship.inverseKey == nil && hasInverseKey(former))
  }

  /// Whether a relationship keeps the keys in its rows, and gets others, which must not be taken for old ones.
  func gainsKeys(_ relationship: ToOneLayout, of entity: EntityLayout) -> Bool {
    let formers = relationships.formers(of: relationship.description.name, of: entity.name)
    return formers.contains { isKey($0) } && formers.contains { isElsewhere($0, relationship) }
  }

  private func hasInverseKey(_ former: FormerRelationship) -> Bool {
    if case .toOne(let relationship)? = layout(of: former) { relationship.inverseKey != nil } else { false }
  }

  private func hasOwnerOrder(_ former: FormerRelationship) -> Bool {
    if case .toOne(let relationship)? = layout(of: former) { relationship.orderColumn != nil } else { false }
  }

  /// Sets the keys of a to-one relationship from pairs of an owner and its object.
  private mutating func fill(
    _ relationship: ToOneLayout, of entity: EntityLayout, in table: Identifier, from pairs: RelationshipPairs,
    _ test: String
  ) {
    guard let destination = new.entity(named: relationship.destinationName) else { return }
    var assignments = ["\(relationship.key) = p.b"]
    if let column = relationship.entityColumn { assignments.append("\(column) = p.e") }
    if let column = relationship.orderColumn { assignments.append("\(column) = p.r") }
    let kind = "d.Z_ENT \(SQLText.numbersTest(destination.kindNumbers))"
    run(
      "UPDATE \(table) SET \(assignments.joined(separator: ", ")) FROM (SELECT q.a, q.b, q.r, d.Z_ENT e FROM (\(pairs.sql)) q"
        + " JOIN \(destination.table) d ON d.Z_PK = q.b WHERE \(kind)) p WHERE p.a = \(table).Z_PK\(test)")
  }

  private func isNewlyMandatory(_ name: String, _ formers: [FormerRelationship], of entity: EntityLayout) -> Bool {
    let keeping = formers.filter { isKey($0) && !$0.description.isOptional && $0.members.isWhole }
    return !Set(keeping.flatMap(\.owners.names)).isSuperset(of: relationships.sources(of: entity.name).map(\.old))
  }

  private mutating func addVirtualKeys(
    of relationship: ToManyLayout, _ side: ToManyLayout.KeySide, of entity: EntityLayout
  ) {
    let name = relationship.description.name
    var isOrdered = side.orderColumn == nil
    if let former = keptVirtualKey(of: name, of: entity) {
      isOrdered = isOrdered || former.side.orderColumn != nil
    } else if let pairs = pairs(of: relationships.formers(of: name, of: entity.name)) {
      if !pairs.hasOneOwner { check(pairs.membersOfSeveral, entity.name, name, .severalOwners) }
      var assignments = ["\(side.key) = p.a"]
      if let column = side.orderColumn {
        assignments.append("\(column) = p.o")
        isOrdered = pairs.hasMemberOrder
      }
      run(
        "UPDATE \(side.table) SET \(assignments.joined(separator: ", ")) FROM (\(pairs.sql)) p WHERE p.b = \(side.table).Z_PK"
          + " AND p.a IN (SELECT Z_PK FROM \(entity.table) WHERE Z_ENT \(SQLText.numbersTest(entity.kindNumbers)))")
    }
    if !isOrdered, let order = side.orderColumn { addOrder(order, by: side.key, in: side.table) }
  }

  /// Numbers all members of each owner: those with an order first, the others by their keys (CD-3.4).
  private mutating func addOrder(_ order: Identifier, by key: Identifier, in table: Identifier) {
    let number = "row_number() OVER (PARTITION BY \(key) ORDER BY \(order) NULLS LAST, Z_PK)"
    run(
      "UPDATE \(table) SET \(order) = p.n FROM (SELECT Z_PK k, \(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * \(number) n"
        + " FROM \(table) WHERE \(key) NOT NULL) p WHERE p.k = \(table).Z_PK")
  }

  // MARK: Join tables

  /// Whether an old join table is the new one, with the same pairs.
  func keptJoinTable(_ join: JoinTableLayout) -> Bool {
    let formers = relationships.formers(of: join.master.relationshipName, of: join.master.entityName)
    guard
      let table = old.joinTables.first(where: {
        $0.name == join.name && $0.definition.hasBytes(of: join.definition)
      }),
      formers.count == 1, let former = formers.first, !former.isSwapped, former.owners.isWhole, former.members.isWhole,
      case .toMany(let relationship)? = layout(of: former), case .joinTable(let side) = relationship.storage
    else { return false }
    return side.table == table.name && side.ownColumn == join.masterColumn && side.isReflexive == join.isReflexive
  }

  private mutating func addPairs(to join: JoinTableLayout) {
    guard let master = new.entity(named: join.master.entityName), let other = new.entity(named: join.other.entityName)
    else { return }
    let formers = relationships.formers(of: join.master.relationshipName, of: master.name)
    guard let pairs = pairs(of: formers.filter { !join.isReflexive || !$0.isSwapped }) else { return }
    var columns = [join.masterColumn, join.otherColumn]
    var values = ["a", "b"]
    if let column = join.masterOrderColumn {
      columns.append(column)
      values.append(pairs.hasOwnerOrder ? "r" : orderNumber(of: "a", among: "b", by: "r"))
    }
    if let column = join.otherOrderColumn {
      columns.append(column)
      values.append(pairs.hasMemberOrder ? "o" : orderNumber(of: "b", among: "a", by: "o"))
    }
    func exists(_ column: String, _ entity: EntityLayout) -> String {
      "+\(column) IN (SELECT Z_PK FROM \(entity.table) WHERE Z_ENT \(SQLText.numbersTest(entity.kindNumbers)))"
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

  private func orderNumber(of item: String, among owner: String, by order: String) -> String {
    "\(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * row_number() OVER (PARTITION BY \(owner) ORDER BY \(order) NULLS LAST, \(item))"
  }

  // MARK: Old relationships

  /// Checks that no link leads to an object of an entity that is none of the relationship's new destination.
  mutating func checkRelationships() throws {
    for entity in new.entities {
      for property in entity.properties where property.declaringEntityName == entity.name {
        guard let destination = property.destinationName else { continue }
        for source in relationships.sources(of: entity.name) {
          guard let former = relationships.properties[source.new]?[property.name],
            case .attribute? = old.entity(named: source.old)?.property(named: former)
          else { continue }
          throw refusal(.kindChange, property.name, of: entity)
        }
        for former in relationships.formers(of: property.name, of: entity.name)
        where !former.isSwapped && !former.members.elsewhere.isEmpty {
          let reason = MigrationObstacle.Reason.destinationChange(
            from: former.description.destinationEntityName, to: destination)
          if former.members.names.isEmpty { throw refusal(reason, property.name, of: entity) }
          guard let pairs = pairs(of: [former.leadingElsewhere]) else { continue }
          check("SELECT count(*) FROM (\(pairs.sql))", entity.name, property.name, reason)
        }
      }
    }
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
