import Foundation
import ManagedModel
import StoreRequests

@testable import CoreDataStore

/// Everything that a store's model allows, done to a store of which nothing else is known.
///
/// Objects that were there take part: the first and the last of each entity are changed, deleted, and led to.
struct RealStoresChanges {
  private(set) var editor: RealStoresEditor
  private let original: [Int: [ObjectKey]]
  private let entities: [EntityLayout]
  /// Objects that were not there at first, as the last save left them.
  private var new: [Int: [ObjectKey]] = [:]
  /// Goes into values, so that no two are the same.
  private var number: Int64 = 20_000
  private var turn = 0

  init(_ store: PersistentStore) throws {
    let editor = try RealStoresEditor(store)
    self.editor = editor
    entities = editor.layout.entities.filter { !$0.isAbstract }
    original = Dictionary(uniqueKeysWithValues: entities.map { ($0.number, editor.graph.keys(of: $0)) })
  }

  private func added(_ entity: EntityLayout) -> [ObjectKey] { (new[entity.number] ?? []).compactMap(present) }

  private func present(_ object: ObjectKey?) -> ObjectKey? {
    object.flatMap { editor.graph.objects[$0] == nil ? nil : $0 }
  }

  // MARK: Steps

  /// Two objects of each entity with every attribute, and one with those only that have to have a value.
  mutating func insertEverywhere() {
    for entity in entities {
      for isFull in [true, true, false] {
        let values = values(of: entity, onlyRequired: !isFull)
        _ = editor.insert(entity, values)
      }
    }
  }

  /// Gives each new object something in every relationship: new objects of every kind of destination, and old ones.
  mutating func linkEverything() {
    for entity in entities {
      for object in added(entity) { linkEverything(of: object, entity) }
    }
    repair()
  }

  private mutating func linkEverything(of object: ObjectKey, _ entity: EntityLayout) {
    for property in entity.properties {
      switch property {
      case .attribute: break
      case .toOne(let relationship):
        if let other = candidate(relationship.destinationName, for: object, property.name) {
          editor.link(object, property.name, to: other)
        }
      case .toMany(let relationship):
        for _ in 0..<2 {
          if let other = candidate(relationship.destinationName, for: object, property.name) {
            editor.link(object, property.name, to: other)
          }
        }
      }
    }
  }

  /// New values for every attribute of an old and of a new object of each entity, and other objects in each relationship.
  mutating func changeEverywhere() {
    for entity in entities {
      for object in [original[entity.number]?.first, added(entity).first].compactMap(present) {
        let values = values(of: entity)
        editor.set(values, of: object)
        changeRelationships(of: object, entity)
      }
    }
    repair()
  }

  private mutating func changeRelationships(of object: ObjectKey, _ entity: EntityLayout) {
    for property in entity.properties {
      switch property {
      case .attribute: break
      case .toOne(let relationship):
        turn += 1
        if turn % 4 == 0, relationship.description.isOptional,
          let former = editor.graph.objects[object]?.toOne[property.name]
        {
          editor.unlink(object, property.name, from: former)
        } else if let other = candidate(relationship.destinationName, for: object, property.name) {
          editor.link(object, property.name, to: other)
        }
      case .toMany(let relationship):
        if relationship.description.isOrdered { editor.reverse(property.name, of: object) }
        if let first = editor.graph.objects[object]?.toMany[property.name]?.first {
          editor.unlink(object, property.name, from: first)
        }
        if let other = candidate(relationship.destinationName, for: object, property.name) {
          editor.link(object, property.name, to: other)
        }
      }
    }
  }

  /// A new object of each entity goes, and the last of the old ones where there were several.
  mutating func deleteEverywhere() {
    for entity in entities {
      let old = original[entity.number] ?? []
      for object in [added(entity).dropFirst().first, old.count > 1 ? old.last : nil].compactMap(present) {
        editor.delete(object)
      }
    }
    repair()
  }

  mutating func save(to store: PersistentStore) throws -> SaveResult {
    let result = try editor.save(to: store)
    for object in result.inserted.map(\.object) { new[Int(object.entity), default: []].append(object) }
    return result
  }

  /// An object that a step left without a relationship that it has to have gets another, or goes, too.
  private mutating func repair() {
    while let (object, name, destination) = firstBereft() {
      let free = editor.kinds(of: destination).lazy.flatMap { [self] in added($0) }.first { [editor] other in
        other != object && editor.isFree(other, toBeLinkedFrom: object, name)
          && !editor.isTaken(other, by: name, of: object)
      }
      if let free { editor.link(object, name, to: free) } else { editor.delete(object) }
    }
  }

  /// An object whose required relationship is empty and was not before, or that is new.
  private func firstBereft() -> (object: ObjectKey, relationship: String, destination: String)? {
    for entity in entities {
      let required = entity.properties.compactMap { property -> ToOneLayout? in
        if case .toOne(let relationship) = property, !relationship.description.isOptional { relationship } else { nil }
      }
      if required.isEmpty { continue }
      let known = Set(original[entity.number] ?? [])
      for object in editor.graph.keys(of: entity) {
        for relationship in required where editor.graph.objects[object]?.toOne[relationship.description.name] == nil {
          if !known.contains(object) || editor.hadSaved(object, relationship.description.name) {
            return (object, relationship.description.name, relationship.destinationName)
          }
        }
      }
    }
    return nil
  }

  // MARK: Values

  /// Another object of the entity or its subentities at each call.
  private mutating func candidate(_ entityName: String, for object: ObjectKey, _ name: String) -> ObjectKey? {
    var candidates: [ObjectKey] = []
    for kind in editor.kinds(of: entityName) {
      candidates += added(kind) + [present(original[kind.number]?.first)].compactMap { $0 }
    }
    candidates.removeAll { $0 == object || editor.isTaken($0, by: name, of: object) }
    guard !candidates.isEmpty else { return nil }
    turn += 1
    return candidates[turn % candidates.count]
  }

  private mutating func values(of entity: EntityLayout, onlyRequired: Bool = false) -> [String: [StoreValue]] {
    number += 1
    var values: [String: [StoreValue]] = [:]
    for case .attribute(let attribute) in entity.properties where attribute.description.derivation == nil {
      if onlyRequired, attribute.description.isOptional { continue }
      values[attribute.description.name] = attribute.columns.map { column in
        // Every other one is too big for the row, and gets a file (CD-5).
        let isBig = column.isExternal && number % 2 == 0
        let big = Data(repeating: UInt8(truncatingIfNeeded: number), count: 150_000)
        return isBig ? .blob(big) : RealStores.value(column.attribute, number)
      }
    }
    return values
  }
}
