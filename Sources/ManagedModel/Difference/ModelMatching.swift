/// The entities and properties of two models that correspond, by Core Data's renaming identifiers.
package struct ModelMatching: Sendable {
  package let source: EntityGraph
  package let destination: EntityGraph
  private let entities: Matching

  package init(from source: ModelDescription, to destination: ModelDescription) {
    self.source = EntityGraph(source)
    self.destination = EntityGraph(destination)
    entities = Matching(from: source, to: destination)
  }

  /// The source entity of a destination entity; `nil` for a new entity.
  package func source(of entity: String) -> String? { entities.sources[entity] }

  /// The destination entity of a source entity; `nil` for a removed entity.
  package func destination(of entity: String) -> String? { entities.destinations[entity] }

  /// The source property of each property of a destination entity, inherited properties included.
  package func properties(of entity: String) -> [String: String] {
    guard let old = entities.sources[entity] else { return [:] }
    return Matching(from: source.properties(of: old), to: destination.properties(of: entity)).sources
  }

  /// Whether a property of a destination entity, and the source property that it matches, are both attributes or both relationships.
  func hasSameKind(_ property: String, as former: String, of entity: EntityDescription) -> Bool {
    guard let old = entities.sources[entity.name] else { return true }
    return source.property(former, of: old)?.kind == destination.property(property, of: entity.name)?.kind
  }
}
