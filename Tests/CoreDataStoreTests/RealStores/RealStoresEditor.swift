import Foundation
import ManagedModel
import StoreRequests

@testable import CoreDataStore

/// Changes objects the way a context does, inverse relationships included, and saves what has changed.
///
/// Objects that are not saved yet have negative keys.
struct RealStoresEditor {
  let layout: StoreLayout
  private(set) var graph: RealStoresGraph
  private var saved: RealStoresGraph
  private var nextTemporaryKey: Int64 = -1

  init(_ store: PersistentStore) throws {
    layout = store.layout
    graph = try RealStoresGraph(store)
    saved = graph
  }

  func entity(of object: ObjectKey) -> EntityLayout? { layout.entity(numbered: Int(object.entity)) }

  /// The concrete entities that an object of a relationship's destination may have.
  func kinds(of entityName: String) -> [EntityLayout] {
    (layout.entity(named: entityName)?.kindNumbers ?? []).compactMap { layout.entity(numbered: $0) }
      .filter { !$0.isAbstract }
  }

  /// Whether an object can take part in a relationship without leaving another.
  func isFree(_ other: ObjectKey, toBeLinkedFrom object: ObjectKey, _ name: String) -> Bool {
    guard case .toOne(let relationship)? = entity(of: object)?.property(named: name),
      let inverse = relationship.inverse?.description, !inverse.isToMany
    else { return true }
    return graph.objects[other]?.toOne[inverse.name] == nil
  }

  /// Whether a uniqueness constraint keeps a to-one relationship from leading to an object that another one leads to.
  func isTaken(_ other: ObjectKey, by name: String, of object: ObjectKey) -> Bool {
    let lineage = entity(of: object)?.lineage.compactMap { layout.entity(named: $0) } ?? []
    guard lineage.contains(where: { $0.description.uniquenessConstraints.contains([name]) }) else { return false }
    return graph.objects.contains { $0.key != object && $0.value.toOne[name] == other }
  }

  /// Whether a to-one relationship led somewhere when the store was last saved.
  func hadSaved(_ object: ObjectKey, _ name: String) -> Bool { saved.objects[object]?.toOne[name] != nil }

  // MARK: Changes

  mutating func insert(_ entity: EntityLayout, _ attributes: [String: [StoreValue]]) -> ObjectKey {
    let key = ObjectKey(entity: Int32(entity.number), key: nextTemporaryKey)
    nextTemporaryKey -= 1
    var object = RealStoresGraph.Object(version: 1)
    for case .attribute(let attribute) in entity.properties {
      object.attributes[attribute.description.name] =
        attributes[attribute.description.name] ?? attribute.columns.map { _ in .null }
    }
    graph.objects[key] = object
    return key
  }

  mutating func set(_ values: [String: [StoreValue]], of object: ObjectKey) {
    graph.objects[object]?.attributes.merge(values) { $1 }
  }

  mutating func link(_ object: ObjectKey, _ name: String, to other: ObjectKey) {
    switch entity(of: object)?.property(named: name) {
    case .toOne(let relationship)?:
      if let former = graph.objects[object]?.toOne[name] { unlink(object, name, from: former) }
      graph.objects[object]?.toOne[name] = other
      guard let inverse = relationship.inverse?.description else { return }
      if !inverse.isToMany, let partner = graph.objects[other]?.toOne[inverse.name] {
        unlink(other, inverse.name, from: partner)
      }
      add(object, to: inverse, of: other)
    case .toMany(let relationship)?:
      guard let inverse = relationship.inverse?.description else {
        // The key is one of the destination's row: it has one owner.
        for owner in graph.objects.keys where graph.objects[owner]?.toMany[name]?.contains(other) == true {
          if case .toMany(let same)? = entity(of: owner)?.property(named: name), same.storage == relationship.storage {
            graph.objects[owner]?.toMany[name]?.removeAll { $0 == other }
          }
        }
        add(other, to: relationship.description, of: object)
        return
      }
      if !inverse.isToMany { return link(other, inverse.name, to: object) }
      add(other, to: relationship.description, of: object)
      add(object, to: inverse, of: other)
    case .attribute?, nil: break
    }
  }

  mutating func unlink(_ object: ObjectKey, _ name: String, from other: ObjectKey) {
    let inverse: RelationshipDescription?
    switch entity(of: object)?.property(named: name) {
    case .toOne(let relationship)?: inverse = relationship.inverse?.description
    case .toMany(let relationship)?: inverse = relationship.inverse?.description
    case .attribute?, nil: return
    }
    remove(other, from: name, of: object)
    if let inverse { remove(object, from: inverse.name, of: other) }
  }

  mutating func reverse(_ name: String, of object: ObjectKey) { graph.objects[object]?.toMany[name]?.reverse() }

  /// Removes an object, and every reference to it.
  mutating func delete(_ object: ObjectKey) {
    for property in entity(of: object)?.properties ?? [] {
      let others =
        (graph.objects[object]?.toOne[property.name]).map { [$0] } ?? graph.objects[object]?.toMany[property.name]
      for other in others ?? [] { unlink(object, property.name, from: other) }
    }
    graph.objects[object] = nil
    for (key, other) in graph.objects {
      for (name, value) in other.toOne where value == object { graph.objects[key]?.toOne[name] = nil }
      for (name, values) in other.toMany where values.contains(object) {
        graph.objects[key]?.toMany[name]?.removeAll { $0 == object }
      }
    }
  }

