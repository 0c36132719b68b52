import ErrorReporting
import ManagedModel

extension SchemaTranslator {
  /// Gives each class an initializer that takes every attribute and to-one relationship, with the superclass's
  /// parameters first.
  ///
  /// An optional property or a property with a default value has a default argument. To-many relationships, derived
  /// attributes and variables outside the store are no parameters: they keep their initial values.
  mutating func addInitializers(to classes: inout [ClassDeclaration]) {
    let assignedLater = relationshipsToAssignLater()
    var ownParameters: [String: [InitializerDeclaration.Parameter]] = [:]
    for (entity, declaration) in zip(graph.model.entities, classes) {
      ownParameters[entity.name] = declaration.properties.filter {
        $0.isParameter && assignedLater[entity.name]?.contains($0.name) != true
      }.map(Self.parameter)
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

  /// The names of required relationships that are no parameters, by entity: with them each object of a circle would need another one first.
  ///
  /// With Apple's API, an initializer has to assign every property, so it keeps them.
  private mutating func relationshipsToAssignLater() -> [String: Set<String>] {
    var result: [String: Set<String>] = [:]
    for (entity, relationship) in RequiredCircles(graph).closing {
      let circle =
        "objects of \(quoted(entity)) and of \(quoted(relationship.destinationEntityName)) require each other"
      guard dialect == .open else {
        note(
          .warning, entity, relationship.name, "that \(circle): no initializer can be called first",
          remedy: "make the relationship optional in the model")
        continue
      }
      note(
        .note, entity, relationship.name, "the relationship as a parameter of the initializer, because \(circle)",
        remedy: "assign either side before the save")
      result[entity, default: []].insert(names.property(relationship.name, of: entity))
    }
    return result
  }
}
