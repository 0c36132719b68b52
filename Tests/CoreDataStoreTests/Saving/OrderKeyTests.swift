import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

/// The values that keep the order of ordered relationships (CD-3.4).
@Suite struct OrderKeyTests {
  private func isSound(_ values: [Int64]) -> Bool {
    var last: Int64 = 0
    for value in values {
      if value <= last { return false }
      last = value
    }
    return last <= OrderKeys.limit
  }

  /// How many members get another value than they had.
  private func moved(_ before: [Int64?], _ after: [Int64]) -> Int {
    var count = 0
    for (index, former) in before.enumerated() where index < after.count {
      if let former, former != after[index] { count += 1 }
    }
    return count
  }

  @Test("CD-3.4: the first is 2048, each that follows 1024 more")
  func appending() {
    #expect(OrderKeys.assign([nil, nil, nil]) == [2048, 3072, 4096])
    #expect(OrderKeys.assign([2048, 3072, nil, nil]) == [2048, 3072, 4096, 5120])
    #expect(OrderKeys.assign([11, nil]) == [11, 1035])
    #expect(
      OrderKeys.next(after: nil) == 2048 && OrderKeys.next(after: 3) == 2048 && OrderKeys.next(after: 2048) == 3072)
  }

  @Test("CD-3.4: an insertion between two goes into the middle of their gap")
  func between() {
    #expect(OrderKeys.assign([2048, nil, 3072]) == [2048, 2560, 3072])
    #expect(OrderKeys.assign([2048, nil, nil, nil, 3072]) == [2048, 2304, 2560, 2816, 3072])
  }

  @Test("CD-3.4: at the front values go below 2048 until none is left, then few others move")
  func front() {
    var values: [Int64] = OrderKeys.assign([Int64?](repeating: nil, count: 1000))
    var (quiet, total) = (0, 0)
    for round in 0..<500 {
      let wanted: [Int64?] = [nil] + values
      let next = OrderKeys.assign(wanted)
      #expect(isSound(next))
      let count = moved(wanted, next)
      if count == 0 { quiet += 1 }
      if round < 11 { #expect(count == 0 && next[0] == 2048 >> Int64(round + 1)) }
      total += count
      values = next
    }
    // Numbering all members anew each time would move eleven times as many.
    #expect(quiet > 400 && total < 100_000, "\(quiet) \(total)")
  }

  @Test(
    "CD-3.4: members before the first one that moves change nothing about the places of the others", arguments: 0..<40)
  func arrangement(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    for _ in 0..<50 {
      var place: Int64 = 0
      var present = (0..<Int.random(in: 0...12, using: &random)).map { index in
        // Places without order, and gaps without room.
        place += [0, 1, 1, 2, 1024].randomElement(using: &random) ?? 1
        return MemberPlace(member: Int64(index), place: place)
      }
      present.insert(
        contentsOf: (0..<Int.random(in: 0...2, using: &random)).map {
          MemberPlace(member: 100 + Int64($0), place: nil)
        }, at: 0)
      var wanted = present.map(\.member).filter { _ in Int.random(in: 0..<8, using: &random) > 0 }.sorted()
      for _ in 0..<Int.random(in: 0...2, using: &random) where !wanted.isEmpty {
        let member = wanted.remove(at: Int.random(in: 0..<wanted.count, using: &random))
        wanted.insert(member, at: Int.random(in: 0...wanted.count, using: &random))
      }
      wanted.append(contentsOf: [200, wanted.first].compactMap(\.self).filter { _ in Bool.random(using: &random) })
      let last = Int.random(in: 0..<5, using: &random) == 0 ? present.randomElement(using: &random)?.member : nil

      let former = Dictionary(uniqueKeysWithValues: present.map { ($0.member, $0.place) })
      var members: [Int64] = []
      for member in wanted + present.map(\.member) where former[member] != nil && !members.contains(member) {
        members.append(member)
      }
      if let last {
        members.removeAll { $0 == last }
        members.append(last)
      }
      let places = OrderKeys.assign(members.map { former[$0] ?? nil })
      let arrangement = MemberArrangement(present, as: wanted, last: last)
      #expect(arrangement.members == zip(members, places).map { MemberPlace(member: $0, place: $1) })
      let moved = zip(members, places).filter { former[$0] != .some(.some($1)) }
      #expect(arrangement.moved.elementsEqual(moved) { $0.member == $1.0 && $0.place == $1.1 })
    }
  }

  @Test("CD-3.4: a gap that is used up makes its neighbours move, and nobody else")
  func exhaustedGap() {
    var values: [Int64] = OrderKeys.assign([Int64?](repeating: nil, count: 5000))
    var total = 0
    for _ in 0..<200 {
      var wanted: [Int64?] = values
      wanted.insert(nil, at: 2500)
      let next = OrderKeys.assign(wanted)
      #expect(isSound(next) && next.first == 2048 && next.suffix(2000) == values.suffix(2000))
      total += moved(wanted, next)
      values = next
    }
    #expect(total < 200 * 20)
    #expect(OrderKeys.assign([1, nil, 2]) == [1, 1025, 2049])
    #expect(OrderKeys.assign([nil, 1, 2, 3, 9000]) == [1800, 3600, 5400, 7200, 9000])
  }

  @Test("CD-3.4: moving one member moves that one only")
  func move() {
    let values = OrderKeys.assign([Int64?](repeating: nil, count: 300))
    var random = SplitMix(seed: 75)
    for _ in 0..<50 {
      var wanted: [Int64?] = values
      let member = wanted.remove(at: Int.random(in: 0..<300, using: &random))
      wanted.insert(member, at: Int.random(in: 0..<300, using: &random))
      let next = OrderKeys.assign(wanted)
      #expect(isSound(next) && moved(wanted, next) <= 1)
    }
    #expect(OrderKeys.assign([4096, 2048, 3072]) == [1024, 2048, 3072])
  }

  @Test("CD-3.4: values of other writers are kept where they can be: ties, negative and huge ones move")
  func strangeValues() {
    let limit = OrderKeys.limit
    for current in [
      [5, 5, 5], [-4, 0, 7], [.max, .min, 0], [.max, .max - 1, nil], [limit, nil], [limit - 1, nil, limit, nil],
      [1, 2, 3, nil, 4], [nil, limit], [limit, limit, limit], [nil, nil, 1],
    ] as [[Int64?]] {
      let values = OrderKeys.assign(current)
      #expect(isSound(values) && values.count == current.count, "\(current) → \(values)")
    }
    #expect(OrderKeys.next(after: limit - 5) == nil && OrderKeys.next(after: .max) == nil)
    #expect(OrderKeys.next(after: .min) == 2048)
    var random = SplitMix(seed: 97)
    for count in 0..<200 {
      let values = OrderKeys.assign(
        (0..<count).map { _ in
          Bool.random(using: &random) ? nil : Int64.random(in: -3...Int64(4 * count), using: &random)
        })
      #expect(isSound(values))
    }
  }

  @Test("CD-3.4: a save asks once for the last place of an owner, however many members it adds")
  func questions() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    func rows(_ entity: Int32, _ count: Int) -> [ChangeSet.Insertion] {
      (0..<count).map { _ in .init(entity: entity, columns: [], source: StoreValuesRow()) }
    }
    var changes = ChangeSet()
    changes.insertions = rows(3, 40) + rows(1, 2) + rows(2, 40) + rows(4, 1)
    // Two books with twenty genres each, and a shelf with forty favourites.
    changes.relationshipChanges = [
      .init(owner: .inserted(40), relationship: "genres", added: (0..<20).map { .inserted($0) }),
      .init(owner: .inserted(41), relationship: "genres", added: (20..<40).map { .inserted($0) }),
      .init(owner: .inserted(82), relationship: "favorites", added: (42..<82).map { .inserted($0) }),
    ]
    let statements = Mutex<[String]>([])
    try store.write { try $0.onStatement { sql in statements.withLock { $0.append(sql) } } }
    _ = try store.save(changes)
    #expect(statements.withLock { $0.count { $0.hasPrefix("SELECT max(Z_FOK_") } } == 3)
    let places = try PlainSQL.rows(
      folder.url, "SELECT Z_FOK_3GENRES FROM Z_1GENRES ORDER BY Z_1BOOKS, Z_3GENRES")
    let expected = (0..<40).map { (place: Int64) in [StoreValue.integer(2048 + place % 20 * 1024)] }
    #expect(places == expected)
  }

  @Test("CD-3.4: an order that is full up to the bound makes room on both sides of a many-to-many relationship")
  func boundInStore() throws {
    let model = ModelDescription(entities: [
      EntityDescription(
        name: "Album", properties: [FetchTestWorld.toMany("photos", "Photo", inverse: "albums", isOrdered: true)]),
      EntityDescription(
        name: "Photo",
        properties: [
          FetchTestWorld.toMany("albums", "Album", inverse: "photos", isOrdered: true),
          FetchTestWorld.toOne("roll", "Roll", inverse: "photos"),
        ]),
      EntityDescription(
        name: "Roll", properties: [FetchTestWorld.toMany("photos", "Photo", inverse: "roll", isOrdered: true)]),
    ])
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: model)
    func number(_ name: String) throws -> Int32 { Int32(try store.layout.existingEntity(name).number) }
    let key = [ColumnSelection(entityName: "Photo", propertyName: "roll")]
    let roll = StoreValuesRow()
    var changes = ChangeSet()
    changes.insertions = [
      .init(entity: try number("Roll"), columns: [], source: roll),
      .init(entity: try number("Album"), columns: [], source: StoreValuesRow()),
      .init(entity: try number("Album"), columns: [], source: StoreValuesRow()),
    ]
    for _ in 0..<3 {
      changes.insertions.append(
        .init(entity: try number("Photo"), columns: key, source: StoreValuesRow(["roll": .row(roll)])))
    }
    for album in 1...2 {
      changes.relationshipChanges.append(
        .init(
          owner: .inserted(album), relationship: "photos", added: (3...4).map { .inserted($0) },
          order: [.inserted(4), .inserted(3)]))
    }
    let made = try store.save(changes).inserted.map(\.object)
    let pairs = "Z_1PHOTOS"
    try store.write {
      try $0.execute("UPDATE \(pairs) SET Z_FOK_2PHOTOS = Z_FOK_2PHOTOS + \(OrderKeys.limit - 3072)")
      try $0.execute("UPDATE \(pairs) SET Z_FOK_1ALBUMS = \(Int64.max) - Z_1ALBUMS")
      try $0.execute("UPDATE ZPHOTO SET Z_FOK_ROLL = \(Int64.max - 3) + Z_PK")
    }
    changes = ChangeSet()
    changes.insertions = [
      .init(entity: try number("Photo"), columns: key, source: StoreValuesRow(["roll": .object(made[0])])),
      .init(entity: try number("Album"), columns: [], source: StoreValuesRow()),
    ]
    changes.relationshipChanges = [
      .init(owner: .existing(made[1]), relationship: "photos", added: [.inserted(0), .existing(made[5])]),
      .init(owner: .inserted(1), relationship: "photos", added: [.existing(made[3])]),
    ]
    _ = try store.save(changes)
    func members(_ entity: String, _ name: String, _ owner: ObjectKey) throws -> [Int64] {
      let cursor = try store.related(to: (entity, name), owners: [owner], columns: [])
      var keys: [Int64] = []
      while try cursor.next() { keys.append(cursor.key) }
      return keys
    }
    #expect(try members("Album", "photos", made[1]) == [2, 1, 4, 3])
    #expect(try members("Album", "photos", made[2]) == [2, 1])
    #expect(try members("Photo", "albums", made[3]) == [2, 1, 3])
    #expect(try members("Roll", "photos", made[0]) == [1, 2, 3, 4])
    #expect(
      try PlainSQL.rows(folder.url, "SELECT count(*) FROM ZPHOTO WHERE Z_FOK_ROLL > \(OrderKeys.limit)") == [
        [.integer(0)]
      ])
    #expect(try RealStores.failures(folder.url) == [])
  }
}
