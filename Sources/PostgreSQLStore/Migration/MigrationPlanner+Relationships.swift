import ManagedModel
import PostgreSQL
import StoreRequests

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

  var swapped: RelationshipPairs {
    RelationshipPairs(
      sql: "SELECT b AS a, a AS b, r AS o, o AS r FROM (\(sql)) x", hasMemberOrder: hasOwnerOrder,
      hasOwnerOrder: hasMemberOrder, hasOneOwner: hasOneMember, hasOneMember: hasOneOwner)
  }
}

extension MigrationPlanner {
  // MARK: Keys in the rows

  /// The columns of a to-one relationship, as far as they come from the row itself.
  func keys(
    of relationship: ToOneLayout, from former: PropertyLayout?, _ copy: RowCopy
  ) throws -> [Identifier: MigratedValue] {
    switch former {
    case nil, .toMany: return [:]
    case .attribute: throw refusal(.kindChange, relationship.relationship.description.name, of: copy.destination)
    case .toOne(let old):
      let (from, to) = (old.relationship.destinationName, relationship.relationship.destinationName)
      let survivors = survivors(of: from, in: to)
      guard !survivors.isEmpty || isGone(from) else {
        throw refusal(
          .destinationChange(from: from, to: to), relationship.relationship.description.name, of: copy.destination)
      }
      var values: [Identifier: MigratedValue] = [:]
      values[relationship.key.name] = key(old.key.name, to: from, survivors)
      if let column = relationship.order, let order = old.order { values[column] = .column(order) }
      return values
    }
  }

  /// The key, if its row is still there under the new model.
  private func key(_ key: Identifier, to entity: String, _ survivors: [String]) -> MigratedValue? {
    if survivors.count == kinds(of: entity).count { return .column(key) }
    guard !survivors.isEmpty, let table = old.entities.entity(named: entity).map({ old.table(of: $0) }) else {
      return nil
    }
    let exists =
      "EXISTS (SELECT 1 FROM \(table.sql) d WHERE d.\(TableLayout.key) = o.\(key) AND \(kindTest(survivors, in: table, alias: "d")))"
    return .adjusted(
      key, sql: "CASE WHEN \(exists) THEN o.\(key) END", rows: "o.\(key) IS NOT NULL AND NOT \(exists)")
  }

  /// The keys of relationships without inverse that lead to rows of an entity.
  func virtualKeys(of copy: RowCopy) -> [Identifier: MigratedValue] {
    var result: [Identifier: MigratedValue] = [:]
    for (owner, relationship, side) in virtualSides(in: new) {
      guard
        new.entities.entity(named: relationship.destinationName)?.kindNumbers.contains(copy.destination.number) == true,
        let former = former(relationship.description.name, of: owner), case .toMany(let old) = former.property,
        case .key(let oldSide) = old.storage, oldSide.isVirtual,
        self.old.entities.entity(named: old.relationship.destinationName)?.hierarchy == copy.source.hierarchy
      else { continue }
      result[side.column] = key(
        oldSide.column, to: former.entity.name, survivors(of: former.entity.name, in: owner.name))
      if let column = side.order, let order = oldSide.order { result[column] = .column(order) }
    }
    return result
  }

