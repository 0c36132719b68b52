import ErrorReporting
import ManagedModel
import PostgreSQL
import StoreRequests

/// Lays out a model: a table for each hierarchy, a column for each attribute and to-one relationship, join tables.
struct LayoutBuilder {
  private let schema: Identifier
  private let rule: NamingRule
  private let graph: EntityGraph
  private let entities: EntityTable
  /// The names of tables, indexes and sequences, of which a schema has each once.
  private var relations = NameList(reserved: StoreDefinitions.ownTables)
  private var drafts: [Draft] = []
  private var joinTables: [JoinTableLayout] = []
  /// The indexes of strings that are unique, too.
  private var indexesBesideUnique: [(columns: [Identifier], hierarchy: Int)] = []
  private var properties: [Int32: [String: PropertyLayout]] = [:]

  /// A table in the making.
  private struct Draft {
    let name: Identifier
    let entities: [StoreEntity]
    var names = NameList(reserved: TableLayout.reservedNames)
    var constraintNames = NameList()
    var columns: [ColumnLayout] = []
    var unique: [UniqueConstraint] = []
    var indexes: [TableIndex] = []
  }

  /// - Throws: ``StoreProblem`` for a model with properties that the layout has no place for.
  static func layout(_ model: ModelDescription, schema: String, rule: NamingRule) throws -> StoreLayout {
    try model.checkNames()
    let names = model.entities.map(\.name).sorted()
    let graph = EntityGraph(model)
    let numbers = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int32($0 + 1)) })
    var builder = LayoutBuilder(
      schema: schema, rule: rule, graph: graph, entities: EntityTable(graph, numbers: numbers))
    return try builder.build()
  }

  private init(schema: String, rule: NamingRule, graph: EntityGraph, entities: EntityTable) {
    self.schema = Identifier(schema)
    self.rule = rule
    self.graph = graph
    self.entities = entities
  }

  private mutating func build() throws -> StoreLayout {
    for hierarchy in 0..<entities.hierarchyCount {
      let members = entities.entities.filter { $0.hierarchy == hierarchy }
        .sorted { ($0.lineage.count, $0.number) < ($1.lineage.count, $1.number) }
      drafts.append(Draft(name: relations.claim(rule.name(members[0].name)), entities: members))
    }
    for hierarchy in drafts.indices { for entity in drafts[hierarchy].entities { try addColumns(of: entity) } }
    for hierarchy in drafts.indices { for entity in drafts[hierarchy].entities { try addToMany(of: entity) } }
    for hierarchy in drafts.indices { for entity in drafts[hierarchy].entities { try addConstraints(of: entity) } }
    // At the end, since stores of earlier versions do not have them: all others keep their names.
    for (columns, hierarchy) in indexesBesideUnique where isNew(columns, in: hierarchy) {
      addIndex(columns, in: hierarchy)
    }
    let tables = drafts.map { draft in
      TableLayout(
        sql: "\(schema).\(draft.name)", name: draft.name, entities: draft.entities, root: draft.entities[0],
        columns: draft.columns, uniqueConstraints: draft.unique, indexes: draft.indexes)
    }
    for table in tables { try table.checkWidth() }
    return StoreLayout(
      deriving: StoreLayout(
        schema: schema, graph: graph, entities: entities, tables: tables, joinTables: joinTables,
        properties: properties))
  }

  private func superentity(of entity: StoreEntity) -> StoreEntity? {
    entity.lineage.dropLast().last.flatMap { entities.entity(named: $0) }
  }

  // MARK: Attributes and to-one relationships

  private mutating func addColumns(of entity: StoreEntity) throws {
    var known = superentity(of: entity).flatMap { properties[$0.number] } ?? [:]
    // In the order of names, which other spellings of a class share: it decides about names that are taken.
    for property in entity.properties.sorted(by: { $0.name < $1.name }) where known[property.name] == nil {
      switch property {
      case .attribute(let attribute): known[property.name] = .attribute(try layout(attribute, of: entity))
      case .toOne(let relationship): known[property.name] = .toOne(layout(relationship, of: entity))
      case .toMany: break
      }
    }
    properties[entity.number] = known
  }

  private mutating func layout(_ attribute: StoreAttribute, of entity: StoreEntity) throws -> AttributeLayout {
    let requiredBy = attribute.requiresValue ? concreteKinds(of: entity) : []
    let columns = try attribute.leaves.map { leaf in
      guard let type = DataType(leaf.attribute.type) else {
        throw StoreProblem(
          "attribute \(quoted(leaf.path.joined(separator: "."))) of entity \(quoted(entity.name)) has no type",
          remedy: "give it one in the model")
      }
      // An enumeration is a composite with one leaf of its own name.
      let words = leaf.path.count == 2 && leaf.path[0] == leaf.path[1] ? [leaf.path[0]] : leaf.path
      let name = drafts[entity.hierarchy].names.claim(words.map(rule.name).joined(separator: "_"))
      let contents = type == .bytes ? leaf.attribute.contents : nil
      return ColumnLayout(
        name: name, type: contents?.columnType ?? type, holdsArchive: contents == .archive,
        holdsStrings: leaf.attribute.type == .string, requiredBy: requiredBy,
        mayLackRequiredValue: attribute.description.isEnumeration)
    }
    drafts[entity.hierarchy].columns += columns
    return AttributeLayout(attribute: attribute, columns: columns)
  }

  private func concreteKinds(of entity: StoreEntity) -> [StoreEntity] {
    entity.kindNumbers.compactMap { entities.entity(numbered: $0) }.filter { !$0.description.isAbstract }
  }

  private mutating func layout(_ relationship: StoreRelationship, of entity: StoreEntity) -> ToOneLayout {
    let name = drafts[entity.hierarchy].names.claim(rule.name(relationship.description.name) + "_id")
    let order = relationship.inverse?.isOrdered == true && relationship.inverse?.isToMany == true
    let description = relationship.description
    let key = keyColumn(
      name, in: entity.hierarchy, to: relationship.destinationName,
      // The delete rule of the inverse decides about this row when its destination is deleted.
      rule: relationship.inverse.map(\.deleteRule) ?? .nullify,
      requiredBy: description.isOptional || description.isTransient ? [] : concreteKinds(of: entity))
    return ToOneLayout(
      relationship: relationship, key: key, order: order ? addOrder(beside: name, in: entity.hierarchy) : nil)
  }

  /// Adds a column with the key of another object's row, its foreign key and its index.
  private mutating func keyColumn(
    _ name: Identifier, in hierarchy: Int, to destination: String, rule: RelationshipDescription.DeleteRule,
    requiredBy: [StoreEntity] = []
  ) -> ColumnLayout {
    let action: ColumnLayout.Reference.Action? =
      switch rule {
      // A required key cannot be cleared, not even for a moment before its own row is deleted.
      case .nullify: requiredBy.isEmpty ? .setNull : .refuse
      case .cascade: .cascade
      case .deny: .refuse
      // The rule keeps the keys of deleted rows, which a foreign key would refuse.
      case .noAction: nil
      }
    let constraint = drafts[hierarchy].constraintNames.claim("\(drafts[hierarchy].name.name)_\(name.name)_fkey")
    let column = ColumnLayout(
      name: name, type: .integer64, requiredBy: requiredBy,
      reference: action.flatMap { action in
        entities.entity(named: destination).map {
          ColumnLayout.Reference(constraint: constraint, hierarchy: $0.hierarchy, action: action)
        }
      })
    drafts[hierarchy].columns.append(column)
    addIndex([name], in: hierarchy)
    return column
  }

  private mutating func addOrder(beside key: Identifier, in hierarchy: Int) -> Identifier {
    let name = drafts[hierarchy].names.claim(key.name + "_order")
    drafts[hierarchy].columns.append(ColumnLayout(name: name, type: .integer64))
    return name
  }

  private mutating func addIndex(_ columns: [Identifier], in hierarchy: Int) {
    let words = [drafts[hierarchy].name.name] + columns.map(\.name) + ["idx"]
    drafts[hierarchy].indexes.append(
      TableIndex(name: relations.claim(words.joined(separator: "_")), columns: columns))
  }

  // MARK: To-many relationships

  private mutating func addToMany(of entity: StoreEntity) throws {
    let inherited = superentity(of: entity).flatMap { properties[$0.number] } ?? [:]
    for (name, property) in inherited where properties[entity.number]?[name] == nil {
      properties[entity.number]?[name] = property
    }
    for case .toMany(let relationship) in entity.properties.sorted(by: { $0.name < $1.name }) {
      let name = relationship.description.name
      guard properties[entity.number]?[name] == nil else { continue }
      // Neither a key nor pairs have a place. Over SQLite such a relationship has none, either.
      if relationship.inverse?.isTransient == true { continue }
      let storage: ToManyLayout.Storage
      switch (relationship.inverse?.isToMany, relationship.storage) {
      case (false?, _): storage = .key(try keySide(relationship))
      case (nil, _): storage = .key(virtualKey(relationship, of: entity))
      case (true?, .listedByInverse): storage = .joinTable(try inverseSide(relationship, of: entity))
      case (true?, _): storage = .joinTable(joinSide(relationship, of: entity))
      }
      properties[entity.number]?[name] = .toMany(ToManyLayout(relationship: relationship, storage: storage))
    }
  }

  private func keySide(_ relationship: StoreRelationship) throws -> ToManyLayout.KeySide {
    let destination = try entities.existingEntity(relationship.destinationName)
    guard let inverse = relationship.inverse, case .toOne(let key)? = properties[destination.number]?[inverse.name]
    else {
      throw QueryError.unknownProperty(
        name: relationship.inverse?.name ?? "", entity: destination.name, nearest: nil)
    }
    return ToManyLayout.KeySide(
      column: key.key.name, order: relationship.description.isOrdered ? key.order : nil, isVirtual: false)
  }

  /// A key in the members' table that no property of the members has.
  private mutating func virtualKey(_ relationship: StoreRelationship, of entity: StoreEntity) -> ToManyLayout.KeySide {
    let hierarchy = entities.entity(named: relationship.destinationName)?.hierarchy ?? 0
    let words = [rule.name(entity.name), rule.name(relationship.description.name), "id"]
    let name = drafts[hierarchy].names.claim(words.joined(separator: "_"))
    _ = keyColumn(name, in: hierarchy, to: entity.name, rule: relationship.description.deleteRule)
    let order = relationship.description.isOrdered ? addOrder(beside: name, in: hierarchy) : nil
    return ToManyLayout.KeySide(column: name, order: order, isVirtual: true)
  }

  private mutating func joinSide(_ relationship: StoreRelationship, of entity: StoreEntity) -> ToManyLayout.JoinSide {
    let destination = entities.entity(named: relationship.destinationName) ?? entity
    let name = relations.claim("\(rule.name(entity.name))_\(rule.name(relationship.description.name))")
    var names = NameList()
    let own = names.claim(rule.name(entity.name) + "_id")
    let other = names.claim(
      rule.name(destination.name == entity.name ? relationship.description.name : destination.name) + "_id")
    let order = relationship.description.isOrdered ? names.claim("order") : nil
    let isReflexive = relationship.storage == .reflexive
    let inverseOrder =
      relationship.isAnswered && relationship.inverse?.isOrdered == true && !isReflexive
      ? names.claim("inverse_order") : nil
    let table = JoinTableLayout(
      sql: "\(schema).\(name)", name: name, own: own, other: other, ownHierarchy: entity.hierarchy,
      otherHierarchy: destination.hierarchy, order: order, inverseOrder: inverseOrder,
      index: relations.claim("\(name.name)_\(other.name)_idx"))
    joinTables.append(table)
    return ToManyLayout.JoinSide(
      table: table, own: own, other: other, order: order, inverseOrder: inverseOrder, isReflexive: isReflexive)
  }

  /// The side of a many-to-many relationship whose inverse is written.
  private mutating func inverseSide(
    _ relationship: StoreRelationship, of entity: StoreEntity
  ) throws -> ToManyLayout.JoinSide {
    let owner = try entities.existingEntity(relationship.inverseEntityName ?? relationship.destinationName)
    let inverse = relationship.inverse?.name ?? ""
    if properties[owner.number]?[inverse] == nil {
      guard case .toMany(let listed)? = owner.property(named: inverse) else {
        throw QueryError.unknownProperty(name: inverse, entity: owner.name, nearest: nil)
      }
      let side = joinSide(listed, of: owner)
      properties[owner.number]?[inverse] = .toMany(ToManyLayout(relationship: listed, storage: .joinTable(side)))
    }
    guard case .toMany(let layout)? = properties[owner.number]?[inverse], case .joinTable(let side) = layout.storage
    else { throw QueryError.wrongKind(property: inverse, entity: owner.name, expected: .toMany) }
    return ToManyLayout.JoinSide(
      table: side.table, own: side.other, other: side.own, order: side.inverseOrder, inverseOrder: side.order,
      isReflexive: false)
  }

  // MARK: Constraints and indexes

  private mutating func addConstraints(of entity: StoreEntity) throws {
    for names in entity.description.uniquenessConstraints.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
      let columns = names.compactMap { column(ofPath: $0, entity) }
      guard !columns.isEmpty, columns.count == names.count else { continue }
      let known = drafts[entity.hierarchy].unique.contains { $0.columns.map(\.name) == columns.map(\.name) }
      guard !known else { continue }
      let words = [drafts[entity.hierarchy].name.name] + columns.map(\.name.name) + ["key"]
      drafts[entity.hierarchy].unique.append(
        UniqueConstraint(
          name: relations.claim(words.joined(separator: "_")), entity: entity, properties: names, columns: columns))
    }
    for index in entity.description.fetchIndexes.sorted(by: { $0.name < $1.name }) {
      let columns = index.elements.compactMap { element -> ColumnLayout? in
        guard case .property(let name) = element.subject else { return nil }
        return column(ofPath: name, entity)
      }
      let names = columns.map(\.name)
      guard !columns.isEmpty, columns.count == index.elements.count, isNew(names, in: entity.hierarchy) else {
        continue
      }
      if !drafts[entity.hierarchy].unique.contains(where: { $0.columns.map(\.name) == names }) {
        addIndex(names, in: entity.hierarchy)
      } else if columns.contains(where: \.holdsStrings) {
        // Uniqueness has the order of bytes.
        indexesBesideUnique.append((names, entity.hierarchy))
      }
    }
  }

  private func isNew(_ columns: [Identifier], in hierarchy: Int) -> Bool {
    !drafts[hierarchy].indexes.contains { $0.columns == columns }
  }

  private func column(ofPath path: String, _ entity: StoreEntity) -> ColumnLayout? {
    switch [path].propertyNames.first.flatMap({ properties[entity.number]?[$0] }) {
    case .attribute(let attribute): return attribute.attribute.position(of: path).map { attribute.columns[$0] }
    case .toOne(let relationship): return relationship.key
    case .toMany, nil: return nil
    }
  }
}
