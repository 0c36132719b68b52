import ManagedModel

extension DiagramContent {
  init(_ model: ModelDescription, title: String) {
    let graph = EntityGraph(model)
    self.title = title
    boxes = model.entities.map { entity in
      Box(name: entity.name, isAbstract: entity.isAbstract, rows: Self.rows(of: entity))
    }
    links = Self.relationships(graph) + Self.inheritance(graph)
  }

  private static func rows(of entity: EntityDescription) -> [Row] {
    let unique = Set(entity.uniquenessConstraints.filter { $0.count == 1 }.joined())
    let uniqueTogether = Set(entity.uniquenessConstraints.filter { $0.count > 1 }.joined())
    func constraints(_ name: String) -> [String] {
      unique.contains(name) ? ["unique"] : uniqueTogether.contains(name) ? ["unique together"] : []
    }
    let attributes = entity.attributes.map { attribute in
      Row(
        kind: .attribute, name: attribute.name, type: attribute.typeName + (attribute.isOptional ? "?" : ""),
        remarks: constraints(attribute.name)
          + (attribute.derivation.map { ["= \($0.expression)"] } ?? [])
          + (attribute.isTransient ? ["transient"] : []),
        isTransient: attribute.isTransient)
    }
    let fetched = entity.fetchedProperties.map { property in
      Row(kind: .fetchedProperty, name: property.name, type: property.fetchRequest.entityName, remarks: ["fetched"])
    }
    let relationships = entity.relationships.map { relationship in
      Row(
        kind: .relationship, name: relationship.name,
        type: "\(Multiplicity(relationship).text) \(relationship.destinationEntityName)",
        remarks: constraints(relationship.name) + (relationship.isOrdered ? ["ordered"] : [])
          + (relationship.deleteRule.remark.map { [$0] } ?? []) + (relationship.isTransient ? ["transient"] : []),
        isTransient: relationship.isTransient)
    }
    return attributes + fetched + relationships
  }

  /// Identifies a relationship of the model by its box and its name.
  private struct Side: Hashable {
    var box: Int
    var name: String
  }

  private static func relationships(_ graph: EntityGraph) -> [Link] {
    let indices = entityIndices(graph.model)
    var rows: [Side: Int] = [:]
    for (box, entity) in graph.model.entities.enumerated() {
      let firstRow = entity.attributes.count + entity.fetchedProperties.count
      for (position, relationship) in entity.relationships.enumerated() {
        rows[Side(box: box, name: relationship.name)] = firstRow + position
      }
    }
    var linked: Set<Side> = []
    var links: [Link] = []
    for (box, entity) in graph.model.entities.enumerated() {
      for relationship in entity.relationships {
        guard let destination = indices[relationship.destinationEntityName],
          linked.insert(Side(box: box, name: relationship.name)).inserted
        else { continue }
        var link = Link(
          kind: .relationship, from: End(box: box, row: rows[Side(box: box, name: relationship.name)]),
          to: End(box: destination),
          toMultiplicity: Multiplicity(relationship))
        if let inverse = self.inverse(of: relationship, graph, indices, rows) {
          link.to = inverse.end
          link.fromMultiplicity = Multiplicity(inverse.relationship)
          linked.insert(Side(box: inverse.end.box, name: inverse.relationship.name))
        }
        links.append(link)
      }
    }
    return links
  }

  /// The inverse and its end: in the destination, or in the superentity that declares it.
  private static func inverse(
    of relationship: RelationshipDescription, _ graph: EntityGraph, _ indices: [String: Int], _ rows: [Side: Int]
  ) -> (relationship: RelationshipDescription, end: End)? {
    guard let name = relationship.inverseName,
      let owner = graph.declaringEntity(of: name, in: relationship.destinationEntityName),
      case .relationship(let inverse)? = graph.ownProperty(name, of: owner.name),
      inverse.inverseName == relationship.name,
      let box = indices[owner.name], let row = rows[Side(box: box, name: name)]
    else { return nil }
    return (inverse, End(box: box, row: row))
  }

  private static func inheritance(_ graph: EntityGraph) -> [Link] {
    let indices = entityIndices(graph.model)
    return graph.model.entities.enumerated().compactMap { box, entity in
      guard let parent = entity.superentityName.flatMap({ indices[$0] }), parent != box else { return nil }
      return Link(kind: .inheritance, from: End(box: box), to: End(box: parent))
    }
  }

  private static func entityIndices(_ model: ModelDescription) -> [String: Int] {
    Dictionary(model.entities.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { first, _ in first })
  }
}

extension AttributeDescription {
  /// The type's name in the model editor.
  fileprivate var typeName: String {
    switch type {
    case .transformable: valueClassName ?? type.modelName
    case .composite: compositeName ?? type.modelName
    default: type.modelName
    }
  }
}

extension RelationshipDescription.DeleteRule {
  /// The delete rule as a remark; `nil` for the usual rule, which the legend names.
  fileprivate var remark: String? {
    switch self {
    case .noAction: "no action"
    case .nullify: nil
    case .cascade: "cascade"
    case .deny: "deny"
    }
  }
}
