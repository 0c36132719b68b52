import ManagedModel
import SQLite

extension LayoutBuilder {
  private typealias Side = JoinTableLayout.Side

  /// CD-3.3: a table for each pair of inverse to-many relationships.
  ///
  /// The join tables of an entity, and their indexes, have the order of a dictionary of its properties (CD-1.1). All
  /// real stores agree but one of 2015 and a migrated one.
  mutating func layOutJoinTables() throws {
    var seen: Set<Set<Side>> = []
    var pairs: [(master: Side, other: Side)] = []
    for entity in order {
      for case .relationship(let relationship) in ownProperties[entity] ?? [] where relationship.isToMany {
        try checkDestination(relationship, of: entity)
        let own = Side(entityName: entity, relationshipName: relationship.name, isOrdered: relationship.isOrdered)
        guard let inverse = try inverse(of: relationship, declaredBy: entity) else {
          if let far = unansweredSide(of: relationship) { pairs.append((own, far)) }
          continue
        }
        guard inverse.description.isToMany, !inverse.description.isTransient else { continue }
        let far = Side(
          entityName: inverse.entityName, relationshipName: inverse.description.name,
          isOrdered: inverse.description.isOrdered)
        if seen.insert([own, far]).inserted { pairs.append(isMaster(own, over: far) ? (own, far) : (far, own)) }
      }
    }
    let names = ownColumnNames(pairs)
    var taken: Set<Identifier> = []
    for pair in pairs {
      let table = joinTable(pair, names: names, taken: taken)
      taken.insert(table.name)
      joinTables.append(table)
      addSides(of: table)
    }
    // A root's join tables follow its own table (CD-1.1).
    var places: [String: [String: Int]] = [:]
    for table in joinTables where places[table.master.entityName] == nil {
      places[table.master.entityName] = dictionaryOrder(of: table.master.entityName)
    }
    func place(_ table: JoinTableLayout) -> (Int, Int) {
      let master = table.master
      return (number(master.entityName), places[master.entityName]?[master.relationshipName] ?? 0)
    }
    joinTables = joinTables.sorted { place($0) < place($1) }
  }

  /// The far side of a to-many relationship whose to-many inverse names another relationship as its own inverse; that
  /// relationship has another join table.
  private func unansweredSide(of relationship: RelationshipDescription) -> Side? {
    let destination = relationship.destinationEntityName
    guard let name = relationship.inverseName, let declaring = declaringEntities[destination]?[name] else { return nil }
    return Side(entityName: declaring, relationshipName: name, isOrdered: false)
  }

  /// Whether the far side of a join table is a relationship that is stored in it too.
  private func isShared(_ table: JoinTableLayout) -> Bool {
    guard case .relationship(let far)? = properties[table.other.entityName]?[table.other.relationshipName] else {
      return false
    }
    return far.inverseName == table.master.relationshipName
  }

  private func dictionaryOrder(of entity: String) -> [String: Int] {
    let stored = (properties[entity] ?? [:]).values.filter(LayoutBuilder.isStored)
    let keyCount = stored.count { property in
      if case .relationship(let relationship) = property { !relationship.isToMany } else { false }
    }
    return EntityLayout.dictionaryOrder(of: stored.map(\.name), keyCount: keyCount)
  }

  /// Prefers the entity with subentities if only one of both has subentities, otherwise the entity with the smaller
  /// number.
  ///
  /// For two relationships of one entity the model does not determine it (CD-3.3). A new store takes the relationship
  /// with the later name, as most real stores do; an existing store's tables show it.
  private func isMaster(_ side: Side, over other: Side) -> Bool {
    let hasSubentities = self.hasSubentities(side.entityName)
    if hasSubentities != self.hasSubentities(other.entityName) { return hasSubentities }
    let (left, right) = (number(side.entityName), number(other.entityName))
    return left == right ? codeUnitOrder(other.relationshipName, side.relationshipName) : left < right
  }

