internal import ManagedModel

/// Which entities each configuration of a container keeps.
struct EntityDivision {
  private let configurations: [ModelConfiguration]
  private let model: ModelDescription
  /// The names of the model's entities, by configuration.
  private let parts: [Set<String>]

  /// Divides a container's entities: a configuration keeps those of its schema. Each configuration without a schema keeps the entities
  /// that no configuration's schema has.
  ///
  /// An entity may be in several configurations; then each of their stores has objects of it.
  /// - Throws: ``SwiftDataError`` for an entity that no configuration keeps, or that the model lacks.
  init(_ model: ModelDescription, among configurations: [ModelConfiguration]) throws {
    self.model = model
    self.configurations = configurations
    let all = Set(model.entities.map(\.name))
    var rest = all
    var parts = [Set<String>](repeating: [], count: configurations.count)
    for (index, configuration) in configurations.enumerated() {
      guard let own = configuration.schema else { continue }
      let names = Set(own.entities.map(\.name))
      if let stranger = names.subtracting(all).min() {
        throw SwiftDataError(
          .configurationSchemaNotFoundInContainerSchema,
          "\(configuration.debugDescription) has entity \"\(stranger)\", which the container's schema lacks.")
      }
      parts[index] = names
      rest.subtract(names)
    }
    let open = configurations.indices.filter { configurations[$0].schema == nil }
    for index in open { parts[index] = rest }
    if open.isEmpty, let homeless = rest.min() {
      throw SwiftDataError(
        .configurationSchemaNotFoundInContainerSchema,
        "No configuration's schema has entity \"\(homeless)\": add it to one, or leave the schema out.")
    }
    self.parts = parts
  }

  /// The names of the entities that a configuration keeps.
  func names(in index: Int) -> Set<String> { parts[index] }

  /// The part of the container's model that a configuration keeps.
  func part(in index: Int) -> ModelDescription { model.keeping(parts[index]) }

  /// The parts of a plan's versions that a configuration keeps.
  ///
  /// Names and renaming identifiers tell which of the container's entities an entity of a version becomes. Both belong to one store. A
  /// removed entity belongs to the store of its related entities; without any, to the configurations without a schema. A container's only
  /// configuration keeps everything.
  func parts(of versions: [ModelDescription], in index: Int) -> [ModelDescription] {
    guard configurations.count > 1, let end = place(in: versions) else { return versions }
    var keepers = versions.map { _ in [String: Set<Int>]() }
    keepers[end] = assigned(versions[end]) { _ in nil }
    for former in (0..<end).reversed() {
      let matching = ModelMatching(from: versions[former], to: versions[former + 1])
      keepers[former] = assigned(versions[former]) { name in
        matching.destination(of: name).flatMap { keepers[former + 1][$0] }
      }
    }
    for later in versions.indices.dropFirst(end + 1) {
      let matching = ModelMatching(from: versions[later - 1], to: versions[later])
      keepers[later] = assigned(versions[later]) { name in
        matching.source(of: name).flatMap { keepers[later - 1][$0] }
      }
    }
    return zip(versions, keepers).map { version, keepers in
      version.keeping(Set(keepers.filter { $0.value.contains(index) }.keys))
    }
  }

  /// The place of the container's classes among a plan's versions.
  private func place(in versions: [ModelDescription]) -> Int? {
    let names = Set(model.entities.map(\.name))
    return versions.lastIndex { names.isSubset(of: $0.entities.map(\.name)) } ?? versions.indices.last
  }

  /// The configurations that keep each entity of a version.
  ///
  /// - Parameter known: the configurations that the neighbouring version tells.
  private func assigned(_ version: ModelDescription, known: (String) -> Set<Int>?) -> [String: Set<Int>] {
    var keepers: [String: Set<Int>] = [:]
    for entity in version.entities {
      let named = parts.indices.filter { parts[$0].contains(entity.name) }
      keepers[entity.name] = known(entity.name) ?? (named.isEmpty ? nil : Set(named))
    }
    assignRelated(version, &keepers)
    let rest = Set(configurations.indices.filter { configurations[$0].schema == nil })
    if !rest.isEmpty {
      for entity in version.entities where keepers[entity.name] == nil { keepers[entity.name] = rest }
    }
    return keepers
  }

  /// Relationships and hierarchies stay within a store.
  private func assignRelated(_ version: ModelDescription, _ keepers: inout [String: Set<Int>]) {
    var neighbours: [String: Set<String>] = [:]
    for entity in version.entities {
      for other in entity.relationships.map(\.destinationEntityName) + [entity.superentityName].compactMap(\.self) {
        neighbours[entity.name, default: []].insert(other)
        neighbours[other, default: []].insert(entity.name)
      }
    }
    var isDone = false
    while !isDone {
      let found = version.entities.filter { keepers[$0.name] == nil }.compactMap { entity in
        let related = Set(neighbours[entity.name, default: []].flatMap { keepers[$0] ?? [] })
        return related.isEmpty ? nil : (entity.name, related)
      }
      for (name, related) in found { keepers[name] = related }
      isDone = found.isEmpty
    }
  }
}

extension ModelDescription {
  fileprivate func keeping(_ names: Set<String>) -> ModelDescription {
    var part = self
    part.entities.removeAll { !names.contains($0.name) }
    return part
  }
}
