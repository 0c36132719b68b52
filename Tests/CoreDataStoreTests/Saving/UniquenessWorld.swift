import ManagedModel

@testable import CoreDataStore

/// Objects with unique values by entity and key, in memory, and what a save does to them by the rule.
struct UniquenessWorld: Equatable {
  /// A base with a unique text and a unique pair; two subentities that each have a `tag` of their own, in columns of their own;
  /// and an entity whose unique value is a relationship.
  static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Base",
      properties: [
        FetchTestWorld.attribute("code", .string), FetchTestWorld.attribute("x", .integer32),
        FetchTestWorld.attribute("y", .integer32), FetchTestWorld.attribute("free", .integer32),
      ], uniquenessConstraints: [["code"], ["x", "y"]]),
    EntityDescription(
      name: "Left", superentityName: "Base", properties: [FetchTestWorld.attribute("tag", .string)],
      uniquenessConstraints: [["tag"]]),
    EntityDescription(
      name: "Right", superentityName: "Base", properties: [FetchTestWorld.attribute("tag", .string)],
      uniquenessConstraints: [["tag"]]),
    EntityDescription(
      name: "Link",
      properties: [
        FetchTestWorld.toOne("base", "Base", inverse: nil), FetchTestWorld.attribute("free", .integer32),
      ], uniquenessConstraints: [["base"]]),
  ])

  struct Row: Equatable {
    var entity: String
    var values: [String: Value]
    var version: Int64 = 1
  }

  /// Compared as SQLite compares: by byte.
  enum Value: Hashable {
    case text([UInt8])
    case integer(Int64)
    /// The root's row of this key.
    case base(Int64)
  }

  struct Place: Hashable { var table: String, key: Int64 }

  struct Failure: Error {}

  var rows: [Place: Row] = [:]
  /// When this save wrote a row's properties.
  var times: [Place: [String: Int]] = [:]
  var clock = 0
  var last: [String: Int64] = ["Base": 0, "Link": 0]

  static func table(_ entity: String) -> String { entity == "Link" ? "Link" : "Base" }

  /// The properties of each unique index, with what tells it from others of the table.
  static func constraints(_ entity: String) -> [[String]] {
    switch entity {
    case "Link": [["base"]]
    case "Left", "Right": [["code"], ["x", "y"], [entity, "tag"]]
    default: [["code"], ["x", "y"]]
    }
  }

  static func unique(_ row: Row) -> [[String]: [Value]] {
    var result: [[String]: [Value]] = [:]
    for constraint in constraints(row.entity) {
      let properties = constraint.filter { $0 != row.entity }
      let values = properties.compactMap { row.values[$0] }
      if values.count == properties.count { result[constraint] = values }
    }
    return result
  }

  /// The row with the same unique values, by the first constraint that finds any, that was given them last.
  func match(_ row: Row) -> Place? {
    let wanted = Self.unique(row)
    for constraint in Self.constraints(row.entity) {
      guard let values = wanted[constraint] else { continue }
      let matches = rows.filter { place, other in
        place.table == Self.table(row.entity) && Self.unique(other)[constraint] == values
      }
      func time(_ place: Place) -> Int {
        // What tells indexes apart is no property, and has no time.
        constraint.compactMap { times[place]?[$0] }.max() ?? 0
      }
      if let last = matches.keys.max(by: { time($0) < time($1) }) { return last }
    }
    return nil
  }

  /// Whether no two rows have the same unique values.
  var isUnique: Bool {
    var seen: Set<[[String]: [Value]]> = []
    return rows.allSatisfy { place, row in
      Self.unique(row).allSatisfy { seen.insert([[place.table] + $0.key: $0.value]).inserted }
    }
  }

  /// Writes values, and notes when.
  mutating func write(_ values: [String: Value?], to place: Place) {
    clock += 1
    for (name, value) in values {
      rows[place]?.values[name] = value
      times[place, default: [:]][name] = clock
    }
  }

  mutating func update(_ updates: [(place: Place, values: [String: Value?])]) {
    for update in updates {
      write(update.values, to: update.place)
      rows[update.place]?.version += 1
    }
  }

  /// - Parameter touched: rows that this save has written already.
  mutating func insert(_ entity: String, _ values: [String: Value?], touched: inout Set<Place>) throws(Failure)
    -> Place
  {
    let row = Row(entity: entity, values: values.compactMapValues { $0 })
    guard let place = match(row) else {
      let table = Self.table(row.entity)
      last[table, default: 0] += 1
      let place = Place(table: table, key: last[table, default: 0])
      rows[place] = Row(entity: entity, values: [:])
      write(values, to: place)
      touched.insert(place)
      return place
    }
    guard rows[place]?.entity == row.entity else { throw Failure() }
    write(values, to: place)
    if touched.insert(place).inserted { rows[place]?.version += 1 }
    return place
  }
}
