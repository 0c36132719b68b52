import Foundation
import ManagedModel
import StoreRequests
import TestSupport

@testable import CoreDataStore

/// A small store with every kind of property, and the same objects in memory.
///
/// Both are made from one list of plain descriptions, so that what a fetch selects can be compared with what a walk over the
/// objects selects.
struct FetchTestWorld: FetchTestObjects {
  typealias Object = FetchTestObject
  let folder: TemporaryStore
  let store: PersistentStore
  /// Objects per root entity and key.
  private(set) var objects: [String: [Int64: Object]] = [:]

  func destinationRoot(_ relationship: String, of entity: String) -> String? { Self.destinations[relationship] }
  func isKind(_ entity: String, of ancestor: String) -> Bool {
    entity == ancestor || entity == "Employee" && ancestor == "Person"
  }
  func root(of entity: String) -> String { entity == "Employee" ? "Person" : entity }

  // MARK: The model

  static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Person",
      properties: [
        attribute("name", .string), attribute("age", .integer64), attribute("score", .double),
        attribute("active", .boolean), attribute("birthday", .date), attribute("price", .decimal),
        attribute("tag", .uuid),
        .attribute(
          AttributeDescription(
            name: "photo", type: .binary, isOptional: true, allowsExternalBinaryDataStorage: true)),
        .attribute(
          AttributeDescription(
            name: "address", type: .composite, isOptional: true,
            elements: [
              AttributeDescription(name: "street", type: .string, isOptional: true),
              AttributeDescription(name: "number", type: .integer32, isOptional: true),
            ])),
        .attribute(AttributeDescription(name: "mood", type: .string, isOptional: true, isTransient: true)),
        toOne("boss", "Person", inverse: "reports"), toMany("reports", "Person", inverse: "boss"),
        toOne("home", "House", inverse: "residents"),
        toMany("friends", "Person", inverse: "friends"),
        toMany("clubs", "Club", inverse: "members"),
        toMany("notes", "Note", inverse: nil),
      ]),
    EntityDescription(
      name: "Employee", superentityName: "Person",
      properties: [attribute("salary", .integer32), toOne("office", "House", inverse: "workers")]),
    EntityDescription(
      name: "House",
      properties: [
        attribute("title", .string), toMany("residents", "Person", inverse: "home", isOrdered: true),
        toMany("workers", "Employee", inverse: "office"),
      ], uniquenessConstraints: [["title"]]),
    EntityDescription(
      name: "Club",
      properties: [attribute("title", .string), toMany("members", "Person", inverse: "clubs", isOrdered: true)]),
    EntityDescription(name: "Note", properties: [attribute("text", .string), attribute("size", .integer64)]),
  ])

  static func attribute(_ name: String, _ type: AttributeType) -> PropertyDescription {
    .attribute(AttributeDescription(name: name, type: type, isOptional: true))
  }

  static func toOne(_ name: String, _ destination: String, inverse: String?) -> PropertyDescription {
    .relationship(RelationshipDescription(name: name, destinationEntityName: destination, inverseName: inverse))
  }

  static func toMany(_ name: String, _ destination: String, inverse: String?, isOrdered: Bool = false)
    -> PropertyDescription
  {
    .relationship(
      RelationshipDescription(
        name: name, destinationEntityName: destination, inverseName: inverse, isOrdered: isOrdered, maximumCount: 0))
  }

  // MARK: The objects

  /// Forty people, some of them employees, six houses, four clubs, thirty notes; every attribute is sometimes `NULL`.
  init(file: String = #fileID) throws {
    folder = try TemporaryStore(file: file)
    store = try PersistentStore.open(at: folder.url, model: Self.model)
    let layout = store.layout
    func number(_ name: String) throws -> Int32 { Int32(try layout.existingEntity(name).number) }
    func pick<Value>(_ values: [Value], _ index: Int) -> Value { values[index % values.count] }
    let names: [StoreValue] = [
      .text("Ann"), .text("ann"), .null, .text("Émile"), .text("emile 10"), .text("Emile 9"), .text(""), .text("Zoë"),
      .text("straße"), .text("a\u{0}b"), .text("O'Hara; DROP TABLE"),
    ]
    var changes = ChangeSet()
    var made: [(root: String, entity: String, row: StoreValuesRow, attributes: [String: StoreValue])] = []
    func add(
      _ root: String, _ entity: String, _ attributes: [String: StoreValue], _ rest: [String: StoreValuesRow.Content]
    )
      throws -> Int
    {
      var contents = rest
      for (name, value) in attributes where !name.contains(".") { contents[name] = .values([value]) }
      if let street = attributes["address.street"], let house = attributes["address.number"] {
        contents["address"] = .values([street, house])
      }
      let row = StoreValuesRow(contents)
      changes.insertions.append(
        ChangeSet.Insertion(
          entity: try number(entity),
          columns: contents.keys.sorted().map { ColumnSelection(entityName: entity, propertyName: $0) }, source: row))
      made.append((root, entity, row, attributes))
      return made.count - 1
    }
    let houses = try (0..<6).map {
      try add("House", "House", ["title": $0 == 5 ? .null : .text("House \($0)")], [:])
    }
    let clubs = try (0..<4).map { try add("Club", "Club", ["title": $0 == 3 ? .null : .text("Club \($0)")], [:]) }
    let notes = try (0..<30).map {
      let text: StoreValue = $0 % 5 == 0 ? .null : .text("note \($0 % 7)")
      let size: StoreValue = $0 % 4 == 0 ? .null : .integer(Int64($0 * 3 % 11))
      return try add("Note", "Note", ["text": text, "size": size], [:])
    }
    var people: [Int] = []
    var bosses: [Int: Int] = [:]
    var homes: [Int: Int] = [:]
    var offices: [Int: Int] = [:]
    for index in 0..<40 {
      let isEmployee = index % 3 == 1
      func unless(_ isNull: Bool, _ value: StoreValue) -> StoreValue { isNull ? .null : value }
      let truths: [StoreValue] = [.integer(1), .integer(0), .null]
      var attributes: [String: StoreValue] = [:]
      attributes["name"] = pick(names, index * 7)
      attributes["age"] = unless(index % 5 == 0, .integer(Int64(index * 13 % 50 - 5)))
      attributes["score"] = unless(index % 6 == 2, .real(Double(index % 8) * 0.75))
      attributes["active"] = pick(truths, index)
      attributes["birthday"] = unless(index % 7 == 3, .real(Double(index) * 1000.5))
      attributes["price"] = unless(index % 4 == 1, .real(Double(index % 9) * 1.25))
      attributes["tag"] = unless(index % 5 == 2, .blob(Data(repeating: UInt8(index % 6), count: 16)))
      attributes["photo"] = unless(index % 3 == 0, .blob(Data("photo \(index % 4)".utf8)))
      attributes["address.street"] = unless(index % 4 == 2, .text("Street \(index % 3)"))
      attributes["address.number"] = unless(index % 4 == 2, .integer(Int64(index % 5)))
      var rest: [String: StoreValuesRow.Content] = ["boss": .object(nil), "home": .object(nil)]
      if index > 3, index % 4 != 0, let boss = people[safe: index / 3] {
        rest["boss"] = .row(made[boss].row)
        bosses[index] = boss
      }
      if index % 3 != 2 {
        homes[index] = houses[index % 5]
        rest["home"] = .row(made[houses[index % 5]].row)
      }
      if isEmployee {
        attributes["salary"] = index % 2 == 0 ? .null : .integer(Int64(index * 100))
        rest["office"] = .object(nil)
        if index % 4 != 3 {
          offices[index] = houses[index % 6]
          rest["office"] = .row(made[houses[index % 6]].row)
        }
      }
      people.append(try add("Person", isEmployee ? "Employee" : "Person", attributes, rest))
    }
    func reference(_ index: Int) -> ChangeSet.Reference { .inserted(index) }
    var friends: [Int: [Int]] = [:]
    var members: [Int: [Int]] = [:]
    var owned: [Int: [Int]] = [:]
    for index in stride(from: 0, to: 36, by: 4) {
      let (one, two) = (people[index], people[index + 3])
      changes.relationshipChanges.append(.init(owner: reference(one), relationship: "friends", added: [reference(two)]))
      friends[one, default: []].append(two)
      friends[two, default: []].append(one)
    }
    for (position, club) in clubs.enumerated() where position != 2 {
      let inClub = people.indices.filter { $0 % (position + 2) == 1 }.reversed().map { people[$0] }
      members[club] = inClub
      changes.relationshipChanges.append(
        .init(
          owner: reference(club), relationship: "members", added: inClub.sorted().map(reference),
          order: inClub.map(reference)))
    }
    for (index, note) in notes.enumerated() where index % 6 != 5 {
      let owner = people[index * 5 % 13]
      owned[owner, default: []].append(note)
    }
    for (owner, notes) in owned.sorted(by: { $0.key < $1.key }) {
      changes.relationshipChanges.append(
        .init(owner: reference(owner), relationship: "notes", added: notes.map(reference)))
    }
    let result = try store.save(changes)

    func key(_ index: Int) -> Int64 { result.inserted[index].object.key }
    for (index, one) in made.enumerated() {
      let object = Object(
        entity: one.entity, number: result.inserted[index].object.entity, key: key(index), attributes: one.attributes,
        toOne: [:], toMany: [:])
      objects[one.root, default: [:]][object.key] = object
    }
    for (index, person) in people.enumerated() {
      let own = key(person)
      if let boss = bosses[index] {
        objects["Person"]?[own]?.toOne["boss"] = key(boss)
        objects["Person"]?[key(boss)]?.toMany["reports", default: []].append(own)
      }
      if let home = homes[index] {
        objects["Person"]?[own]?.toOne["home"] = key(home)
        objects["House"]?[key(home)]?.toMany["residents", default: []].append(own)
      }
      if let office = offices[index] {
        objects["Person"]?[own]?.toOne["office"] = key(office)
        objects["House"]?[key(office)]?.toMany["workers", default: []].append(own)
      }
      objects["Person"]?[own]?.toMany["friends"] = friends[person]?.map(key) ?? []
      objects["Person"]?[own]?.toMany["notes"] = owned[person]?.map(key) ?? []
    }
    for (club, inClub) in members {
      objects["Club"]?[key(club)]?.toMany["members"] = inClub.map(key)
      for person in inClub { objects["Person"]?[key(person)]?.toMany["clubs", default: []].append(key(club)) }
    }
  }

  static let destinations = [
    "boss": "Person", "home": "House", "office": "House", "reports": "Person", "residents": "Person",
    "workers": "Person",
    "friends": "Person", "clubs": "Club", "members": "Person", "notes": "Note",
  ]

  func all(_ root: String) -> [Object] { (objects[root] ?? [:]).values.sorted { $0.key < $1.key } }
}

extension Array {
  subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