  private mutating func add(_ other: ObjectKey, to relationship: RelationshipDescription, of object: ObjectKey) {
    if !relationship.isToMany {
      graph.objects[object]?.toOne[relationship.name] = other
    } else if graph.objects[object]?.toMany[relationship.name]?.contains(other) != true {
      graph.objects[object]?.toMany[relationship.name, default: []].append(other)
    }
  }

  private mutating func remove(_ other: ObjectKey, from name: String, of object: ObjectKey) {
    if graph.objects[object]?.toOne[name] == other { graph.objects[object]?.toOne[name] = nil }
    graph.objects[object]?.toMany[name]?.removeAll { $0 == other }
  }

  // MARK: Saving

  /// Writes everything that has changed since the last save.
  mutating func save(to store: PersistentStore) throws -> SaveResult {
    var (changes, inserted) = changes()
    changes.author = "tester"
    let result = try store.save(changes)
    let keys = Dictionary(uniqueKeysWithValues: zip(inserted, result.inserted.map(\.object)))
    var objects: [ObjectKey: RealStoresGraph.Object] = [:]
    for (key, var object) in graph.objects {
      object.toOne = object.toOne.mapValues { keys[$0] ?? $0 }
      object.toMany = object.toMany.mapValues { $0.map { keys[$0] ?? $0 } }
      objects[keys[key] ?? key] = object
    }
    for object in changes.updates.map(\.object) + result.moved { objects[object]?.version += 1 }
    graph.objects = objects
    saved = graph
    return result
  }

  private func changes() -> (changes: ChangeSet, inserted: [ObjectKey]) {
    var changes = ChangeSet()
    let inserted = graph.objects.keys.filter { $0.key < 0 }.sorted { ($0.entity, $1.key) < ($1.entity, $0.key) }
    let rows = Dictionary(uniqueKeysWithValues: inserted.map { ($0, StoreValuesRow()) })
    let positions = Dictionary(uniqueKeysWithValues: inserted.enumerated().map { ($0.element, $0.offset) })
    func reference(_ key: ObjectKey) -> ChangeSet.Reference { positions[key].map { .inserted($0) } ?? .existing(key) }
    func content(_ key: ObjectKey?) -> StoreValuesRow.Content {
      key.flatMap { rows[$0] }.map { .row($0) } ?? .object(key)
    }
    for key in inserted {
      guard let object = graph.objects[key], let entity = entity(of: key), let row = rows[key] else { continue }
      row.contents = object.attributes.filter { !entity.isDerived($0.key) }.mapValues { .values($0) }
      for case .toOne(let relationship) in entity.properties {
        row.contents[relationship.description.name] = content(object.toOne[relationship.description.name])
      }
      changes.insertions.append(
        .init(
          entity: key.entity,
          columns: row.contents.keys.sorted().map { ColumnSelection(entityName: entity.name, propertyName: $0) },
          source: row))
    }
    for (key, before) in saved.objects.sorted(by: { ($0.key.entity, $0.key.key) < ($1.key.entity, $1.key.key) }) {
      guard let object = graph.objects[key] else {
        changes.deletions.append(.init(object: key, version: before.version))
        continue
      }
      guard object != before, let entity = entity(of: key) else { continue }
      var contents: [String: StoreValuesRow.Content] = [:]
      var changed: [String] = []
      for property in entity.properties {
        let name = property.name
        switch property {
        case .attribute where object.attributes[name] != before.attributes[name]:
          contents[name] = .values(object.attributes[name] ?? [])
        case .toOne where object.toOne[name] != before.toOne[name]: contents[name] = content(object.toOne[name])
        case .toMany where (object.toMany[name] ?? []) != (before.toMany[name] ?? []): changed.append(name)
        default: break
        }
      }
      changes.updates.append(
        .init(
          object: key, version: before.version,
          columns: contents.keys.sorted().map { ColumnSelection(entityName: entity.name, propertyName: $0) },
          changedProperties: (changed + contents.keys).sorted(), source: StoreValuesRow(contents)))
    }
    for key in inserted + changes.updates.map(\.object) {
      guard let object = graph.objects[key], let entity = entity(of: key) else { continue }
      for case .toMany(let relationship) in entity.properties {
        let name = relationship.description.name
        let (now, before) = (object.toMany[name] ?? [], saved.objects[key]?.toMany[name] ?? [])
        guard now != before else { continue }
        var change = ChangeSet.RelationshipChange(owner: reference(key), relationship: name)
        if relationship.isListed {
          change.added = now.filter { !before.contains($0) }.map(reference)
          change.removed = before.filter { !now.contains($0) }.map(reference)
        }
        if relationship.description.isOrdered { change.order = now.map(reference) }
        changes.relationshipChanges.append(change)
      }
    }
    return (changes, inserted)
  }
}

extension ToManyLayout {
  /// Whether a change set lists what came and went: of two inverses, one does.
  fileprivate var isListed: Bool {
    switch storage {
    case .key(let side): return side.isVirtual
    case .joinTable:
      guard let inverse else { return true }
      return (declaringEntityName, description.name) <= (inverse.entityName, inverse.description.name)
    }
  }
}

extension EntityLayout {
  func isDerived(_ name: String) -> Bool {
    if case .attribute(let attribute)? = property(named: name) {
      attribute.description.derivation != nil
    } else {
      false
    }
  }
}
