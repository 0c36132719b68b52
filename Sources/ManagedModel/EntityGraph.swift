/// A model's entities with their inheritance resolved: the look-ups that hashes, layouts and generated classes need.
///
/// Built once per model in time linear in its size. A superentity that does not exist is taken as absent, and a cycle
/// of superentities is cut, so that a graph can be made of any model; ``ModelDescription/validate()`` reports both.
package struct EntityGraph: Sendable {
  package let model: ModelDescription
  /// Where an entity stands in the model; of two with one name, the first.
  private let indexByName: [String: Int]
  /// Per entity, the index of its superentity and those of its direct subentities.
  private let parents: [Int?]
  private let children: [[Int]]
  private let hasCircle: Bool

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
    hasCircle = reached.count < parents.count
  }

  package func entity(_ name: String) -> EntityDescription? {
    indexByName[name].map { model.entities[$0] }
  }

  /// Direct subentities in declared order.
  package func subentities(of name: String) -> [String] {
    indexByName[name].map { children[$0].map { model.entities[$0].name } } ?? []
  }

  /// The entity's line of superentities from the root down to the entity itself; empty if there is no such entity.
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

  /// The root of the entity's line: the entity whose table holds its rows.
  package func root(of name: String) -> EntityDescription? { line(of: name).last.map { model.entities[$0] } }

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
    line(of: entityName).last { model.entities[$0].properties.contains { $0.name == property } }
      .map { model.entities[$0] }
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
    // UTF-8 has the same order but for characters beyond U+FFFF, which are surrogates in UTF-16, before U+E000.
    if byte < 0xEE || otherByte < 0xEE { return byte < otherByte }
    return left.utf16.lexicographicallyPrecedes(right.utf16)
  }
  return other.next() != nil
}
