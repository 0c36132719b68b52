import ManagedModel

/// The declarations of one version, found by the names of its model.
struct VersionParts: Sendable {
  let schema: SchemaDeclaration
  let names: SwiftNames
  let graph: EntityGraph

  /// `LibrarySchemaV2.Book`.
  func type(of entity: String) -> String { "\(schema.name).\(names.type(of: entity))" }

  func declaration(of entity: String) -> ClassDeclaration? {
    graph.model.entities.firstIndex { $0.name == entity }.map { schema.classes[$0] }
  }

  /// The declaration of an entity's own or inherited property.
  func property(_ name: String, of entity: String) -> PropertyDeclaration? {
    guard let owner = graph.declaringEntity(of: name, in: entity) else { return nil }
    let spelled = names.property(name, of: owner.name)
    return declaration(of: owner.name)?.properties.first { $0.name == spelled }
  }

  /// The type in source outside of the schema's namespace.
  func qualified(_ type: TypeReference) -> String {
    let isOwn =
      names.composites.contains { names.type(of: $0) == type.name }
      || graph.model.entities.contains { names.type(of: $0.name) == type.name }
    guard isOwn else { return ExpressionRenderer.type(type) }
    var outer = type
    outer.name = "\(schema.name).\(type.name)"
    return ExpressionRenderer.type(outer)
  }
}
