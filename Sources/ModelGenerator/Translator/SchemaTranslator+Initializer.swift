import ManagedModel

extension SchemaTranslator {
  /// Gives each class an initializer that takes every attribute and to-one relationship, with the superclass's
  /// parameters first.
  ///
  /// An optional property or a property with a default value has a default argument. To-many relationships, derived
  /// attributes and variables outside the store are no parameters: they keep their initial values.
  func addInitializers(to classes: inout [ClassDeclaration]) {
    var ownParameters: [String: [InitializerDeclaration.Parameter]] = [:]
    for (entity, declaration) in zip(graph.model.entities, classes) {
      ownParameters[entity.name] = declaration.properties.filter(\.isParameter).map(Self.parameter)
    }
    for (index, entity) in graph.model.entities.enumerated() {
      let own = ownParameters[entity.name] ?? []
      let ancestors = graph.lineage(of: entity.name).dropLast()
      let inherited = ancestors.flatMap { ownParameters[$0.name] ?? [] }
      classes[index].initializer = InitializerDeclaration(
        isOverride: !ancestors.isEmpty && own.isEmpty, parameters: inherited + own, assigned: own.map(\.name),
        passedToSuperclass: ancestors.isEmpty ? nil : inherited.map(\.name))
    }
  }

  private static func parameter(for property: PropertyDeclaration) -> InitializerDeclaration.Parameter {
    InitializerDeclaration.Parameter(
      name: property.name, type: property.type,
      defaultValue: property.initialValue ?? (property.type.isOptional ? Expression.none : nil))
  }
}
