import Foundation
import ManagedModel
import TestSupport

/// A model with entities below entities, attributes of every type and relationships of every kind.
struct FetchRandomModel {
  private(set) var entities: [EntityDescription] = []
  /// Kinds of relationships, by their number.
  private(set) var links: [Link] = []
  private var usedNames: [String: Set<String>] = [:]

  /// A relationship and, where it has one, its inverse.
  struct Link {
    var source: String
    var name: String
    var isToMany: Bool
    var destination: String
    var inverseName: String?
    var inverseIsToMany = false
    var isOrdered = false
    var isOwnInverse: Bool { inverseName == name }
  }

  private static let names = ["Order", "alpha", "Größe", "Group", "beta", "Item"]
  private static let properties = [
    "name", "size", "order", "größe", "group", "value", "isOn", "when", "z_pk", "select", "key", "ent", "opt", "n0",
  ]
  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .boolean, .float, .double, .decimal, .string, .string, .date, .uuid, .uri,
    .binary, .composite,
  ]

  init(_ numbers: inout SplitMix) {
    for root in Self.names.shuffled(using: &numbers).prefix(2 + numbers.below(2)) {
      add(root, below: nil, depth: 0, &numbers)
    }
    for number in 0..<(3 + numbers.below(4)) { addLink(number, &numbers) }
  }

  var model: ModelDescription { ModelDescription(entities: entities) }

  private mutating func add(_ name: String, below parent: String?, depth: Int, _ numbers: inout SplitMix) {
    var used = parent.flatMap { usedNames[$0] } ?? []
    var properties: [PropertyDescription] = []
    for _ in 0..<(2 + numbers.below(depth == 0 ? 5 : 3)) {
      let property = Self.properties[numbers.below(Self.properties.count)]
      guard used.insert(property).inserted else { continue }
      properties.append(.attribute(attribute(property, &numbers)))
    }
    usedNames[name] = used
    var indexes: [FetchIndexDescription] = []
    for property in properties where numbers.once(in: 3) {
      guard case .attribute(let attribute) = property, attribute.type != .composite else { continue }
      indexes.append(
        FetchIndexDescription(
          name: "by\(attribute.name)",
          elements: [.init(subject: .property(attribute.name), isAscending: !numbers.once(in: 3))],
          partialIndexPredicate: numbers.once(in: 3) ? "\(attribute.name) != nil" : nil))
    }
    let childCount = depth < 3 ? numbers.below(depth == 0 ? 3 : 2) : 0
    entities.append(
      EntityDescription(
        name: name, isAbstract: childCount > 0 && numbers.once(in: 4), superentityName: parent,
        properties: properties, fetchIndexes: indexes))
    for child in 0..<childCount { add("\(name)\(child)", below: name, depth: depth + 1, &numbers) }
  }

  private func attribute(_ name: String, _ numbers: inout SplitMix) -> AttributeDescription {
    let type = Self.types[numbers.below(Self.types.count)]
    return AttributeDescription(
      name: name, type: type, isOptional: !numbers.once(in: 3),
      allowsExternalBinaryDataStorage: type == .binary && numbers.once(in: 2),
      elements: type == .composite
        ? [
          AttributeDescription(name: "name", type: .string, isOptional: true),
          AttributeDescription(name: "part", type: .integer32, isOptional: true),
        ] : [])
  }

  private mutating func addLink(_ number: Int, _ numbers: inout SplitMix) {
    let source = entities[numbers.below(entities.count)].name
    let other = numbers.once(in: 4) ? source : entities[numbers.below(entities.count)].name
    let (name, inverse) = ("r\(number)", "i\(number)")
    let isOrdered = numbers.once(in: 2)
    let link =
      switch numbers.below(8) {
      case 0, 1:
        Link(source: source, name: name, isToMany: true, destination: other, inverseName: inverse, isOrdered: isOrdered)
      case 2: Link(source: source, name: name, isToMany: false, destination: other, inverseName: inverse)
      case 3:
        Link(
          source: source, name: name, isToMany: true, destination: other, inverseName: inverse, inverseIsToMany: true,
          isOrdered: isOrdered)
      case 4: Link(source: source, name: name, isToMany: false, destination: other)
      case 5: Link(source: source, name: name, isToMany: true, destination: other, isOrdered: isOrdered)
      case 6:
        Link(source: source, name: name, isToMany: true, destination: source, inverseName: name, inverseIsToMany: true)
      default: Link(source: source, name: name, isToMany: false, destination: source, inverseName: name)
      }
    links.append(link)
    add(link.name, to: link.source, link.destination, isToMany: link.isToMany, link.inverseName, link.isOrdered)
    if let inverse = link.inverseName, !link.isOwnInverse {
      add(inverse, to: link.destination, link.source, isToMany: link.inverseIsToMany, link.name, false)
    }
  }

  private mutating func add(
    _ name: String, to entity: String, _ destination: String, isToMany: Bool, _ inverse: String?, _ isOrdered: Bool
  ) {
    guard let index = entities.firstIndex(where: { $0.name == entity }) else { return }
    entities[index].properties.append(
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: destination, inverseName: inverse, isOrdered: isOrdered,
          maximumCount: isToMany ? 0 : 1)))
  }

  // MARK: Questions

  func description(_ entity: String) -> EntityDescription? { entities.first { $0.name == entity } }

  /// The entity and those above it.
  func lineage(_ entity: String) -> [EntityDescription] {
    var result: [EntityDescription] = []
    var next: String? = entity
    while let name = next, let found = description(name) {
      result.append(found)
      next = found.superentityName
    }
    return result
  }

  func root(of entity: String) -> String { lineage(entity).last?.name ?? entity }
  func isKind(_ entity: String, of ancestor: String) -> Bool { lineage(entity).contains { $0.name == ancestor } }
  func subentities(_ entity: String) -> [String] {
    entities.map(\.name).filter { $0 != entity && isKind($0, of: entity) }
  }
  func attributes(_ entity: String) -> [AttributeDescription] { lineage(entity).flatMap(\.attributes) }
  func relationships(_ entity: String) -> [RelationshipDescription] { lineage(entity).flatMap(\.relationships) }
}
