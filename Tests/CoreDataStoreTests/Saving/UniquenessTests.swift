import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What becomes of unique values in a save, held against the rule as it is told in one sentence: deletions first, then all
/// updates at once, then one insertion after the other, each becoming one with the row that has its unique values by then, the
/// one that got them last if there are several; what counts is that no two rows share them in the end.
@Suite("Unique values in a save") struct UniquenessTests {
  private typealias World = UniquenessWorld

  /// A store and its twin in memory.
  private final class UpsertAliases {
    let folder: TemporaryStore
    let store: PersistentStore
    var world = World()
    var random: SplitMix

    init(seed: UInt64) throws {
      folder = try TemporaryStore()
      store = try PersistentStore.open(at: folder.url, model: World.model)
      random = SplitMix(seed: seed)
    }

    func number(_ entity: String) throws -> Int32 { Int32(try store.layout.existingEntity(entity).number) }

    func key(_ place: World.Place, _ entity: String) throws -> ObjectKey {
      ObjectKey(entity: try number(entity), key: place.key)
    }

    func value(of property: String) -> World.Value? {
      guard Int.random(in: 0..<6, using: &random) > 0 else { return nil }
      switch property {
      case "code", "tag":
        // One letter in two normal forms and two cases: four different values.
        let texts = ["1", "2", "\u{E9}", "e\u{301}", "E", "e"]
        return .text(Array(texts[Int.random(in: 0..<texts.count, using: &random)].utf8))
      case "free": return .integer(Int64.random(in: 0..<1000, using: &random))
      default: return .integer(Int64.random(in: 0..<4, using: &random))
      }
    }

    static func stored(_ value: World.Value?) -> StoreValue {
      switch value {
      case .text(let bytes)?: .text(String(decoding: bytes, as: UTF8.self))
      case .integer(let number)?: .integer(number)
      case .base, nil: .null
      }
    }

    static func properties(_ entity: String) -> [String] {
      switch entity {
      case "Link": ["free"]
      case "Base": ["code", "free", "x", "y"]
      default: ["code", "free", "tag", "x", "y"]
      }
    }

    /// One save of a few random changes; `true` if it went through.
    func step() throws -> Bool {
      var next = world
      next.times = [:]
      var changes = ChangeSet()
      var touched: Set<World.Place> = []
      let places = world.rows.keys.sorted { ($0.table, $0.key) < ($1.table, $1.key) }
      for place in places where Int.random(in: 0..<8, using: &random) == 0 {
        guard let row = next.rows.removeValue(forKey: place) else { continue }
        changes.deletions.append(.init(object: try key(place, row.entity), version: row.version))
        // What leads to it is the caller's.
        for (other, link) in next.rows where link.values["base"] == .base(place.key) {
          next.rows[other]?.values["base"] = nil
        }
      }
      let cut = world.rows.filter { next.rows[$0.key] != nil && next.rows[$0.key] != $0.value }.map(\.key)

      // Insertions are chosen first: updates may lead to them.
      var sources: [(entity: String, values: [String: World.Value?], row: StoreValuesRow)] = []
      for _ in 0..<Int.random(in: 0..<5, using: &random) {
        let entity = ["Base", "Left", "Right", "Link", "Link"].randomElement(using: &random) ?? "Base"
        var values: [String: World.Value?] = [:]
        for property in Self.properties(entity) { values[property] = .some(value(of: property)) }
        sources.append((entity, values, StoreValuesRow(values: values.mapValues { Self.stored($0) })))
      }
      let bases = sources.indices.filter { sources[$0].entity != "Link" }
      let stored = places.filter { $0.table == "Base" && next.rows[$0] != nil }
      /// Where a link leads: nowhere, to a row that is there, or to the insertion of this index.
      enum Target { case none, row(World.Place), insertion(Int) }
      func target() -> Target {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: .none
        case 1, 2: bases.randomElement(using: &random).map { .insertion($0) } ?? .none
        default: stored.randomElement(using: &random).map { .row($0) } ?? .none
        }
      }
      func content(_ target: Target) throws -> StoreValuesRow.Content {
        switch target {
        case .none: return .object(nil)
        case .row(let place): return .object(try key(place, next.rows[place]?.entity ?? "Base"))
        case .insertion(let index): return .row(sources[index].row)
        }
      }
      let targets = sources.map { $0.entity == "Link" ? target() : .none }
      for index in sources.indices {
        let source = sources[index]
        if source.entity == "Link" { source.row.contents["base"] = try content(targets[index]) }
        changes.insertions.append(
          .init(
            entity: try number(source.entity),
            columns: source.row.contents.keys.sorted().map {
              ColumnSelection(entityName: source.entity, propertyName: $0)
            }, source: source.row))
      }
      var updates: [(place: World.Place, values: [String: World.Value?], target: Target?)] = []
      for place in places {
        guard let row = next.rows[place] else { continue }
        let isCut = cut.contains(place)
        guard isCut || Int.random(in: 0..<3, using: &random) == 0 else { continue }
        var values: [String: World.Value?] = [:]
        for property in Self.properties(row.entity) where Int.random(in: 0..<2, using: &random) == 0 {
          values[property] = .some(value(of: property))
        }
        let target: Target? = isCut ? Target.none : (row.entity == "Link" ? target() : nil)
        updates.append((place, values, target))
        let source = StoreValuesRow(values: values.mapValues { Self.stored($0) })
        if let target { source.contents["base"] = try content(target) }
        let names = source.contents.keys.sorted()
        changes.updates.append(
          .init(
            object: try key(place, row.entity), version: row.version,
            columns: names.map { ColumnSelection(entityName: row.entity, propertyName: $0) }, changedProperties: names,
            source: source))
      }
      touched = Set(updates.map(\.place))

