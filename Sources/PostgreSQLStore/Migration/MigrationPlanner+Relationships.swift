import ManagedModel
import PostgreSQL
import StoreRequests

extension MigrationPlanner {
  // MARK: Keys in the rows

  /// The columns of a to-one relationship, as far as they come from the row itself.
  func keys(of relationship: ToOneLayout, from former: PropertyLayout?) -> [Identifier: MigratedValue] {
    guard case .toOne(let former)? = former else { return [:] }
    let description = former.relationship.description
    let members = relationships.members(of: description, in: relationship.relationship.destinationName)
    var values: [Identifier: MigratedValue] = [:]
    values[relationship.key.name] = key(former.key.name, to: description.destinationEntityName, members)
    if let column = relationship.order, let order = former.order {
      values[column] = key(former.key.name, to: description.destinationEntityName, members, giving: order)
    }
    return values
  }

  /// A key that leads to one of these entities, or the order key beside it.
  private func key(
    _ key: Identifier, to entity: String, _ kinds: FormerRelationship.Kinds, giving order: Identifier? = nil
  ) -> MigratedValue? {
    if kinds.names.isEmpty { return nil }
    let column = order ?? key
    guard let table = old.entities.entity(named: entity).map({ old.table(of: $0) }),
      let exists = exists("o.\(key)", in: table, kinds)
    else { return .column(column) }
    return .adjusted(
      column, sql: "CASE WHEN \(exists) THEN o.\(column) END", rows: "o.\(column) IS NOT NULL AND NOT \(exists)")
  }

  /// The keys of relationships without inverse that lead to rows of an entity.
  func virtualKeys(of copy: RowCopy) -> [Identifier: MigratedValue] {
    var result: [Identifier: MigratedValue] = [:]
    for (owner, relationship, side) in virtualSides.new {
      guard
        new.entities.entity(named: relationship.destinationName)?.kindNumbers.contains(copy.destination.number) == true,
        let (former, oldSide) = keptVirtualKey(of: relationship.description.name, of: owner),
        old.entities.entity(named: former.description.destinationEntityName)?.hierarchy == copy.source.hierarchy
      else { continue }
      result[side.column] = key(oldSide.column, to: former.entityName, former.owners)
      if let column = side.order, let order = oldSide.order {
        result[column] = key(oldSide.column, to: former.entityName, former.owners, giving: order)
      }
    }
    return result
  }

  /// The virtual key that all links of a new relationship without inverse come from; `nil` if they come from elsewhere too.
  private func keptVirtualKey(
    of name: String, of entity: StoreEntity
  ) -> (FormerRelationship, ToManyLayout.KeySide)? {
    let formers = relationships.formers(of: name, of: entity.name)
    guard formers.count == 1, let former = formers.first, !former.isSwapped,
      case .toMany(let relationship)? = layout(of: former), case .key(let side) = relationship.storage, side.isVirtual
    else { return nil }
    return (former, side)
  }

  /// The relationships without inverse of a layout.
  static func virtualSides(in layout: StoreLayout) -> [VirtualSide] {
    layout.entities.entities.flatMap { entity in
      entity.properties.compactMap { property in
        guard case .toMany(let relationship) = property, relationship.declaringEntityName == entity.name,
          case .toMany(let toMany)? = try? layout.property(property.name, of: entity),
          case .key(let side) = toMany.storage, side.isVirtual
        else { return nil }
        return (entity, relationship, side)
      }
    }
  }

  // MARK: Keys from elsewhere

  /// The links of relationships that the rows themselves do not bring along, read before any row changes.
  mutating func readLinks() {
    for entity in new.entities.entities {
      for property in entity.properties {
        switch property {
        case .toOne(let relationship) where relationship.declaringEntityName == entity.name:
          if let toOne = try? new.toOne(property.name, of: entity) { readKeys(of: toOne, of: entity) }
        case .toMany(let relationship) where relationship.declaringEntityName == entity.name:
          guard let toMany = try? new.toMany(property.name, of: entity), case .key(let side) = toMany.storage,
            side.isVirtual
          else { continue }
          readVirtualKeys(of: relationship, side, of: entity)
        case .attribute, .toOne, .toMany: break
        }
      }
    }
    for join in joins where join.base == nil { readPairs(of: join) }
  }

  /// Fills the keys and the join tables whose old relationships were stored in another way.
  mutating func addRelationships() {
    for sql in links.statements { run(sql) }
    for table in links.tables { run("DROP TABLE \(new.qualified(table))") }
  }

  private mutating func readKeys(of toOne: ToOneLayout, of entity: StoreEntity) {
    let name = toOne.relationship.description.name
    let plan = plans[entity.hierarchy]
    let formers = relationships.formers(of: name, of: entity.name)
    let inRows = formers.filter { isKey($0) }
    var isOrdered = formers.count < 2 && inRows.allSatisfy { hasOwnerOrder($0) }
    if let pairs = pairs(of: formers.filter { !isKey($0) }), let all = self.pairs(of: formers) {
      if !all.hasOneMember { check(all.ownersOfSeveral, entity.name, name, .severalObjects) }
      isOrdered = isOrdered && pairs.hasOwnerOrder
      fill(toOne, of: entity, from: keeping(pairs), isOpen: !inRows.isEmpty)
    }
    if !isOrdered, let order = toOne.order {
      addOrder(plan.present(order), by: plan.present(toOne.key.name), in: plan.present)
    }
  }

