import ErrorReporting
import ManagedModel
import SQLite

/// A relationship that a mapping model sets to the new rows of an old relationship's rows.
struct MappedLink {
  let relationship: PropertyLayout
  let destination: EntityLayout
  let former: PropertyLayout
  let source: EntityLayout
  /// The entity mappings of the members; if several have a member, the first one is used.
  let members: [Int]

  /// Whether both sides have a key.
  var isOneToOne: Bool {
    guard case .toOne(let toOne) = relationship, let inverse = toOne.inverse else { return false }
    return !inverse.description.isToMany
  }
}

/// The entity mappings of a mapping model in the layouts of both stores: which rows they take, and how a new row is found by its old one.
///
/// A temporary table has the old and the new key of each row. It is not needed if rows keep their keys and each new
/// entity has the rows of one entity mapping. Then the table of the new rows has the same information.
struct MappedRows {
  let resolution: MappingResolution
  let old: StoreLayout
  let new: StoreLayout
  /// Whether the rows of an entity mapping keep their keys: all mappings into the destination's table take rows of one table, each entity once.
  let keepsKeys: [Bool]
  /// Whether the temporary table has the rows of an entity mapping.
  let isListed: [Bool]

  init(_ resolution: MappingResolution, from old: StoreLayout, to new: StoreLayout) {
    (self.resolution, self.old, self.new) = (resolution, old, new)
    let roots = resolution.entities.map { entity in
      entity.source == nil ? nil : entity.destination.flatMap { new.graph.root(of: $0.name)?.name }
    }
    func same(_ index: Int) -> [MappingResolution.Entity] {
      guard let root = roots[index] else { return [] }
      return resolution.entities.indices.filter { roots[$0] == root }.map { resolution.entities[$0] }
    }
    let keepsKeys = resolution.entities.indices.map { index in
      let sources = same(index).compactMap { $0.source?.name }
      return Set(sources.compactMap { old.graph.root(of: $0)?.name }).count == 1 && Set(sources).count == sources.count
    }
    self.keepsKeys = keepsKeys
    isListed = resolution.entities.indices.map { index in
      let destinations = same(index).compactMap { $0.destination?.name }
      return !keepsKeys[index] || Set(destinations).count != destinations.count
    }
  }

  func source(_ entity: Int) throws -> EntityLayout? { try layout(resolution.entities[entity].source, old) }
  func destination(_ entity: Int) throws -> EntityLayout? { try layout(resolution.entities[entity].destination, new) }

  func sourceNumber(_ entity: Int) -> Int {
    resolution.entities[entity].source.flatMap { old.entity(named: $0.name) }?.number ?? 0
  }

  func destinationNumber(_ entity: Int) -> Int {
    resolution.entities[entity].destination.flatMap { new.entity(named: $0.name) }?.number ?? 0
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

  /// The relationships that an entity mapping sets, in the order of the mapping model.
  ///
  /// - Throws: ``MappingMigrationError``
  func links(of number: Int) throws -> [MappedLink] {
    let entity = resolution.entities[number]
    guard let source = try source(number), let destination = try destination(number) else { return [] }
    return try entity.properties.compactMap { property in
      guard case .mapped(.rows(let path, let mapping)) = property.value,
        let relationship = destination.property(named: property.property.name)
      else { return nil }
      guard path.count == 1, let former = source.property(named: path[0]) else {
        throw MappingMigrationError(
          "the entity mapping \(quoted(entity.mapping.name)) follows \(quoted(path.joined(separator: "."))), "
            + "which is no relationship of \(quoted(source.name))",
          remedy: "write it in a stage that generate-models makes of the mapping model")
      }
      if case .attribute(let attribute) = relationship {
        throw MappingMigrationError(
          "\(quoted(attribute.description.name)) is an attribute, and the mapping model sets it to rows",
          remedy: "update the mapping model to its models in Xcode")
      }
      let members = resolution.linkCandidates(
        at: path, of: entity, by: mapping, to: relationship.destinationName ?? "")
      guard !members.isEmpty, former.destinationName != nil else { return nil }
      return MappedLink(
        relationship: relationship, destination: destination, former: former, source: source, members: members)
    }
  }

  /// The new rows of some entity mappings as a table to join, and the condition by which old rows find them.
  ///
  /// - Parameter oldKey: the SQL of the old row's key.
  func join(_ entities: [Int], as alias: String, by oldKey: String) -> Join {
    if entities.contains(where: { isListed[$0] }) {
      let list = entities.map(String.init).joined(separator: ", ")
      let cases = entities.map { "WHEN \($0) THEN \(destinationNumber($0))" }.joined(separator: " ")
      return Join(
        sql: "temp.OSD_MAPPED \(alias) ON \(alias).MAPPING IN (\(list)) AND \(alias).SOURCE = \(oldKey)",
        key: "\(alias).DESTINATION", entity: "CASE \(alias).MAPPING \(cases) END", isListed: true)
    }
    let table = entities.first.flatMap { resolution.entities[$0].destination }.flatMap { new.entity(named: $0.name) }?
      .table
    let list = entities.map { String(destinationNumber($0)) }.joined(separator: ", ")
    return Join(
      sql: "main.\(table ?? Identifier("")) \(alias) ON \(alias).Z_PK = \(oldKey) AND \(alias).Z_ENT IN (\(list))",
      key: "\(alias).Z_PK", entity: "\(alias).Z_ENT", isListed: false)
  }

  struct Join {
    let sql: String
    /// The SQL of the new row's key and entity.
    let key: String
    let entity: String
    let isListed: Bool
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
