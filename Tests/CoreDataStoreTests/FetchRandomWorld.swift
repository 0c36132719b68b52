import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport

@testable import CoreDataStore

/// A random model's store on disk with random rows, some of them deleted by somebody who left the keys that lead to them
/// (CD-3.1), and the same objects in memory.
struct FetchRandomWorld: FetchTestObjects {
  typealias Object = FetchTestWorld.Object
  let random: FetchRandomModel
  let folder: TemporaryStore
  let store: PersistentStore
  private(set) var objects: [String: [Int64: Object]] = [:]

  func destinationRoot(_ relationship: String, of entity: String) -> String? {
    random.relationships(entity).first { $0.name == relationship }.map { random.root(of: $0.destinationEntityName) }
  }
  func isKind(_ entity: String, of ancestor: String) -> Bool { random.isKind(entity, of: ancestor) }
  func root(of entity: String) -> String { random.root(of: entity) }

  /// Objects of an entity, by key.
  func all(_ entity: String, includesSubentities: Bool = true) -> [Object] {
    (objects[random.root(of: entity)] ?? [:]).values.filter {
      includesSubentities ? random.isKind($0.entity, of: entity) : $0.entity == entity
    }.sorted { $0.key < $1.key }
  }

  // MARK: Values

  static let texts = [
    "", "a", "A", "ab", "abc", "\u{C9}", "E\u{301}", "\u{E9}t\u{E9}", "e\u{301}te\u{301}", "K", "\u{212A}", "K\u{E9}",
    ";", "\u{37E}", "2024-01-01", "2024-02", "10", "9", "stra\u{DF}e", "%", "a*", "a\u{0}b", "'", "Zo\u{EB}", "e",
    "\u{1E69}", "s\u{323}\u{307}", "\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "a\u{301}", "=\u{338}", "\u{2260}", "=",
  ]

  static func value(_ type: AttributeType, _ numbers: inout SplitMix) -> StoreValue {
    switch type {
    case .integer16: .integer(Int64(numbers.below(9) - 3))
    case .integer32: .integer([-40_000, 7, 0, 3, 70_000][numbers.below(5)])
    case .integer64: .integer([0, 1, 2, -1, 1 << 40 + 1, 5][numbers.below(6)])
    case .boolean: .integer(Int64(numbers.below(2)))
    case .float, .double, .decimal: .real(Double(numbers.below(20) - 6) / 4)
    case .date: .real(Double(numbers.below(12)) * 500.5)
    case .uuid: .blob(Data(repeating: UInt8(numbers.below(4)), count: 16))
    case .binary: .blob(Data("bytes".utf8.prefix(numbers.below(4))))
    case .uri: .text(["http://a/1", "http://a/2", "file:///x"][numbers.below(3)])
    default: .text(texts[numbers.below(texts.count)])
    }
  }

  // MARK: Making

  private struct Made {
    let entity: String
    let row: StoreValuesRow
    var attributes: [String: StoreValue]
    var toOne: [String: Int] = [:]
    var toMany: [String: [Int]] = [:]
  }

  init(_ numbers: inout SplitMix) throws {
    random = FetchRandomModel(&numbers)
    folder = try TemporaryStore()
    store = try PersistentStore.open(at: folder.url, model: random.model)
    var made: [Made] = []
    for entity in random.entities where !entity.isAbstract {
      for _ in 0..<numbers.below(13) { made.append(Self.object(entity.name, random, &numbers)) }
    }
    var changes = ChangeSet()
    for link in random.links { Self.connect(link, &made, &changes, random, &numbers) }
    for object in made {
      changes.insertions.append(
        ChangeSet.Insertion(
          entity: Int32(try store.layout.existingEntity(object.entity).number),
          columns: object.row.contents.keys.sorted().map {
            ColumnSelection(entityName: object.entity, propertyName: $0)
          }, source: object.row))
    }
    let keys = try store.save(changes).inserted.map(\.object)
    for (index, one) in made.enumerated() {
      objects[random.root(of: one.entity), default: [:]][keys[index].key] = Object(
        entity: one.entity, number: keys[index].entity, key: keys[index].key, attributes: one.attributes,
        toOne: one.toOne.mapValues { keys[$0].key }, toMany: one.toMany.mapValues { $0.map { keys[$0].key } })
    }
    for index in made.indices where numbers.once(in: 12) {
      let table = try store.layout.existingEntity(made[index].entity).table
      try store.write { try $0.execute("DELETE FROM \(table) WHERE Z_PK = \(keys[index].key)") }
      objects[random.root(of: made[index].entity)]?[keys[index].key] = nil
    }
    for link in random.links where !link.isToMany && link.inverseName != nil {
      for (index, one) in made.enumerated() {
        guard let other = one.toOne[link.name], !link.isOwnInverse || index < other, numbers.once(in: 2) else {
          continue
        }
        let (row, name) = numbers.once(in: 2) ? (index, link.name) : (other, link.inverseName ?? link.name)
        try clear(name, of: made[row].entity, key: keys[row].key)
      }
    }
  }