  /// Whether the links are keys in the rows themselves, which stay there.
  private func isKey(_ former: FormerRelationship) -> Bool {
    if case .toOne? = layout(of: former) { !former.isSwapped } else { false }
  }

  private func hasOwnerOrder(_ former: FormerRelationship) -> Bool {
    if case .toOne(let relationship)? = layout(of: former) { relationship.order != nil } else { false }
  }

  /// Pairs as they are before any row changes.
  private mutating func keeping(_ pairs: RelationshipPairs) -> RelationshipPairs {
    let name = temporaryName()
    links.tables.append(name)
    run("CREATE TABLE \(new.qualified(name)) AS \(pairs.sql)")
    var kept = pairs
    kept.sql = "SELECT a, b, o, r FROM \(new.qualified(name))"
    return kept
  }

  /// Sets the keys of a to-one relationship from pairs of an owner and its object.
  private mutating func fill(
    _ toOne: ToOneLayout, of entity: StoreEntity, from pairs: RelationshipPairs, isOpen: Bool
  ) {
    guard let destination = new.entities.entity(named: toOne.relationship.destinationName) else { return }
    let plan = plans[entity.hierarchy]
    var sets = ["\(plan.present(toOne.key.name)) = p.b"]
    if let column = toOne.order { sets.append("\(plan.present(column)) = p.r") }
    let key = plan.present(toOne.key.name)
    let open = isOpen ? " AND t.\(key) IS NULL" : ""
    links.statements.append(
      "UPDATE \(plan.present) t SET \(sets.joined(separator: ", ")) FROM (\(pairs.sql)) p "
        + "JOIN \(plans[destination.hierarchy].present) d ON d.\(TableLayout.key) = p.b "
        + "WHERE p.a = t.\(TableLayout.key) AND \(kindTest(destination, alias: "d")) AND \(kindTest(entity, alias: "t"))\(open)"
    )
    if isOpen, let column = toOne.order {
      // Links that both sides had.
      let order = plan.present(column)
      links.statements.append(
        "UPDATE \(plan.present) t SET \(order) = p.r FROM (\(pairs.sql)) p "
          + "WHERE p.a = t.\(TableLayout.key) AND p.b = t.\(key) AND t.\(order) IS NULL AND \(kindTest(entity, alias: "t"))"
      )
    }
  }

  private mutating func readVirtualKeys(
    of relationship: StoreRelationship, _ side: ToManyLayout.KeySide, of entity: StoreEntity
  ) {
    guard let destination = new.entities.entity(named: relationship.destinationName) else { return }
    let name = relationship.description.name
    let plan = plans[destination.hierarchy]
    var isOrdered = side.order == nil
    if let (_, old) = keptVirtualKey(of: name, of: entity) {
      isOrdered = isOrdered || old.order != nil
    } else if let found = pairs(of: relationships.formers(of: name, of: entity.name)) {
      if !found.hasOneOwner { check(found.membersOfSeveral, entity.name, name, .severalOwners) }
      let pairs = keeping(found)
      var sets = ["\(plan.present(side.column)) = p.a"]
      if let column = side.order {
        sets.append("\(plan.present(column)) = p.o")
        isOrdered = pairs.hasMemberOrder
      }
      links.statements.append(
        "UPDATE \(plan.present) t SET \(sets.joined(separator: ", ")) FROM (\(pairs.sql)) p "
          + "JOIN \(plans[entity.hierarchy].present) d ON d.\(TableLayout.key) = p.a "
          + "WHERE p.b = t.\(TableLayout.key) AND \(kindTest(entity, alias: "d")) AND \(kindTest(destination, alias: "t"))"
      )
    }
    if !isOrdered, let order = side.order {
      addOrder(plan.present(order), by: plan.present(side.column), in: plan.present)
    }
  }

  /// Numbers all members of each owner: those with an order first, the others by their keys.
  private mutating func addOrder(_ order: Identifier, by key: Identifier, in table: String) {
    links.statements.append(
      "UPDATE \(table) t SET \(order) = p.n FROM (SELECT \(TableLayout.key) AS k, \(orderNumber(of: "\(TableLayout.key)", among: "\(key)", by: "\(order)")) AS n "
        + "FROM \(table) WHERE \(key) IS NOT NULL) p WHERE p.k = t.\(TableLayout.key)")
  }

  private func orderNumber(of item: String, among owner: String, by order: String) -> String {
    "\(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * row_number() OVER (PARTITION BY \(owner) ORDER BY \(order) NULLS LAST, \(item))"
  }

  // MARK: Join tables

