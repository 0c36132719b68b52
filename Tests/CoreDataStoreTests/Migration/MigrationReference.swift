import Foundation
import ManagedModel
import StoreRequests

@testable import CoreDataStore

/// What a store has to hold after a migration: every value and pair of it whose property the new model still has.
struct MigrationReference {
  private struct Row: Hashable {
    let entity: String
    let key: Int64
  }

  private var values: [Row: [String: StoreValue]] = [:]
  private var toOne: [Row: [String: Int64?]] = [:]
  private var toMany: [String: [String: [Int64: [Int64]]]] = [:]
  private let model: ModelDescription

  init(_ store: PersistentStore) throws {
    model = store.layout.model
    for entity in store.layout.entities where !entity.isAbstract {
      let attributes = entity.properties.compactMap { property -> AttributeLayout? in
        guard case .attribute(let attribute) = property, attribute.column != nil else { return nil }
        return attribute
      }
      let keys = entity.properties.compactMap { property -> ToOneLayout? in
        if case .toOne(let relationship) = property { relationship } else { nil }
      }
      let names = attributes.map(\.description.name) + keys.map(\.description.name)
      for row in try store.rows(of: entity.name, properties: names) where row[1] == .integer(Int64(entity.number)) {
        guard case .integer(let key) = row[0] else { continue }
        let id = Row(entity: entity.name, key: key)
        values[id] = [:]
        for (index, attribute) in attributes.enumerated() {
          values[id, default: [:]][attribute.description.name] = row[3 + index]
        }
        for (index, relationship) in keys.enumerated() {
          let value = row[3 + attributes.count + 2 * index]
          toOne[id, default: [:]][relationship.description.name] =
            if case .integer(let key) = value { key } else { nil }
        }
      }
      for case .toMany(let relationship) in entity.properties where relationship.declaringEntityName == entity.name {
        let owners = try store.keys(FetchRequest(entityName: entity.name))
        var members: [Int64: [Int64]] = [:]
        let cursor = try store.related(to: (entity.name, relationship.description.name), owners: owners, columns: [])
        while try cursor.next() { members[cursor.owner, default: []].append(cursor.key) }
        toMany[entity.name, default: [:]][relationship.description.name] = members
      }
    }
  }

  private func hasRow(_ key: Int64, of entity: String, _ graph: EntityGraph) -> Bool {
    ([entity] + graph.subentities(of: entity)).contains { values[Row(entity: $0, key: key)] != nil }
  }

  var rowCount: Int { values.count }

  private typealias PropertyPair = (old: PropertyDescription, new: PropertyDescription)

  /// The properties of a new entity that are in the old model, too, with their old descriptions.
  private static func pairs(
    _ matching: ModelMatching, _ old: [PropertyDescription], _ new: [PropertyDescription], _ entity: String
  ) -> [PropertyPair] {
    let known = Dictionary(old.map { ($0.name, $0) }, uniquingKeysWith: { _, last in last })
    let names = matching.properties(of: entity)
    return new.compactMap { property in names[property.name].flatMap { known[$0] }.map { ($0, property) } }
  }

  /// Each difference of a migrated store from what the old store makes one expect.
  func problems(in store: PersistentStore) throws -> [String] {
    let now = try MigrationReference(store)
    let matching = ModelMatching(from: model, to: now.model)
    let (before, after) = (EntityGraph(model), EntityGraph(now.model))
    var problems: [String] = []
    var expected = 0
    var pairs: [String: [PropertyPair]] = [:]
    for (row, values) in self.values {
      guard let name = matching.destination(of: row.entity) else { continue }
      expected += 1
      let id = Row(entity: name, key: row.key)
      guard let found = now.values[id] else {
        problems.append("\(name) \(row.key) is missing")
        continue
      }
      let known =
        pairs[row.entity] ?? Self.pairs(matching, before.properties(of: row.entity), after.properties(of: name), name)
      pairs[row.entity] = known
      for (old, property) in known {
        let former = old.name
        switch (old, property) {
        case (.attribute(let one), .attribute(let other)):
          guard one.type == other.type, other.derivation == nil, let value = values[former], value != .null else {
            continue
          }
          if found[property.name] != value { problems.append("\(name).\(property.name) of \(row.key) was \(value)") }
        case (.relationship(let one), .relationship(let other)) where !one.isToMany && !other.isToMany:
          let key = toOne[row]?[former] ?? nil
          guard matching.destination(of: one.destinationEntityName) != nil else { continue }
          // Random stores have keys that lead nowhere; a migration may drop them.
          if let key, !hasRow(key, of: one.destinationEntityName, before) { continue }
          if now.toOne[id]?[property.name] ?? nil != key {
            problems.append("\(name).\(property.name) of \(row.key) led to \(key.map(String.init) ?? "nil")")
          }
        default: break
        }
      }
    }
    if now.values.count != expected { problems.append("\(now.values.count) rows instead of \(expected)") }
    for entity in after.model.entities {
      guard let old = matching.source(of: entity.name) else { continue }
      for (property, members) in now.toMany[entity.name] ?? [:] {
        guard let former = matching.properties(of: entity.name)[property], let others = toMany[old]?[former],
          case .relationship(let one)? = before.properties(of: old).first(where: { $0.name == former }),
          case .relationship(let other)? = after.properties(of: entity.name).first(where: { $0.name == property }),
          matching.destination(of: one.destinationEntityName) != nil
        else { continue }
        let isOrdered = one.isOrdered && other.isOrdered
        let same = isOrdered ? members == others : members.mapValues(Set.init) == others.mapValues(Set.init)
        if !same { problems.append("\(entity.name).\(property) has other members") }
      }
    }
    return problems
  }
}
