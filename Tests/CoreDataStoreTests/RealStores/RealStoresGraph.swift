import Foundation
import ManagedModel
import StoreRequests

@testable import CoreDataStore

/// All objects of a store, with their values and relationships, as the store's own interface reads them.
struct RealStoresGraph {
  var objects: [ObjectKey: Object] = [:]

  struct Object: Equatable {
    var version: Int64
    var attributes: [String: [StoreValue]] = [:]
    var toOne: [String: ObjectKey] = [:]
    /// In the relationship's order; by key where it has none.
    var toMany: [String: [ObjectKey]] = [:]
  }

  init() {}

  /// - Throws: what reading throws.
  init(_ store: PersistentStore) throws {
    for entity in store.layout.entities where !entity.isAbstract {
      try readRows(of: entity, store)
      let owners = objects.keys.filter { $0.entity == entity.number }.sorted { $0.key < $1.key }
      for case .toMany(let relationship) in entity.properties where !owners.isEmpty {
        let name = relationship.description.name
        let cursor = try store.related(to: (entity.name, name), owners: owners, columns: [])
        while try cursor.next() {
          let owner = ObjectKey(entity: Int32(entity.number), key: cursor.owner)
          objects[owner]?.toMany[name, default: []].append(cursor.object)
        }
      }
    }
  }

  private mutating func readRows(of entity: EntityLayout, _ store: PersistentStore) throws {
    let properties = entity.properties.filter { if case .toMany = $0 { false } else { true } }
    let columns = properties.map { ColumnSelection(entityName: entity.name, propertyName: $0.name) }
    let request = FetchRequest(entityName: entity.name, includesSubentities: false, columns: columns)
    let cursor = try store.fetch(request)
    while try cursor.next() {
      var object = Object(version: cursor.version)
      var reader = cursor.reader()
      for property in properties {
        switch property {
        case .attribute(let attribute):
          object.attributes[property.name] = attribute.columns.map { _ in reader.value() }
        case .toOne: if let other = reader.object() { object.toOne[property.name] = other }
        case .toMany: break
        }
      }
      objects[cursor.object] = object
    }
  }

  func keys(of entity: EntityLayout) -> [ObjectKey] {
    objects.keys.filter { $0.entity == entity.number }.sorted { $0.key < $1.key }
  }

  /// What differs, a line each, in no more than ten lines.
  ///
  /// - Parameter ignored: attributes that something else than the save writes.
  func differences(from other: RealStoresGraph, in layout: StoreLayout, ignoring ignored: Set<ColumnSelection>)
    -> [String]
  {
    var lines: [String] = []
    for key in Set(objects.keys).union(other.objects.keys).sorted(by: { ($0.entity, $0.key) < ($1.entity, $1.key) }) {
      guard let entity = layout.entity(numbered: Int(key.entity)) else { continue }
      let place = "\(entity.name) p\(key.key)"
      guard let mine = objects[key], let theirs = other.objects[key] else {
        lines.append("\(place) is \(objects[key] == nil ? "not there" : "there")")
        continue
      }
      if mine == theirs { continue }
      if mine.version != theirs.version { lines.append("\(place) has version \(mine.version), not \(theirs.version)") }
      for property in entity.properties {
        let name = property.name
        switch property {
        case .attribute:
          let isIgnored = ignored.contains(ColumnSelection(entityName: entity.name, propertyName: name))
          if isIgnored || mine.attributes[name] == theirs.attributes[name] { continue }
        case .toOne: if mine.toOne[name] == theirs.toOne[name] { continue }
        case .toMany(let relationship):
          let (left, right) = (mine.toMany[name] ?? [], theirs.toMany[name] ?? [])
          if relationship.description.isOrdered ? left == right : Set(left) == Set(right) && left.count == right.count {
            continue
          }
        }
        lines.append("\(place).\(name) is \(mine.words(name)), not \(theirs.words(name))")
      }
    }
    return lines.count > 10 ? lines.prefix(10) + ["… and \(lines.count - 10) more"] : lines
  }
}

extension RealStoresGraph.Object {
  fileprivate func words(_ name: String) -> String {
    let value: Any? = attributes[name] ?? toOne[name] ?? toMany[name]
    return value.map { "\($0)" } ?? "nothing"
  }
}