      // In memory: rows without keys of insertions first, then those, then what leads to them.
      var isPossible = true
      var inserted: [Int: World.Place] = [:]
      do {
        next.update(updates.filter { $0.place.table == "Base" }.map { ($0.place, $0.values) })
        func insert(_ index: Int, _ values: [String: World.Value?]) throws(World.Failure) {
          inserted[index] = try next.insert(sources[index].entity, values, touched: &touched)
        }
        for index in bases { try insert(index, sources[index].values) }
        func base(_ target: Target) -> World.Value? {
          switch target {
          case .none: nil
          case .row(let place): .base(place.key)
          case .insertion(let index): inserted[index].map { .base($0.key) }
          }
        }
        next.update(
          updates.filter { $0.place.table == "Link" }.map { update in
            var values = update.values
            if let target = update.target { values["base"] = .some(base(target)) }
            return (update.place, values)
          })
        for index in sources.indices where sources[index].entity == "Link" {
          var values = sources[index].values
          values["base"] = .some(base(targets[index]))
          try insert(index, values)
        }
        isPossible = next.isUnique
      } catch {
        isPossible = false
      }
      if !isPossible {
        #expect { try store.save(changes) } throws: { error in
          if case SaveError.notUnique = error { true } else { false }
        }
        #expect(try read() == world.rows)
        return false
      }
      let result = try store.save(changes)
      #expect(result.inserted.map(\.object.key) == sources.indices.map { inserted[$0]?.key })
      world = next
      #expect(try read() == next.rows)
      return true
    }

    func read() throws -> [World.Place: World.Row] {
      var rows: [World.Place: World.Row] = [:]
      let connection = try Connection(path: folder.url.path, mode: .readOnly)
      defer { connection.close() }
      for table in ["Base", "Link"] {
        let text =
          table == "Base"
          ? "SELECT Z_PK, Z_ENT, Z_OPT, ZCODE, ZX, ZY, ZFREE, ZTAG, ZTAG1 FROM ZBASE"
          : "SELECT Z_PK, Z_ENT, Z_OPT, ZFREE, ZBASE FROM ZLINK"
        let statement = try connection.prepare(text)
        while try statement.step() {
          let entity = try #require(store.layout.entity(numbered: Int(statement.integer(1)))).name
          var row = World.Row(entity: entity, values: [:], version: statement.integer(2))
          func set(_ name: String, _ column: Int) {
            if let text = statement.text(column) { row.values[name] = .text(Array(text.utf8)) }
          }
          func set(number name: String, _ column: Int) {
            if !statement.isNull(column) { row.values[name] = .integer(statement.integer(column)) }
          }
          if table == "Base" {
            set("code", 3)
            for (index, name) in ["x", "y", "free"].enumerated() { set(number: name, index + 4) }
            set("tag", 7)
            set("tag", 8)
          } else {
            set(number: "free", 3)
            if !statement.isNull(4) { row.values["base"] = .base(statement.integer(4)) }
          }
          rows[World.Place(table: table, key: statement.integer(0))] = row
        }
      }
      return rows
    }
  }

  @Test(
    "CD-4 CD-6 Random saves do to unique values what the rule says",
    arguments: 1...(FullTests.areWanted ? 16 : 8) as ClosedRange<UInt64>)
  func randomSaves(seed: UInt64) throws {
    let twins = try UpsertAliases(seed: seed)
    var done = 0
    for _ in 0..<60 where try twins.step() { done += 1 }
    #expect(done > 10)
  }

  private func change(_ store: PersistentStore, _ entity: String, _ values: [String: [StoreValue]]) throws
    -> (columns: [ColumnSelection], names: [String], source: StoreValuesRow)
  {
    let names = values.keys.sorted()
    return (
      names.map { ColumnSelection(entityName: entity, propertyName: $0) }, names,
      StoreValuesRow(values.mapValues { .values($0) })
    )
  }

  @Test("CD-6 A saved object takes the unique value that an insertion of the same save moves away from its row")
  func renameOntoMovedAway() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: World.model)
    let base = Int32(try store.layout.existingEntity("Base").number)
    func insertion(_ code: String, x: Int64) throws -> ChangeSet.Insertion {
      let row = try change(store, "Base", ["code": [.text(code)], "x": [.integer(x)], "y": [.integer(0)]])
      return .init(entity: base, columns: row.columns, source: row.source)
    }
    var changes = ChangeSet()
    changes.insertions = [try insertion("1", x: 1), try insertion("2", x: 2), try insertion("3", x: 3)]
    let objects = try store.save(changes).inserted.map(\.object)
    // The first takes the code of the second, which an upsert gives that of the third, which another gives a new one.
    let update = try change(store, "Base", ["code": [.text("2")]])
    changes.updates = [
      .init(
        object: objects[0], version: 1, columns: update.columns, changedProperties: update.names, source: update.source)
    ]
    changes.insertions = [try insertion("3", x: 2), try insertion("4", x: 3)]
    #expect(throws: SaveError.self) { try store.save(changes) }
    changes.insertions = [try insertion("4", x: 3), try insertion("3", x: 2)]
    #expect(try store.save(changes).inserted.map(\.object) == [objects[2], objects[1]])
    #expect(
      try PlainSQL.rows(folder.url, "SELECT ZCODE FROM ZBASE ORDER BY Z_PK")
        == [["2"], ["3"], ["4"]].map { $0.map { .text($0) } })
  }

  @Test("CD-7 The one change of a row that is updated and overwritten tells all properties of both")
  func recordedChange() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: World.model)
    let base = Int32(try store.layout.existingEntity("Base").number)
    func insertion(_ values: [String: [StoreValue]]) throws -> ChangeSet.Insertion {
      let row = try change(store, "Base", values)
      return .init(entity: base, columns: row.columns, source: row.source)
    }
    var changes = ChangeSet()
    changes.insertions = [try insertion(["code": [.text("1")]])]
    let object = try #require(try store.save(changes).inserted.first?.object)
    let update = try change(store, "Base", ["code": [.text("2")], "x": [.integer(5)]])
    changes.updates = [
      .init(
        object: object, version: 1, columns: update.columns, changedProperties: update.names, source: update.source)
    ]
    changes.insertions = [try insertion(["code": [.text("2")], "free": [.integer(7)]])]
    let result = try store.save(changes)
    #expect(result.inserted.map(\.object) == [object] && result.inserted.map(\.version) == [2])
    let cursor = try store.history(HistoryRequest(after: 1))
    _ = try cursor.next()
    let recorded = try #require(try cursor.nextChange())
    #expect(recorded.object == object && recorded.changedProperties.map(Set.init) == ["code", "x", "free"])
    #expect(try cursor.nextChange() == nil)
  }

  @Test("CD-4 CD-6 An insertion with a unique element of a composite is written over its row, or refused with the path")
  func elements() throws {
    let folder = try TemporaryStore()
    let place = AttributeDescription(
      name: "place", type: .composite, isOptional: true,
      elements: [AttributeDescription(name: "floor", type: .integer16, isOptional: true)])
    let thing = EntityDescription(
      name: "Thing", properties: [.attribute(place)], uniquenessConstraints: [["place.floor"]])
    let store = try PersistentStore.open(at: folder.url, model: ModelDescription(entities: [thing]))
    var changes = ChangeSet()
    let row = try change(store, "Thing", ["place": [.integer(1)]])
    changes.insertions = [.init(entity: 1, columns: row.columns, source: row.source)]
    _ = try store.save(changes)
    #expect(try store.save(changes).merged.map(\.object) == [ObjectKey(entity: 1, key: 1)])
    changes.duplicates = .fail
    let clash = SaveError.Clash(entityName: "Thing", properties: ["place.floor"], row: .insertion(0))
    #expect(throws: SaveError.notUnique(entity: "Thing", properties: ["place.floor"], clashes: [clash])) {
      try store.save(changes)
    }
  }

  @Test("CD-5 CD-6 Whole seconds, which their column keeps as integers, are the same moment to an insertion")
  func wholeNumbers() throws {
    let folder = try TemporaryStore()
    let thing = EntityDescription(
      name: "Thing",
      properties: [FetchTestWorld.attribute("code", .string), FetchTestWorld.attribute("moment", .date)],
      uniquenessConstraints: [["moment", "code"]])
    let store = try PersistentStore.open(at: folder.url, model: ModelDescription(entities: [thing]))
    var changes = ChangeSet()
    let row = try change(store, "Thing", ["code": [.text("1")], "moment": [.real(5)]])
    changes.insertions = [.init(entity: 1, columns: row.columns, source: row.source)]
    let object = try #require(try store.save(changes).inserted.first?.object)
    let update = try change(store, "Thing", ["code": [.text("2")]])
    changes.updates = [
      .init(
        object: object, version: 1, columns: update.columns, changedProperties: update.names, source: update.source)
    ]
    let new = try change(store, "Thing", ["code": [.text("2")], "moment": [.real(5)]])
    changes.insertions = [.init(entity: 1, columns: new.columns, source: new.source)]
    #expect(try store.save(changes).inserted.map(\.object) == [object])
  }
}
