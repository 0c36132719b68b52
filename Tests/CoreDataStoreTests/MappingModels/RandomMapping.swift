import ManagedModel
import StoreRequests
import TestSupport

/// A random mapping model of a random model, with the model that it leads to: entities and attributes are renamed, left out, divided,
/// computed and merged, and relationships are mapped on one side or on both.
struct RandomMapping {
  private(set) var destination = ModelDescription(entities: [])
  private(set) var mapping = MappingModel(name: "Random")
  /// For each entity mapping with a filter, the attribute whose value is greater than zero.
  private(set) var filters: [String: String] = [:]

  private let model: ModelDescription
  private let graph: EntityGraph
  private var names: [String: String] = [:]
  private var relationshipNames: [String: String] = [:]
  private var widened: Set<String> = []
  /// The attributes that each entity declares in the new model, with their values; `nil` for the default value.
  private var attributes: [String: [(attribute: AttributeDescription, value: PropertyMapping.Value?)]] = [:]

  init(of model: ModelDescription, _ numbers: inout SplitMix) {
    self.model = model
    graph = EntityGraph(model)
    for entity in model.entities {
      names[entity.name] = numbers.once(in: 2) ? entity.name + "New" : entity.name
      for relationship in entity.relationships {
        let key = Self.key(entity.name, relationship.name)
        relationshipNames[key] = relationship.name + (numbers.once(in: 2) ? "New" : "")
        if !relationship.isToMany, let inverse = inverse(of: relationship), inverse.isToMany, numbers.once(in: 4) {
          widened.insert(key)
        }
      }
    }
    let merged = mergedRoots(&numbers)
    for entity in model.entities {
      attributes[entity.name] = newAttributes(of: entity, &numbers)
      if entity.name == merged?.into {
        for index in attributes[entity.name, default: []].indices {
          attributes[entity.name]?[index].attribute.isOptional = true
        }
      }
    }
    destination = ModelDescription(entities: model.entities.map { newEntity($0, &numbers) })
    for entity in model.entities where !entity.isAbstract && !numbers.once(in: 8) {
      let target = entity.name == merged?.from ? merged?.into : nil
      mapping.entityMappings.append(entityMapping(of: entity, into: target, &numbers))
    }
  }

  private static func key(_ entity: String, _ property: String) -> String { "\(entity).\(property)" }

  private static func expression(_ path: String) -> ExpressionTree { .keyPath(of: .variable("source"), path) }

  private func inverse(of relationship: RelationshipDescription) -> RelationshipDescription? {
    guard let name = relationship.inverseName,
      case .relationship(let inverse)? = graph.property(name, of: relationship.destinationEntityName)
    else { return nil }
    return inverse
  }

  /// Two entities with tables of their own, whose rows come into one table.
  private func mergedRoots(_ numbers: inout SplitMix) -> (from: String, into: String)? {
    let roots = model.entities.filter { entity in
      entity.superentityName == nil && !entity.isAbstract
        && !model.entities.contains { $0.superentityName == entity.name }
    }
    guard roots.count > 1, numbers.once(in: 2) else { return nil }
    return (roots[0].name, roots[1].name)
  }

  // MARK: Attributes

  private func newAttributes(
    of entity: EntityDescription, _ numbers: inout SplitMix
  ) -> [(attribute: AttributeDescription, value: PropertyMapping.Value?)] {
    var result: [(attribute: AttributeDescription, value: PropertyMapping.Value?)] = []
    func add(_ name: String, _ type: AttributeType, _ tree: ExpressionTree) {
      result.append((AttributeDescription(name: name, type: type, isOptional: true), .expression(tree)))
    }
    for attribute in entity.attributes {
      let name = attribute.name
      switch numbers.below(8) {
      case 0: continue
      case 1:
        var renamed = attribute
        (renamed.name, renamed.renamingIdentifier) = (name + "Two", name)
        result.append((renamed, numbers.once(in: 2) ? .corresponding : .expression(Self.expression(name))))
      case 2, 3:
        let types = Self.conversions(of: attribute.type)
        add(name, types[numbers.below(types.count)], Self.expression(name))
        if attribute.type == .composite || attribute.type == .binary {
          result[result.count - 1].attribute = attribute
        }
      case 4: add(name + "Computed", Self.computedType(attribute.type), computed(attribute, &numbers))
      case 5 where attribute.type != .composite && !attribute.allowsExternalBinaryDataStorage:
        add(name, attribute.type, Self.expression(name))
        add(name + "Again", attribute.type, Self.expression(name))
      default: result.append((attribute, .expression(Self.expression(name))))
      }
      if attribute.type == .composite || attribute.allowsExternalBinaryDataStorage,
        result.last?.attribute.name == name + "Computed"
      {
        result.removeLast()
      }
    }
    let numeric = entity.attributes.filter { [.integer16, .integer32, .integer64, .double].contains($0.type) }
    if numeric.count > 1, numbers.once(in: 2) {
      let operation = Self.operation(&numbers)
      add(
        "merged\(entity.name)", .double,
        .function(operation, [Self.expression(numeric[0].name), Self.expression(numeric[1].name)]))
    }
    if numbers.once(in: 2) { add("constant\(entity.name)", .string, .string("it's \(entity.name)")) }
    if numbers.once(in: 3) {
      result.append(
        (AttributeDescription(name: "default\(entity.name)", type: .integer32, defaultValue: .integer(42)), nil))
    }
    for relationship in entity.relationships where numbers.once(in: 2) {
      if relationship.isToMany {
        add("count\(relationship.name)", .integer64, Self.expression("\(relationship.name).@count"))
      } else if let other = graph.entity(relationship.destinationEntityName)?.attributes.first(where: {
        $0.type != .composite && !$0.allowsExternalBinaryDataStorage
      }) {
        add("path\(relationship.name)", other.type, Self.expression("\(relationship.name).\(other.name)"))
      }
    }
    return result
  }

