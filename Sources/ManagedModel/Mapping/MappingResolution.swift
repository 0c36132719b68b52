/// A mapping model applied to the two models that it connects: every property with the meaning of its expression.
package struct MappingResolution: Sendable {
  package let mapping: MappingModel
  package let source: ModelDescription
  package let destination: ModelDescription
  let sourceGraph: EntityGraph
  let destinationGraph: EntityGraph
  package let entities: [Entity]

  /// An entity mapping whose entities exist.
  package struct Entity: Sendable {
    package let mapping: EntityMapping
    package let source: EntityDescription?
    package let destination: EntityDescription?
    /// In the order of the mapping model, attributes first.
    package let properties: [Property]
  }

  package struct Property: Sendable {
    package let property: PropertyDescription
    package let value: Value

    package init(property: PropertyDescription, value: Value) {
      self.property = property
      self.value = value
    }
  }

  package enum Value: Sendable, Hashable {
    case mapped(MappedValue)
    /// An expression of unknown meaning: its text.
    case unknown(String)
    case none
  }

  /// - Throws: ``MappingIssue`` for an entity or a property that the models do not have.
  package init(_ mapping: MappingModel, from source: ModelDescription, to destination: ModelDescription)
    throws(MappingIssue)
  {
    self.mapping = mapping
    self.source = source
    self.destination = destination
    sourceGraph = EntityGraph(source)
    destinationGraph = EntityGraph(destination)
    let resolver = MappingResolver(mapping: mapping, source: sourceGraph, destination: destinationGraph)
    var entities: [Entity] = []
    for entity in mapping.entityMappings { entities.append(try resolver.entity(entity)) }
    self.entities = entities
  }
}

/// Looks up the names of a mapping model in its two models.
private struct MappingResolver {
  let mapping: MappingModel
  let source: EntityGraph
  let destination: EntityGraph

  func entity(_ entity: EntityMapping) throws(MappingIssue) -> MappingResolution.Entity {
    let old = try description(entity.sourceEntityName, in: source, "source", of: entity)
    let new = try description(entity.destinationEntityName, in: destination, "destination", of: entity)
    var properties: [MappingResolution.Property] = []
    if let new {
      for mapped in entity.attributeMappings + entity.relationshipMappings {
        let all = destination.properties(of: new.name)
        guard let property = all.first(where: { $0.name == mapped.name }) else {
          throw MappingIssue(
            mapping: mapping.name, entityMapping: entity.name, name: mapped.name,
            problem: "is no property of the destination entity", candidates: all.map(\.name))
        }
        properties.append(.init(property: property, value: value(mapped, property, old)))
      }
    }
    return .init(mapping: entity, source: old, destination: new, properties: properties)
  }

  private func description(
    _ name: String?, in graph: EntityGraph, _ role: String, of entity: EntityMapping
  ) throws(MappingIssue) -> EntityDescription? {
    guard let name else { return nil }
    if let found = graph.entity(name) { return found }
    throw MappingIssue(
      mapping: mapping.name, entityMapping: entity.name, name: name, problem: "is no entity of the \(role) model",
      candidates: graph.model.entities.map(\.name))
  }

  private func value(
    _ mapped: PropertyMapping, _ property: PropertyDescription, _ old: EntityDescription?
  ) -> MappingResolution.Value {
    switch mapped.value {
    case .none: .none
    case .unreadable(let reason): .unknown(reason)
    case .expression(let tree): MappedValue(tree).map { .mapped($0) } ?? .unknown(tree.format)
    case .corresponding: old.flatMap { corresponding(property, in: $0) }.map { .mapped($0) } ?? .none
    }
  }

  /// The value that Core Data's compiler fills in for a property without an expression.
  private func corresponding(_ property: PropertyDescription, in old: EntityDescription) -> MappedValue? {
    let candidates = source.properties(of: old.name)
    let names = [property.renamingIdentifier, property.name].compactMap(\.self)
    let found =
      candidates.first { candidate in candidate.renamingIdentifier.map(names.contains) ?? false }
      ?? names.lazy.compactMap { name in candidates.first { $0.name == name } }.first
    switch (property, found) {
    case (.attribute, .attribute(let attribute)?): return .source([attribute.name])
    case (.relationship(let new), .relationship(let relationship)?):
      let carried = mapping.entityMappings.first {
        $0.sourceEntityName == relationship.destinationEntityName
          && $0.destinationEntityName == new.destinationEntityName
      }
      return .rows(of: [relationship.name], mapping: carried?.name)
    default: return nil
    }
  }
}