  /// Takes one side of a one-to-one relationship out of the file, which the other still tells (CD-3.1).
  private func clear(_ name: String, of entity: String, key: Int64) throws {
    let entity = try store.layout.existingEntity(entity)
    let relationship = try store.layout.toOne(name, of: entity)
    let columns = [relationship.key] + [relationship.entityColumn].compactMap(\.self)
    let list = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    try store.write { try $0.execute("UPDATE \(entity.table) SET \(list) WHERE Z_PK = \(key)") }
  }

  private static func object(_ entity: String, _ random: FetchRandomModel, _ numbers: inout SplitMix) -> Made {
    var contents: [String: StoreValuesRow.Content] = [:]
    var attributes: [String: StoreValue] = [:]
    for attribute in random.attributes(entity) {
      let isNull = attribute.isOptional && numbers.once(in: 4)
      if attribute.elements.isEmpty {
        let value = isNull ? .null : value(attribute.type, &numbers)
        contents[attribute.name] = .values([value])
        attributes[attribute.name] = value
      } else {
        let values = attribute.elements.map { isNull ? .null : value($0.type, &numbers) }
        contents[attribute.name] = .values(values)
        for (element, value) in zip(attribute.elements, values) {
          attributes["\(attribute.name).\(element.name)"] = value
        }
      }
    }
    for relationship in random.relationships(entity) where !relationship.isToMany {
      contents[relationship.name] = .object(nil)
    }
    return Made(entity: entity, row: StoreValuesRow(contents), attributes: attributes)
  }

  private static func connect(
    _ link: FetchRandomModel.Link, _ made: inout [Made], _ changes: inout ChangeSet, _ random: FetchRandomModel,
    _ numbers: inout SplitMix
  ) {
    let sources = made.indices.filter { random.isKind(made[$0].entity, of: link.source) }
    let others = made.indices.filter { random.isKind(made[$0].entity, of: link.destination) }
    guard !sources.isEmpty, !others.isEmpty else { return }
    func lead(_ from: Int, _ name: String, to target: Int) {
      made[from].toOne[name] = target
      made[from].row.contents[name] = .row(made[target].row)
    }
    var members: [Int: [Int]] = [:]
    switch (link.isToMany, link.inverseName, link.inverseIsToMany) {
    case (true, let inverse, false):
      // Each object has one owner at most.
      for other in others.shuffled(using: &numbers) where !numbers.once(in: 3) {
        let owner = sources[numbers.below(sources.count)]
        members[owner, default: []].append(other)
        made[owner].toMany[link.name, default: []].append(other)
        if let inverse { lead(other, inverse, to: owner) }
      }
      if link.inverseName != nil, !link.isOrdered { members = [:] }
    case (true, _, true):
      for source in sources {
        for other in others where numbers.once(in: 4) {
          if link.isOwnInverse, other <= source { continue }
          members[source, default: []].append(other)
          made[source].toMany[link.name, default: []].append(other)
          if let inverse = link.inverseName { made[other].toMany[inverse, default: []].append(source) }
        }
      }
    case (false, nil, _):
      for source in sources where !numbers.once(in: 3) {
        lead(source, link.name, to: others[numbers.below(others.count)])
      }
    case (false, let inverse?, _):
      for (source, other) in zip(sources, others.shuffled(using: &numbers))
      where source != other && made[source].toOne[link.name] == nil && made[other].toOne[inverse] == nil {
        lead(source, link.name, to: other)
        lead(other, inverse, to: source)
      }
    }
    for (owner, objects) in members.sorted(by: { $0.key < $1.key }) {
      let isAddition = link.inverseName == nil || link.inverseIsToMany
      changes.relationshipChanges.append(
        .init(
          owner: .inserted(owner), relationship: link.name,
          added: isAddition ? objects.map { .inserted($0) } : [],
          order: link.isOrdered ? objects.map { .inserted($0) } : nil))
    }
  }
}
