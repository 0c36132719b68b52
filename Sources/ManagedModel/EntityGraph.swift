/// A model's entities with their inheritance resolved: the look-ups that hashes, layouts and generated classes need.
///
/// Built once per model in time linear in its size. A superentity that does not exist is taken as absent, and a cycle
/// of superentities is cut, so that a graph can be made of any model; ``ModelDescription/validate()`` reports both.
package struct EntityGraph: Sendable {
  package let model: ModelDescription
  private let indexByName: [String: Int]
  private let childrenByName: [String: [String]]

  package init(_ model: ModelDescription) {
    self.model = model
    var indexByName: [String: Int] = [:]
    for (index, entity) in model.entities.enumerated() where indexByName[entity.name] == nil {
      indexByName[entity.name] = index
    }
    var childrenByName: [String: [String]] = [:]
    for entity in model.entities {
      if let parent = entity.superentityName, indexByName[parent] != nil {
        childrenByName[parent, default: []].append(entity.name)
      }
    }
    self.indexByName = indexByName
    self.childrenByName = childrenByName
  }

  package func entity(_ name: String) -> EntityDescription? {
    indexByName[name].map { model.entities[$0] }
  }

  /// Direct subentities in declared order.
  package func subentities(of name: String) -> [String] { childrenByName[name] ?? [] }

  /// The entity's line of superentities from the root down to the entity itself; empty if there is no such entity.
  package func lineage(of name: String) -> [EntityDescription] {
    var line: [EntityDescription] = []
    var seen: Set<String> = []
    var next: String? = name
    while let current = next, seen.insert(current).inserted, let entity = entity(current) {
      line.append(entity)
      next = entity.superentityName
    }
    return line.reversed()
  }

  /// The root of the entity's line: the entity whose table holds its rows.
  package func root(of name: String) -> EntityDescription? { lineage(of: name).first }

  /// All properties of an entity, inherited ones first; a redeclared one stands once, at the place of its first
  /// declaration, with its last description.
  package func properties(of name: String) -> [PropertyDescription] {
    var result: [PropertyDescription] = []
    var positions: [String: Int] = [:]
    for entity in lineage(of: name) {
      for property in entity.properties {
        if let position = positions[property.name] {
          result[position] = property
        } else {
          positions[property.name] = result.count
          result.append(property)
        }
      }
    }
    return result
  }

  /// The entity that first declares a property of `name` in the line of `entityName`.
  package func declaringEntity(of property: String, in entityName: String) -> EntityDescription? {
    lineage(of: entityName).first { $0.properties.contains { $0.name == property } }
  }

  /// Whether `name` is `ancestor` or inherits from it.
  package func isKind(_ name: String, of ancestor: String) -> Bool {
    lineage(of: name).contains { $0.name == ancestor }
  }
}

/// Orders by UTF-16 code unit, case-sensitively: the order of property names in hashes and columns (VH-2, CD-2.2).
package func codeUnitOrder(_ left: String, _ right: String) -> Bool {
  left.utf16.lexicographicallyPrecedes(right.utf16)
}