  /// The column for the key of a relationship's owner: `Z_<number><INVERSE>`, with a suffix 1, 2 … if the name is
  /// taken.
  ///
  /// The model does not determine which of two columns gets the suffix (CD-3.3). A new store gives it to the
  /// relationship with the later name, as four of five families of real stores do; an existing store's tables show it.
  private func ownColumnNames(_ pairs: [(master: Side, other: Side)]) -> [Side: Identifier] {
    var wanted: [(side: Side, name: String)] = []
    for (master, other) in pairs {
      wanted.append((master, "Z_\(number(master.entityName))" + other.relationshipName.uppercased()))
      if master != other {
        wanted.append((other, "Z_\(number(other.entityName))" + master.relationshipName.uppercased()))
      }
    }
    wanted.sort { codeUnitOrder($0.side.relationshipName, $1.side.relationshipName) }
    var counts: [String: Int] = [:]
    var names: [Side: Identifier] = [:]
    for (side, name) in wanted {
      let count = counts[name, default: 0]
      counts[name] = count + 1
      names[side] = Identifier(count == 0 ? name : name + String(count))
    }
    return names
  }

  /// The table to make, or the existing table if the model allows several forms (CD-3.3, CD-9).
  private func joinTable(
    _ pair: (master: Side, other: Side), names: [Side: Identifier], taken: Set<Identifier>
  ) -> JoinTableLayout {
    let planned = plannedJoinTable(pair, names: names)
    guard let catalogue else { return planned }
    var candidates = [planned]
    if pair.master.entityName == pair.other.entityName, pair.master != pair.other {
      candidates.append(plannedJoinTable((pair.other, pair.master), names: names))
    }
    guard let table = candidates.first(where: { catalogue.has($0.name) && !taken.contains($0.name) }),
      let found = catalogue.columns[table.name], found.count >= 2
    else { return planned }
    if let fitting = table.fitted(to: found) { return fitting }
    // The table was renamed but its columns were not: the columns' names show the owners of the keys.
    return candidates.lazy.compactMap { $0.fitted(to: found)?.renamed(table.name) }.first ?? table
  }

  private func plannedJoinTable(_ pair: (master: Side, other: Side), names: [Side: Identifier]) -> JoinTableLayout {
    let name = Identifier("Z_\(number(pair.master.entityName))" + pair.master.relationshipName.uppercased())
    return JoinTableLayout(
      name: name, master: pair.master, other: pair.other, masterColumn: names[pair.master] ?? name,
      otherColumn: pair.master == pair.other ? "REFLEXIVE" : names[pair.other] ?? name)
  }

  private mutating func addSides(of table: JoinTableLayout) {
    joinSides[PropertyKey(entity: table.master.entityName, property: table.master.relationshipName)] =
      ToManyLayout.JoinSide(
        table: table.name, ownColumn: table.masterColumn, otherColumn: table.otherColumn,
        orderColumn: table.otherOrderColumn, inverseOrderColumn: table.masterOrderColumn,
        isReflexive: table.isReflexive)
    guard !table.isReflexive, isShared(table) else { return }
    joinSides[PropertyKey(entity: table.other.entityName, property: table.other.relationshipName)] =
      ToManyLayout.JoinSide(
        table: table.name, ownColumn: table.otherColumn, otherColumn: table.masterColumn,
        orderColumn: table.masterOrderColumn, inverseOrderColumn: table.otherOrderColumn, isReflexive: false)
  }
}

extension JoinTableLayout {
  /// This table with the existing columns, if they differ from the planned columns in numeric suffixes only.
  fileprivate func fitted(to found: [Identifier]) -> JoinTableLayout? {
    func fits(_ column: Identifier, _ planned: Identifier) -> Bool {
      column == planned
        || Identifier(JoinTableLayout.withoutSuffix(column.name))
          == Identifier(JoinTableLayout.withoutSuffix(planned.name))
    }
    guard fits(found[0], masterColumn), fits(found[1], otherColumn) else { return nil }
    return JoinTableLayout(
      name: name, master: master, other: other, masterColumn: found[0], otherColumn: found[1])
  }

  fileprivate func renamed(_ name: Identifier) -> JoinTableLayout {
    JoinTableLayout(
      name: name, master: master, other: other, masterColumn: masterColumn, otherColumn: otherColumn)
  }

  private static func withoutSuffix(_ name: String) -> String {
    var name = name
    while name.last?.isASCII == true, name.last?.isNumber == true { name.removeLast() }
    return name
  }
}