  /// The old join table that has the very pairs of a new one; `nil` if the pairs are to be written.
  func keptJoinTable(_ join: JoinTableLayout) -> JoinTableLayout? {
    guard let (master, toMany, side) = writtenSide(of: join),
      let other = new.entities.entity(named: toMany.destinationName)
    else { return nil }
    let formers = relationships.formers(of: toMany.description.name, of: master.name)
    guard formers.count == 1, let former = formers.first, !former.isSwapped, former.owners.isWhole,
      former.members.isWhole, case .toMany(let relationship)? = layout(of: former),
      case .joinTable(let oldSide) = relationship.storage, oldSide.own == oldSide.table.own,
      oldSide.isReflexive == side.isReflexive, (oldSide.order == nil) == (side.order == nil),
      (oldSide.inverseOrder == nil) == (side.inverseOrder == nil)
    else { return nil }
    let areSame = [(master, oldSide.table.ownHierarchy), (other, oldSide.table.otherHierarchy)].allSatisfy {
      plans[$0.hierarchy].base === old.tables[$1]
    }
    return areSame ? oldSide.table : nil
  }

  /// The relationship that writes the pairs of a new join table.
  func writtenSide(
    of join: JoinTableLayout
  ) -> (StoreEntity, StoreRelationship, ToManyLayout.JoinSide)? {
    for entity in new.entities.entities {
      for case .toMany(let relationship) in entity.properties
      where relationship.declaringEntityName == entity.name && relationship.storage.isListed {
        if case .joinTable(let side)? = (try? new.toMany(relationship.description.name, of: entity))?.storage,
          side.table === join
        {
          return (entity, relationship, side)
        }
      }
    }
    return nil
  }

  private mutating func readPairs(of join: JoinPlan) {
    guard let (master, relationship, side) = writtenSide(of: join.table),
      let other = new.entities.entity(named: relationship.destinationName)
    else { return }
    let formers = relationships.formers(of: relationship.description.name, of: master.name)
    guard let found = pairs(of: formers.filter { !side.isReflexive || !$0.isSwapped }) else { return }
    let pairs = keeping(found)
    func exists(_ column: String, _ entity: StoreEntity) -> String {
      "EXISTS (SELECT 1 FROM \(plans[entity.hierarchy].present) d WHERE d.\(TableLayout.key) = \(column) AND \(kindTest(entity, alias: "d")))"
    }
    // A table may have a column of the name.
    let sound = "\(exists("p.a", master)) AND \(exists("p.b", other))"
    var source = "SELECT a, b, o, r, 0 AS n FROM (\(pairs.sql)) p WHERE \(sound)"
    // A relationship that is its own inverse has each pair twice, once for each direction.
    if side.isReflexive { source += " UNION ALL SELECT b, a, r, o, 1 FROM (\(pairs.sql)) p WHERE \(sound)" }
    source = "SELECT DISTINCT ON (a, b) a, b, o, r, n FROM (\(source)) x ORDER BY a, b, n, o, r"
    var columns = [join.table.own, join.table.other]
    var values = ["a", "b"]
    if let column = join.table.order {
      columns.append(column)
      let isKept = pairs.hasMemberOrder && !side.isReflexive
      values.append(isKept ? "o" : orderNumber(of: "b", among: "a", by: "n, o"))
    }
    if let column = join.table.inverseOrder {
      columns.append(column)
      values.append(pairs.hasOwnerOrder ? "r" : orderNumber(of: "a", among: "b", by: "r"))
    }
    links.statements.append(
      "INSERT INTO \(new.qualified(join.presentName)) (\(columns.map(\.description).joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM (\(source)) y")
  }

  // MARK: Old relationships

  /// Checks that no link leads to an object of an entity that is none of the relationship's new destination.
  mutating func checkRelationships() throws {
    for entity in new.entities.entities {
      for property in entity.properties {
        guard let relationship = property.relationship, relationship.declaringEntityName == entity.name else {
          continue
        }
        for source in relationships.sources(of: entity.name) {
          guard let former = relationships.properties[source.new]?[property.name],
            case .attribute? = old.entities.entity(named: source.old)?.property(named: former)
          else { continue }
          throw refusal(.kindChange, property.name, of: entity)
        }
        for former in relationships.formers(of: property.name, of: entity.name)
        where !former.isSwapped && !former.members.elsewhere.isEmpty {
          let reason = MigrationObstacle.Reason.destinationChange(
            from: former.description.destinationEntityName, to: relationship.destinationName)
          if former.members.names.isEmpty { throw refusal(reason, property.name, of: entity) }
          guard let pairs = pairs(of: [former.leadingElsewhere]) else { continue }
          check("SELECT count(*) FROM (\(pairs.sql)) p", entity.name, property.name, reason)
        }
      }
    }
  }

  private func refusal(_ reason: MigrationObstacle.Reason, _ property: String, of entity: StoreEntity) -> MigrationError
  {
    MigrationError(
      obstacle: MigrationObstacle(entity: entity.name, property: property, reason: reason), rowCount: nil)
  }
}

extension StoreProperty {
  fileprivate var relationship: StoreRelationship? {
    switch self {
    case .attribute: nil
    case .toOne(let relationship), .toMany(let relationship): relationship
    }
  }
}