  func virtualSides(
    in layout: StoreLayout
  ) -> [(owner: StoreEntity, relationship: StoreRelationship, side: ToManyLayout.KeySide)] {
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

  /// Fills the keys and the join tables whose old relationships were stored in another way.
  mutating func addRelationships() {
    for entity in new.entities.entities {
      for property in entity.properties {
        switch property {
        case .toOne(let relationship) where relationship.declaringEntityName == entity.name:
          if let toOne = try? new.toOne(property.name, of: entity) { addKeys(of: toOne, of: entity) }
        case .toMany(let relationship) where relationship.declaringEntityName == entity.name:
          guard let toMany = try? new.toMany(property.name, of: entity), case .key(let side) = toMany.storage,
            side.isVirtual
          else { continue }
          addVirtualKeys(of: relationship, side, of: entity)
        case .attribute, .toOne, .toMany: break
        }
      }
    }
    for join in joins where join.base == nil { addPairs(to: join) }
  }

  private mutating func addKeys(of toOne: ToOneLayout, of entity: StoreEntity) {
    let name = toOne.relationship.description.name
    let plan = plans[entity.hierarchy]
    var isOrdered = toOne.order == nil
    if case .toOne(let former)? = former(name, of: entity)?.property {
      isOrdered = isOrdered || former.order != nil
    } else if let pairs = pairs(of: name, toOne.relationship, of: entity) {
      if !pairs.hasOneMember { checkSeveral("a", among: "b", pairs, entity.name, name) }
      isOrdered = isOrdered || pairs.hasOwnerOrder
      fill(toOne, of: entity, from: pairs)
    }
    if !isOrdered, let order = toOne.order {
      addOrder(plan.present(order), by: plan.present(toOne.key.name), in: plan.present)
    }
  }

  private mutating func checkSeveral(
    _ one: String, among other: String, _ pairs: RelationshipPairs, _ entity: String, _ name: String
  ) {
    check(
      "SELECT count(*) FROM (SELECT \(one) FROM (\(pairs.sql)) p GROUP BY \(one) HAVING count(DISTINCT \(other)) > 1) q",
      entity, name, .severalObjects)
  }

  /// Sets the keys of a to-one relationship from pairs of an owner and its object.
  private mutating func fill(_ toOne: ToOneLayout, of entity: StoreEntity, from pairs: RelationshipPairs) {
    guard let destination = new.entities.entity(named: toOne.relationship.destinationName) else { return }
    let plan = plans[entity.hierarchy]
    var sets = ["\(plan.present(toOne.key.name)) = p.b"]
    if let column = toOne.order, pairs.hasOwnerOrder { sets.append("\(plan.present(column)) = p.r") }
    run(
      "UPDATE \(plan.present) t SET \(sets.joined(separator: ", ")) FROM (\(pairs.sql)) p "
        + "JOIN \(plans[destination.hierarchy].present) d ON d.\(TableLayout.key) = p.b "
        + "WHERE p.a = t.\(TableLayout.key) AND \(kindTest(destination, alias: "d")) AND \(kindTest(entity, alias: "t"))"
    )
  }

  private mutating func addVirtualKeys(
    of relationship: StoreRelationship, _ side: ToManyLayout.KeySide, of entity: StoreEntity
  ) {
    guard let destination = new.entities.entity(named: relationship.destinationName) else { return }
    let name = relationship.description.name
    let plan = plans[destination.hierarchy]
    var isOrdered = side.order == nil
    if case .toMany(let former)? = former(name, of: entity)?.property, case .key(let old) = former.storage,
      old.isVirtual
    {
      isOrdered = isOrdered || old.order != nil
    } else if let pairs = pairs(of: name, nil, of: entity) {
      if !pairs.hasOneOwner { checkSeveral("b", among: "a", pairs, entity.name, name) }
      var sets = ["\(plan.present(side.column)) = p.a"]
      if let column = side.order, pairs.hasMemberOrder {
        sets.append("\(plan.present(column)) = p.o")
        isOrdered = true
      }
      run(
        "UPDATE \(plan.present) t SET \(sets.joined(separator: ", ")) FROM (\(pairs.sql)) p "
          + "JOIN \(plans[entity.hierarchy].present) d ON d.\(TableLayout.key) = p.a "
          + "WHERE p.b = t.\(TableLayout.key) AND \(kindTest(entity, alias: "d")) AND \(kindTest(destination, alias: "t"))"
      )
    }
    if !isOrdered, let order = side.order {
      addOrder(plan.present(order), by: plan.present(side.column), in: plan.present)
    }
  }

  /// The order of members that had none: their keys.
  private mutating func addOrder(_ order: Identifier, by key: Identifier, in table: String) {
    run(
      "UPDATE \(table) t SET \(order) = p.n FROM (SELECT \(TableLayout.key) AS k, \(orderNumber(of: "\(TableLayout.key)", among: "\(key)")) AS n "
        + "FROM \(table) WHERE \(key) IS NOT NULL) p WHERE p.k = t.\(TableLayout.key)")
  }

  private func orderNumber(of item: String, among owner: String) -> String {
    "\(OrderKeys.first - OrderKeys.step) + \(OrderKeys.step) * row_number() OVER (PARTITION BY \(owner) ORDER BY \(item))"
  }

  // MARK: Join tables

  /// The old join table that has the very pairs of a new one; `nil` if the pairs are to be written.
  func keptJoinTable(_ join: JoinTableLayout) -> JoinTableLayout? {
    guard let (master, toMany, side) = writtenSide(of: join),
      case .toMany(let former)? = former(toMany.description.name, of: master)?.property,
      case .joinTable(let oldSide) = former.storage, oldSide.own == oldSide.table.own,
      oldSide.isReflexive == side.isReflexive, (oldSide.order == nil) == (side.order == nil),
      (oldSide.inverseOrder == nil) == (side.inverseOrder == nil),
      let other = new.entities.entity(named: toMany.destinationName)
    else { return nil }
    let areSame = [(master, oldSide.table.ownHierarchy), (other, oldSide.table.otherHierarchy)].allSatisfy {
      entity, hierarchy in
      guard let source = source(of: entity) else { return false }
      return plans[entity.hierarchy].base === old.tables[hierarchy]
        && survivors(of: source.name, in: entity.name).count == kinds(of: source.name).count
    }
    return areSame ? oldSide.table : nil
  }

  /// The relationship that writes the pairs of a new join table.
  private func writtenSide(
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

  private mutating func addPairs(to join: JoinPlan) {
    guard let (master, relationship, side) = writtenSide(of: join.table),
      let other = new.entities.entity(named: relationship.destinationName),
      let pairs = pairs(of: relationship.description.name, relationship, of: master)
    else { return }
    func exists(_ column: String, _ entity: StoreEntity) -> String {
      "EXISTS (SELECT 1 FROM \(plans[entity.hierarchy].present) d WHERE d.\(TableLayout.key) = \(column) AND \(kindTest(entity, alias: "d")))"
    }
    // A table may have a column of the name.
    let sound = "\(exists("p.a", master)) AND \(exists("p.b", other))"
    var source = "SELECT a, b, o, r FROM (\(pairs.sql)) p WHERE \(sound)"
    // A relationship that is its own inverse has each pair twice, once for each direction.
    if side.isReflexive { source += " UNION ALL SELECT b, a, r, o FROM (\(pairs.sql)) p WHERE \(sound)" }
    source = "SELECT DISTINCT ON (a, b) a, b, o, r FROM (\(source)) x ORDER BY a, b, o, r"
    var columns = [join.table.own, join.table.other]
    var values = ["a", "b"]
    if let column = join.table.order {
      columns.append(column)
      values.append(pairs.hasMemberOrder ? "o" : orderNumber(of: "b", among: "a"))
    }
    if let column = join.table.inverseOrder {
      columns.append(column)
      values.append(pairs.hasOwnerOrder ? "r" : orderNumber(of: "a", among: "b"))
    }
    run(
      "INSERT INTO \(new.qualified(join.presentName)) (\(columns.map(\.description).joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM (\(source)) y")
  }

  // MARK: Old relationships

  /// The old property of a new one, and the old entity that has it.
  func former(_ name: String, of entity: StoreEntity) -> (entity: StoreEntity, property: PropertyLayout)? {
    guard let source = source(of: entity), let former = properties[entity.name]?[name],
      let property = try? old.property(former, of: source)
    else { return nil }
    return (source, property)
  }

  /// Checks that no relationship leads to objects of an entity that are none of its new destination.
  func checkDestinations() throws {
    for entity in new.entities.entities {
      for property in entity.properties {
        guard let relationship = property.relationship, relationship.declaringEntityName == entity.name,
          let former = former(property.name, of: entity), let from = former.property.destinationName,
          !leads(former.property, to: relationship.destinationName), !isGone(from)
        else { continue }
        throw refusal(.destinationChange(from: from, to: relationship.destinationName), property.name, of: entity)
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
  private func pairs(of name: String, _ relationship: StoreRelationship?, of entity: StoreEntity) -> RelationshipPairs?
  {
    if let former = former(name, of: entity) {
      guard let destination = entity.property(named: name)?.relationship?.destinationName,
        leads(former.property, to: destination)
      else { return nil }
      return pairs(former.property, of: former.entity)
    }
    guard let inverse = relationship?.inverse,
      let other = relationship?.inverseEntityName.flatMap({ new.entities.entity(named: $0) }),
      let former = former(inverse.name, of: other), leads(former.property, to: entity.name)
    else { return nil }
    return pairs(former.property, of: former.entity)?.swapped
  }

  private func pairs(_ property: PropertyLayout, of entity: StoreEntity) -> RelationshipPairs? {
    func column(_ name: Identifier?) -> String { name.map { "t.\($0)" } ?? "NULL::bigint" }
    switch property {
    case .attribute: return nil
    case .toOne(let relationship):
      let table = old.table(of: entity)
      return RelationshipPairs(
        sql:
          "SELECT t.\(TableLayout.key) AS a, t.\(relationship.key.name) AS b, NULL::bigint AS o, \(column(relationship.order)) AS r "
          + "FROM \(table.sql) t WHERE t.\(relationship.key.name) IS NOT NULL AND \(kindTest(kinds(of: entity.name), in: table, alias: "t"))",
        hasMemberOrder: false, hasOwnerOrder: relationship.order != nil,
        hasOneOwner: relationship.relationship.inverse?.isToMany == false, hasOneMember: true)
    case .toMany(let relationship):
      switch relationship.storage {
      case .key(let side):
        guard let members = old.entities.entity(named: relationship.relationship.destinationName) else { return nil }
        return RelationshipPairs(
          sql: "SELECT t.\(side.column) AS a, t.\(TableLayout.key) AS b, \(column(side.order)) AS o, NULL::bigint AS r "
            + "FROM \(old.table(of: members).sql) t WHERE t.\(side.column) IS NOT NULL",
          hasMemberOrder: side.order != nil, hasOwnerOrder: false, hasOneOwner: true, hasOneMember: false)
      case .joinTable(let side):
        return RelationshipPairs(
          sql:
            "SELECT t.\(side.own) AS a, t.\(side.other) AS b, \(column(side.order)) AS o, \(column(side.inverseOrder)) AS r "
            + "FROM \(side.table.sql) t",
          hasMemberOrder: side.order != nil, hasOwnerOrder: side.inverseOrder != nil, hasOneOwner: false,
          hasOneMember: false)
      }
    }
  }

  // MARK: Kinds

  /// An old entity and its subentities, as far as they can have rows.
  func kinds(of name: String) -> [String] {
    (old.entities.entity(named: name)?.kindNumbers ?? []).compactMap { old.entities.entity(numbered: $0) }
      .filter { !$0.description.isAbstract }.map(\.name)
  }

  /// Those of them whose rows are objects of a new entity.
  func survivors(of name: String, in destination: String) -> [String] {
    guard
      let destination = new.entities.entity(named: destination)
        ?? matching.destination(of: name).flatMap({ new.entities.entity(named: $0) })
    else { return [] }
    return kinds(of: name).filter { kind in
      old.entities.entity(named: kind).flatMap { self.destination(of: $0) }
        .map { destination.kindNumbers.contains($0.number) } ?? false
    }
  }

  private func refusal(_ reason: MigrationObstacle.Reason, _ property: String, of entity: StoreEntity) -> MigrationError
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
    case .toOne(let relationship): relationship.relationship.destinationName
    case .toMany(let relationship): relationship.relationship.destinationName
    }
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
