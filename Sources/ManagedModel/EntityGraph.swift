/// A model's entities with their inheritance resolved: the look-ups that hashes, layouts and generated classes need.
///
/// Built once per model, in time linear in its size. The graph treats a missing superentity as absent and cuts a cycle
/// of superentities, so that every model has a graph. ``ModelDescription/validate()`` reports both problems.
package struct EntityGraph: Sendable {
  package let model: ModelDescription
  /// The index of each entity in the model; for a repeated name, the first.
  private let indexByName: [String: Int]
  /// For each entity, the index of its superentity and the indices of its direct subentities.
  private let parents: [Int?]
  private let children: [[Int]]
  /// For each entity, the index of its nearest superentity that declares a property. Empty for a model with a circle.
  private let declaringParents: [Int?]
  private let hasCircle: Bool
  /// The root entities and all entities below them, each after its superentity.
  private let reached: [Int]
  /// For an entity of many properties, the index of each property by name; for a repeated name, the first. Empty for an
  /// entity of few properties, where a search is enough.
  private let positions: [[String: Int]]

  /// Up to this number of properties, a search is as fast as an index and needs no preparation.
  private static let searchedCount = 32

  package init(_ model: ModelDescription) {
    self.model = model
    let indexByName = Dictionary(
      zip(model.entities.lazy.map(\.name), model.entities.indices), uniquingKeysWith: { first, _ in first })
    let parents = model.entities.map { $0.superentityName.flatMap { indexByName[$0] } }
    var children = [[Int]](repeating: [], count: model.entities.count)
    for (index, parent) in parents.enumerated() {
      if let parent { children[parent].append(index) }
    }
    var reached = parents.indices.filter { parents[$0] == nil }
    var position = 0
    while position < reached.count {
      reached += children[reached[position]]
      position += 1
    }
    self.indexByName = indexByName
    self.parents = parents
    self.children = children
    self.reached = reached
    hasCircle = reached.count < parents.count
    if reached.count < parents.count {
      declaringParents = []
    } else {
      var nearest = [Int?](repeating: nil, count: parents.count)
      for index in reached {
        guard let parent = parents[index] else { continue }
        nearest[index] = model.entities[parent].properties.isEmpty ? nearest[parent] : parent
      }
      declaringParents = nearest
    }
    positions = model.entities.map { entity in
      entity.properties.count <= Self.searchedCount
        ? [:]
        : Dictionary(
          zip(entity.properties.lazy.map(\.name), entity.properties.indices), uniquingKeysWith: { first, _ in first })
    }
  }

  package func entity(_ name: String) -> EntityDescription? {
    indexByName[name].map { model.entities[$0] }
  }

  /// Direct subentities in declared order.
  package func subentities(of name: String) -> [String] {
    indexByName[name].map { children[$0].map { model.entities[$0].name } } ?? []
  }

  /// The entity and its superentities, from the root down; empty if there is no such entity.
  package func lineage(of name: String) -> [EntityDescription] {
    line(of: name).reversed().map { model.entities[$0] }
  }

  /// Indices from the entity up to its root, each once.
  private func line(of name: String) -> [Int] {
    var line: [Int] = []
    var seen: Set<Int> = []
    var next = indexByName[name]
    while let index = next, !hasCircle || seen.insert(index).inserted {
      line.append(index)
      next = parents[index]
    }
    return line
  }

  /// Indices of the entity and of the superentities that declare a property, from the entity up.
  ///
  /// Superentities without properties cost nothing here: a model may have a chain of thousands.
  private func declaringLine(of name: String) -> [Int] {
    guard !hasCircle else { return line(of: name) }
    var line: [Int] = []
    var next = indexByName[name]
    while let index = next {
      line.append(index)
      next = declaringParents[index]
    }
    return line
  }

  /// The entity and its superentities that declare a property, from the root down; empty if there is no such entity.
  package func declaringLineage(of name: String) -> [EntityDescription] {
    declaringLine(of: name).reversed().map { model.entities[$0] }
  }

  /// The root of the entity's inheritance chain: the entity whose table holds its rows.
  package func root(of name: String) -> EntityDescription? { line(of: name).last.map { model.entities[$0] } }

  /// All properties of an entity, inherited properties first.
  ///
  /// A redeclared property occurs once: at the place of its first declaration, with its last description.
  package func properties(of name: String) -> [PropertyDescription] {
    var result: [PropertyDescription] = []
    var positions: [String: Int] = [:]
    for entity in declaringLineage(of: name) {
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

  /// The topmost entity that declares the property, among `entityName` and its superentities.
  package func declaringEntity(of property: String, in entityName: String) -> EntityDescription? {
    declaringLine(of: entityName).last { position(of: property, at: $0) != nil }.map { model.entities[$0] }
  }

  /// The property of this name that the entity or its nearest superentity declares.
  package func property(_ name: String, of entity: String) -> PropertyDescription? {
    for index in declaringLine(of: entity) {
      if let position = position(of: name, at: index) { return model.entities[index].properties[position] }
    }
    return nil
  }

  /// The property that an entity itself declares.
  package func ownProperty(_ name: String, of entity: String) -> PropertyDescription? {
    guard let index = indexByName[entity], let position = position(of: name, at: index) else { return nil }
    return model.entities[index].properties[position]
  }

  private func position(of property: String, at index: Int) -> Int? {
    let properties = model.entities[index].properties
    if properties.count > Self.searchedCount { return positions[index][property] }
    return properties.firstIndex { $0.name == property }
  }

  /// Whether all entities together have more than `limit` properties.
  ///
  /// Counts the elements of composites and, for each entity, its inherited properties: caches, hashes and initializers
  /// list them all. Leaves inherited properties out if `withInherited` is `false`.
  /// Cost: linear in the number of declared properties, and in `limit`.
  package func hasMoreProperties(than limit: Int, withInherited: Bool = true) -> Bool {
    var counts = [Int](repeating: 0, count: model.entities.count)
    var total = 0
    for index in reached {
      var count = withInherited ? parents[index].map { counts[$0] } ?? 0 : 0
      for property in model.entities[index].properties {
        var pending = [property].compactMap { if case .attribute(let attribute) = $0 { attribute } else { nil } }
        count += pending.isEmpty ? 1 : 0
        while let attribute = pending.popLast() {
          count += 1
          if count > limit { return true }
          pending += attribute.elements
        }
      }
      counts[index] = count
      total += count
      if total > limit { return true }
    }
    return false
  }

  /// Whether `name` is `ancestor` or inherits from it.
  package func isKind(_ name: String, of ancestor: String) -> Bool {
    guard let ancestor = indexByName[ancestor] else { return false }
    return line(of: name).contains(ancestor)
  }
}

/// Orders by UTF-16 code unit, case-sensitively: the order of property names in hashes and columns (VH-2, CD-2.2).
package func codeUnitOrder(_ left: String, _ right: String) -> Bool {
  var (one, other) = (left.utf8.makeIterator(), right.utf8.makeIterator())
  while let byte = one.next() {
    guard let otherByte = other.next() else { return false }
    if byte == otherByte { continue }
    // UTF-8 has the same order, except for characters beyond U+FFFF. In UTF-16 these are surrogates, which sort before
    // U+E000.
    if byte < 0xEE || otherByte < 0xEE { return byte < otherByte }
    return left.utf16.lexicographicallyPrecedes(right.utf16)
  }
  return other.next() != nil
}
