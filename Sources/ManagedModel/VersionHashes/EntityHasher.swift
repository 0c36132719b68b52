import Crypto
import ErrorReporting
import Foundation

/// Computes every entity's hash once, superentities first (VH-1 … VH-3).
///
/// Walks the tree of entities with a list instead of recursion, so that no depth of inheritance can exhaust the stack.
/// Subentities share their superentity's list of property hashes, which is freed after the last of them.
struct EntityHasher {
  private struct Pending {
    let name: String
    let superentityHash: SHA256.Digest?
    /// The superentity's hashed properties, with its inherited properties, sorted by name.
    let inherited: [PropertyHash]
  }

  private struct PropertyHash {
    let name: String
    /// `nil` for a property that is not hashed; it still hides an inherited property of the same name.
    let hash: SHA256.Digest?
  }

  /// The largest number of properties to hash, with inherited properties counted for each entity. The hasher refuses a
  /// larger model as an attack.
  private static let maximumPropertyCount = 5_000_000

  private let graph: EntityGraph
  private let properties: PropertyHasher

  init(_ model: ModelDescription) throws(VersionHashError) {
    let graph = EntityGraph(model)
    var names: Set<String> = []
    for entity in model.entities where !names.insert(entity.name).inserted {
      throw .duplicateEntity(entity.name)
    }
    for entity in model.entities {
      if let superentity = entity.superentityName, !names.contains(superentity) {
        throw .missingSuperentity(
          entity: entity.name, superentity: superentity, nearest: nearestName(to: superentity, in: Array(names)))
      }
    }
    self.graph = graph
    self.properties = PropertyHasher(graph)
  }

  mutating func hashAllEntities() throws(VersionHashError) -> [String: Data] {
    var hashes: [String: Data] = [:]
    var propertyCount = 0
    var pending = graph.model.entities.filter { $0.superentityName == nil }
      .map { Pending(name: $0.name, superentityHash: nil, inherited: []) }
    while let next = pending.popLast() {
      guard let entity = graph.entity(next.name) else { continue }
      let all = try merge(inherited: next.inherited, own: entity)
      propertyCount += all.count
      guard propertyCount <= Self.maximumPropertyCount else { throw .modelTooLarge }
      let hash = self.hash(entity, superentityHash: next.superentityHash, properties: all)
      hashes[entity.name] = Data(hash)
      for child in graph.subentities(of: entity.name) {
        pending.append(Pending(name: child, superentityHash: hash, inherited: all))
      }
    }
    // An entity that no root reaches is on or below a cycle.
    for entity in graph.model.entities where hashes[entity.name] == nil {
      throw .cyclicInheritance(entity: entity.name)
    }
    return hashes
  }

  /// VH-1, VH-3.
  private func hash(
    _ entity: EntityDescription, superentityHash: SHA256.Digest?, properties: [PropertyHash]
  ) -> SHA256.Digest {
    var function = SHA256()
    function.update(entity.name)
    function.update(littleEndian: entity.isAbstract ? 1 : 0 as UInt8)
    if let superentityHash { function.update(superentityHash) }
    for property in properties {
      if let hash = property.hash { function.update(hash) }
    }
    function.update(entity.versionHashModifier ?? "")
    let constraints = entity.uniquenessConstraints.map { $0.joined(separator: ".") }.sorted(by: codeUnitOrder)
    for constraint in constraints { function.update(constraint) }
    return function.finalize()
  }

  /// VH-2: inherited and own properties in one sorted list; a redeclaration replaces the inherited property.
  private func merge(
    inherited: [PropertyHash], own entity: EntityDescription
  ) throws(VersionHashError) -> [PropertyHash] {
    if entity.properties.isEmpty { return inherited }
    var own: [PropertyHash] = []
    own.reserveCapacity(entity.properties.count)
    for property in entity.properties {
      own.append(PropertyHash(name: property.name, hash: try properties.hash(of: property, declaredBy: entity)))
    }
    own.sort { codeUnitOrder($0.name, $1.name) }
    var merged: [PropertyHash] = []
    merged.reserveCapacity(inherited.count + own.count)
    var rest = inherited[...]
    for (position, property) in own.enumerated() {
      // The sort is stable. So for a repeated name the last declaration comes last, and only this declaration counts.
      if position + 1 < own.count, own[position + 1].name == property.name { continue }
      while let next = rest.first, codeUnitOrder(next.name, property.name) {
        merged.append(next)
        rest.removeFirst()
      }
      if rest.first?.name == property.name { rest.removeFirst() }
      merged.append(property)
    }
    return merged + rest
  }
}
