extension ModelValidator {
  /// Checks that superentities exist, that they form trees of bounded depth, and that no subentity redeclares a
  /// property.
  ///
  /// Returns `false` for a cycle or for too great a depth.
  mutating func validateInheritance() -> Bool {
    for entity in model.entities {
      guard let superentity = entity.superentityName, graph.entity(superentity) == nil else { continue }
      report(
        .unknownSuperentity(superentity, nearest: nearestEntity(to: superentity)), entity: entity.name)
    }
    var walk = InheritanceWalk()
    for entity in model.entities.reversed() where entity.superentityName.flatMap(graph.entity) == nil {
      // A root without subentities needs no check.
      if graph.subentities(of: entity.name).isEmpty {
        walk.visited.insert(entity.name)
      } else {
        walk.steps.append(.enter(entity))
      }
    }
    var isSound = true
    while let step = walk.steps.popLast() {
      switch step {
      case .leave(let names): walk.leave(names)
      case .enter(let entity):
        if !enter(entity, &walk) { isSound = false }
      }
    }
    for entity in model.entities where !walk.visited.contains(entity.name) {
      report(.cyclicSuperentities, entity: entity.name)
      isSound = false
    }
    return isSound
  }

  /// Checks one entity, and adds its subentities to the steps.
  ///
  /// Returns `false` if it has too many superentities.
  private mutating func enter(_ entity: EntityDescription, _ walk: inout InheritanceWalk) -> Bool {
    guard walk.visited.insert(entity.name).inserted else { return true }
    walk.depth += 1
    let isTooDeep = walk.depth == ModelDescription.maximumInheritanceDepth + 1
    if isTooDeep { report(.inheritanceTooDeep, entity: entity.name) }
    var declared: [String] = []
    for name in Set(entity.properties.map(\.name)).sorted(by: codeUnitOrder) {
      if let owner = walk.owners[name] {
        report(.redeclaredProperty(superentity: owner), entity: entity.name, property: name)
      } else {
        walk.owners[name] = entity.name
        declared.append(name)
      }
    }
    walk.steps.append(.leave(declared))
    for child in graph.subentities(of: entity.name).reversed() {
      if let child = graph.entity(child) { walk.steps.append(.enter(child)) }
    }
    return !isTooDeep
  }
}

/// A walk down the trees of entities, with a list of steps instead of recursion.
private struct InheritanceWalk {
  enum Step {
    case enter(EntityDescription)
    /// The end of an entity's subtree, with the names of the properties that it declares.
    case leave([String])
  }

  var steps: [Step] = []
  var visited: Set<String> = []
  /// The number of entities from the root to the current one.
  var depth = 0
  /// The declaring entity of each property on that way, by the property's name.
  var owners: [String: String] = [:]

  mutating func leave(_ names: [String]) {
    depth -= 1
    for name in names { owners[name] = nil }
  }
}