  /// Divisions are few, because many values are zero, and one refuses the migration.
  private static func operation(_ numbers: inout SplitMix) -> String {
    numbers.once(in: 8) ? "divide:by:" : ["add:to:", "from:subtract:", "multiply:by:"][numbers.below(3)]
  }

  private static func conversions(of type: AttributeType) -> [AttributeType] {
    switch type {
    case .integer16: [.integer32, .integer64, .double, .string]
    case .integer32: [.integer64, .integer16, .double, .string]
    case .integer64: [.integer32, .double, .decimal]
    case .double: [.integer64, .decimal, .double]
    case .boolean: [.integer16, .integer64]
    case .date: [.double]
    default: [type]
    }
  }

  private static func computedType(_ type: AttributeType) -> AttributeType {
    switch type {
    case .integer16, .integer32, .integer64: .integer64
    case .double, .decimal: .double
    default: type
    }
  }

  private func computed(_ attribute: AttributeDescription, _ numbers: inout SplitMix) -> ExpressionTree {
    let value = Self.expression(attribute.name)
    switch attribute.type {
    case .integer16, .integer32, .integer64, .double, .decimal:
      let operation = Self.operation(&numbers)
      let other: ExpressionTree =
        numbers.once(in: 4) ? .real(0.5) : .integer(numbers.once(in: 16) ? 0 : Int64(1 + numbers.below(4)))
      return .function(operation, numbers.once(in: 2) ? [value, other] : [other, value])
    case .string: return .function(numbers.once(in: 2) ? "uppercase:" : "lowercase:", [value])
    default: return value
    }
  }

  // MARK: Entities

  private func newEntity(_ entity: EntityDescription, _ numbers: inout SplitMix) -> EntityDescription {
    var properties = (attributes[entity.name] ?? []).map { PropertyDescription.attribute($0.attribute) }
    for relationship in entity.relationships {
      let key = Self.key(entity.name, relationship.name)
      var new = relationship
      new.name = relationshipNames[key] ?? relationship.name
      new.destinationEntityName = names[relationship.destinationEntityName] ?? relationship.destinationEntityName
      if let inverse = relationship.inverseName {
        new.inverseName = relationshipNames[Self.key(relationship.destinationEntityName, inverse)]
      }
      if widened.contains(key) { new.maximumCount = 0 }
      if relationship.isToMany, relationship.inverseName != relationship.name, numbers.once(in: 4) {
        new.isOrdered.toggle()
      }
      properties.append(.relationship(new))
    }
    return EntityDescription(
      name: names[entity.name] ?? entity.name, isAbstract: entity.isAbstract,
      superentityName: entity.superentityName.flatMap { names[$0] }, properties: properties)
  }

  private mutating func entityMapping(
    of entity: EntityDescription, into target: String?, _ numbers: inout SplitMix
  ) -> EntityMapping {
    var result = EntityMapping(
      name: "\(entity.name) rows", sourceEntityName: entity.name, destinationEntityName: names[target ?? entity.name])
    let filtering = entity.attributes.first {
      ["value", "size", "n0", "key"].contains($0.name) && [.integer16, .integer32, .integer64].contains($0.type)
    }
    if let filtering, numbers.once(in: 3) {
      result.sourceFilter = "\(filtering.name) > 0"
      filters[result.name] = filtering.name
    }
    // The rows of another entity have the constants only.
    guard target == nil else { return result }
    for name in [entity.name] + superentities(of: entity) {
      for (attribute, value) in attributes[name] ?? [] {
        value.map { result.attributeMappings.append(PropertyMapping(name: attribute.name, value: $0)) }
      }
      for relationship in graph.entity(name)?.relationships ?? [] where !numbers.once(in: 4) {
        let isNamed = numbers.once(in: 3)
        let arguments: [ExpressionTree] = [
          .variable("manager"),
          .string(
            isNamed
              ? "destinationInstancesForEntityMappingNamed:sourceInstances:"
              : "destinationInstancesForSourceRelationshipNamed:sourceInstances:"),
          .string(isNamed ? "\(relationship.destinationEntityName) rows" : relationship.name),
          Self.expression(relationship.name),
        ]
        result.relationshipMappings.append(
          PropertyMapping(
            name: relationshipNames[Self.key(name, relationship.name)] ?? relationship.name,
            value: .expression(.function("FUNCTION", arguments))))
      }
    }
    return result
  }

  private func superentities(of entity: EntityDescription) -> [String] {
    guard let name = entity.superentityName, let above = graph.entity(name) else { return [] }
    return [name] + superentities(of: above)
  }
}
