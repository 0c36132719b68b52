import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Reading back what saves have recorded (CD-7).
@Suite struct HistoryReaderTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Animal",
      properties: [
        .attribute(
          AttributeDescription(
            name: "name", type: .string, isOptional: true, preservesValueInHistoryOnDeletion: true)),
        FetchTestWorld.attribute("age", .integer64), FetchTestWorld.toOne("owner", "Person", inverse: "pets"),
        FetchTestWorld.toMany("friends", "Animal", inverse: "friends"),
      ]),
    EntityDescription(
      name: "Dog", superentityName: "Animal",
      properties: [
        .attribute(
          AttributeDescription(
            name: "chip", type: .uuid, isOptional: true, preservesValueInHistoryOnDeletion: true)),
        FetchTestWorld.attribute("barks", .double),
      ]),
    EntityDescription(
      name: "Person",
      properties: [
        FetchTestWorld.attribute("name", .string),
        FetchTestWorld.toMany("pets", "Animal", inverse: "owner", isOrdered: true),
        FetchTestWorld.toOne("favourite", "Animal", inverse: nil),
      ]),
  ])

  /// A transaction with its changes.
  private struct Entry: Hashable {
    var number: Int64
    var author: String?
    var changes: [HistoryChange]
  }

  private func entries(_ store: PersistentStore, _ request: HistoryRequest = HistoryRequest()) throws -> [Entry] {
    let cursor = try store.history(request)
    var entries: [Entry] = []
    while let transaction = try cursor.next() {
      var entry = Entry(number: transaction.number, author: transaction.author, changes: [])
      while let change = try cursor.nextChange() { entry.changes.append(change) }
      entries.append(entry)
    }
    return entries
  }

  /// Saves at random, and what history ought to hold afterwards.
  private struct World {
    let folder: TemporaryStore
    let store: PersistentStore
    var expected: [Entry] = []
    private var rows: [(object: ObjectKey, values: [String: StoreValue])] = []
    private var change: Int64 = 0
    var random = SplitMix(seed: 7)

    init() throws {
      folder = try TemporaryStore()
      store = try PersistentStore.open(at: folder.url, model: HistoryReaderTests.model)
    }

    private mutating func values(_ entity: EntityLayout) -> [String: StoreValue] {
      var values: [String: StoreValue] = [:]
      for case .attribute(let attribute) in entity.properties where Bool.random(using: &random) {
        values[attribute.description.name] =
          Bool.random(using: &random)
          ? .null : RealStores.value(attribute.description, Int64.random(in: 1...99, using: &random))
      }
      return values
    }

    private func columns(_ entity: EntityLayout, _ values: [String: StoreValue]) -> [ColumnSelection] {
      values.keys.sorted().map { ColumnSelection(entityName: entity.name, propertyName: $0) }
    }

    mutating func save(author: String?) throws {
      var changes = ChangeSet()
      changes.author = author
      var recorded: [HistoryChange] = []
      func next(_ kind: HistoryChange.Kind, _ object: ObjectKey) -> HistoryChange {
        HistoryChange(
          number: 0, transaction: Int64(expected.count + 1), kind: kind, object: object, changedProperties: nil,
          tombstone: [:])
      }
      rows.shuffle(using: &random)
      for _ in 0..<min(rows.count / 4, 3) {
        let row = rows.removeLast()
        let entity = try store.layout.existingEntity(row.object.entity)
        changes.deletions.append(.init(object: row.object, version: nil))
        var record = next(.delete, row.object)
        let kept = Set(entity.tombstoneAttributes.map(\.description.name))
        record.tombstone = row.values.filter { kept.contains($0.key) && $0.value != .null }
        recorded.append(record)
      }
      for index in rows.indices.prefix(4) {
        let entity = try store.layout.existingEntity(rows[index].object.entity)
        let values = values(entity)
        let links = entity.properties.filter { if case .attribute = $0 { false } else { Bool.random(using: &random) } }
          .map(\.name)
        let names = values.keys + links
        guard !names.isEmpty else { continue }
        changes.updates.append(
          .init(
            object: rows[index].object, version: nil, columns: columns(entity, values),
            changedProperties: names.shuffled(using: &random),
            source: StoreValuesRow(values: values)))
        rows[index].values.merge(values) { $1 }
        var record = next(.update, rows[index].object)
        record.changedProperties = ChangeBitmap(entity).slots.map(\.propertyName).filter(Set(names).contains)
          .reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        recorded.append(record)
      }
      var inserted: [(EntityLayout, [String: StoreValue])] = []
      for name in ["Animal", "Dog", "Person"] {
        for _ in 0..<Int.random(in: name == "Animal" ? 1...2 : 0...2, using: &random) {
          let entity = try #require(store.layout.entity(named: name))
          let values = values(entity)
          inserted.append((entity, values))
          changes.insertions.append(
            .init(
              entity: Int32(entity.number), columns: columns(entity, values), source: StoreValuesRow(values: values)))
        }
      }
      guard !changes.isEmpty else { return }
      let result = try store.save(changes)
      for (index, (_, values)) in inserted.enumerated() { rows.append((result.inserted[index].object, values)) }
      // Rows come table by table, as their keys run; insertions first, then updates, then deletions.
      recorded += result.inserted.map { next(.insert, $0.object) }
      recorded = [.insert, .update, .delete].flatMap { kind in recorded.filter { $0.kind == kind } }
      for index in recorded.indices {
        change += 1
        recorded[index].number = change
      }
      #expect(result.transaction == Int64(expected.count + 1))
      expected.append(Entry(number: Int64(expected.count + 1), author: author, changes: recorded))
    }
  }

  @Test("CD-7: what was written is what is read, in both directions and from any token on")
  func roundTrip() throws {
    var world = try World()
    for _ in 0..<60 { try world.save(author: [nil, "one", "two", ""].randomElement(using: &world.random) ?? nil) }
    let store = world.store
    #expect(try entries(store) == world.expected)
    #expect(try store.lastTransaction() == Int64(world.expected.count))
    var request = HistoryRequest(after: 17)
    #expect(try entries(store, request) == world.expected.filter { $0.number > 17 })
    request.through = 30
    request.limit = 5
    #expect(try entries(store, request) == Array(world.expected.filter { $0.number > 17 }.prefix(5)))
    request.isDescending = true
    #expect(try entries(store, request).map(\.number) == Array((26...30).reversed()))
    request.limit = nil
    #expect(try entries(store, request) == world.expected[17..<30].reversed())

    for author in [nil, "one", "two", "", "nobody"] as [String?] {
      request = HistoryRequest()
      request.author = .equal(author)
      #expect(try entries(store, request) == world.expected.filter { $0.author == author })
      request.author = .notEqual(author)
      request.limit = 7
      #expect(try entries(store, request) == Array(world.expected.filter { $0.author != author }.prefix(7)))
    }
    let dogs = Int32(try #require(store.layout.entity(named: "Dog")).number)
    request = HistoryRequest()
    request.entities = [dogs]
    request.limit = 9
    let ofDogs = world.expected.map { entry in
      Entry(number: entry.number, author: entry.author, changes: entry.changes.filter { $0.object.entity == dogs })
    }.filter { !$0.changes.isEmpty }
    #expect(try entries(store, request) == Array(ofDogs.prefix(9)))
    request.entities = []
    #expect(try entries(store, request).isEmpty)
    #expect(!(try RealStores.failures(world.folder.url).contains { $0.contains("CD-7") }))
  }

  @Test("CD-7: history is read by moment, through the index, and rows come without being sorted")
  func moments() throws {
    var world = try World()
    for _ in 0..<6 { try world.save(author: nil) }
    try world.store.write { try $0.execute("UPDATE ATRANSACTION SET ZTIMESTAMP = Z_PK * 100.5") }
    var request = HistoryRequest()
    request.since = Date(timeIntervalSinceReferenceDate: 201)
    request.before = Date(timeIntervalSinceReferenceDate: 402)
    let cursor = try world.store.history(request)
    var dates: [Double] = []
    while let transaction = try cursor.next() { dates.append(transaction.date.timeIntervalSinceReferenceDate) }
    #expect(dates == world.expected.prefix(3).dropFirst().map { Double($0.number) * 100.5 })

    let connection = try Connection(path: world.folder.url.path, mode: .readOnly)
    func plan(_ request: HistoryRequest) throws -> String {
      try PlainSQL.plan(connection, HistorySelect(request, form: .stringTable(tombstones: 2)).sql)
        .joined(separator: "\n")
    }
    var byAuthor = HistoryRequest(after: 1)
    byAuthor.author = .equal("x")
    var latestByAuthor = byAuthor
    latestByAuthor.limit = 3
    latestByAuthor.isDescending = true
    let latest = try PlainSQL.plan(
      connection, HistorySelect(latestByAuthor, form: .stringTable(tombstones: 2), hasPlainAuthors: false).sql
    ).joined(separator: "\n")
    #expect(latest.contains("ATRANSACTION_ZAUTHORTS_INDEX") && !latest.contains("TEMP B-TREE"), "\(latest)")
    var byProcess = HistoryRequest()
    byProcess.processName = .equal("x")
    byProcess.isDescending = true
    for (request, index) in [
      (HistoryRequest(after: 3), "ACHANGE_ZTRANSACTIONID_INDEX"), (request, "TransactionTimestampIndex"),
      (byAuthor, "ATRANSACTION_ZAUTHORTS_INDEX"), (byProcess, "ATRANSACTION_ZPROCESSIDTS_INDEX"),
    ] {
      let plan = try plan(request)
      #expect(plan.contains(index) && !plan.contains("TEMP B-TREE"), "\(plan)")
    }
  }

  @Test("CD-7: reading streams, sees one state, and gives the connection back wherever it ends")
  func streaming() throws {
    var world = try World()
    for _ in 0..<5 { try world.save(author: "early") }
    let count = world.expected.count
    let cursor = try world.store.history()
    #expect(try cursor.next()?.number == 1)
    try world.save(author: "late")
    var numbers: [Int64] = []
    while let transaction = try cursor.next() { numbers.append(transaction.number) }
    #expect(numbers == Array(2...Int64(count)))
    #expect(try cursor.nextChange() == nil)
    for _ in 0..<20 { #expect(try world.store.history().next() != nil) }

    let memory = try PersistentStore.inMemory(model: Self.model)
    #expect(try memory.history().next() == nil)
    #expect(try memory.lastTransaction() == 0)
  }

  @Test(
    "CD-7: ACHANGE grows where a model keeps more of deleted objects than the store was made for",
    .damagesStores("history columns are taken away"))
  func missingTombstones() throws {
    var world = try World()
    try world.store.write { try $0.execute("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE1") }
    try world.store.write { try $0.execute("ALTER TABLE ACHANGE DROP COLUMN ZTOMBSTONE0") }
    func hasBoth() -> Bool { world.expected.contains { $0.changes.contains { $0.tombstone.count == 2 } } }
    for _ in 0..<500 where !hasBoth() { try world.save(author: nil) }
    #expect(hasBoth())
    #expect(try entries(world.store) == world.expected)
  }

  @Test(
    "CD-7: what nobody can know is said so: bits of another length, rows of unknown entities, texts without a row",
    .damagesStores("history of no program"))
  func strangeHistory() throws {
    var world = try World()
    for _ in 0..<4 { try world.save(author: "one") }
    let last = try #require(world.expected.last).number
    try world.store.write {
      try $0.execute(
        """
        INSERT INTO ACHANGE (Z_PK, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS) VALUES \
        (1001, 1, 1, 7, \(last), x'FFFFFFFF'), (1002, 1, 99, 8, \(last), x'80'), (1003, 7, 1, 9, \(last), NULL), \
        (1004, 2, -5, \(Int64.max), \(last), NULL), (1005, 1, 1, 3, \(last), 'text'), (1006, 0, 1, 1, 5555, NULL)
        """)
      try $0.execute("UPDATE ATRANSACTION SET ZAUTHORTS = 777, ZTIMESTAMP = NULL WHERE Z_PK = \(last)")
    }
    let cursor = try world.store.history(HistoryRequest(after: last - 1))
    let transaction = try #require(try cursor.next())
    #expect(transaction.author == nil && transaction.date == Date(timeIntervalSinceReferenceDate: 0))
    var strange: [HistoryChange] = []
    while let change = try cursor.nextChange() { if change.number > 1000 { strange.append(change) } }
    #expect(strange.map(\.number) == [1001, 1002, 1004, 1005])
    #expect(strange.allSatisfy { $0.changedProperties == nil && $0.tombstone.isEmpty })
    #expect(try cursor.next() == nil)
  }

  @Test("CD-7: history of the first generation is written in its own form, and read back")
  func firstGeneration() throws {
    var world = try World()
    try world.store.write { try Self.makeFirstGeneration($0) }
    for index in 0..<12 { try world.save(author: index % 3 == 0 ? nil : "author \(index % 2)") }
    #expect(try entries(world.store) == world.expected)
    #expect(
      try PlainSQL.rows(world.folder.url, "SELECT count(*) FROM Z_PRIMARYKEY WHERE Z_ENT = 16003") == [[.integer(0)]])
    var request = HistoryRequest()
    for author in ["author 1", nil] {
      request.author = .equal(author)
      #expect(try entries(world.store, request) == world.expected.filter { $0.author == author })
      request.author = .notEqual(author)
      #expect(try entries(world.store, request) == world.expected.filter { $0.author != author })
    }
  }

  /// The tables as macOS 10.13 made them.
  private static func makeFirstGeneration(_ connection: Connection) throws {
    for name in ["ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"] {
      try connection.execute("DROP INDEX ATRANSACTION_\(name)_INDEX; ALTER TABLE ATRANSACTION DROP COLUMN \(name)")
    }
    try connection.execute("DROP TABLE ATRANSACTIONSTRING; DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = 16003")
  }

  // MARK: Real stores

  @Test(
    "CD-7: the bits of a SwiftData store are read as its facts have it",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func realBits() throws {
    let copy = try Fixtures.copyOfStore("sergd2005__ResourcesManager__histbc3d34e_default.store")
    let store = try PersistentStore.open(at: copy.url)
    let entries = try entries(store)
    #expect(entries.count == 13 && entries.flatMap(\.changes).count == 19)
    let names = Dictionary(grouping: entries.flatMap(\.changes).filter { $0.kind == .update }) {
      store.layout.entity(numbered: Int($0.object.entity))?.name ?? ""
    }.mapValues { Set($0.map { $0.changedProperties ?? [] }) }
    #expect(names["Item"]?.isSubset(of: [["craftingRecipe"], ["name"], ["craftingRecipe", "name"]]) == true)
    #expect(names["CraftingRecipe"]?.contains(["requiredComponents"]) == true, "\(names)")
    let cursor = try store.history()
    let first = try #require(try cursor.next())
    #expect(first.bundleIdentifier == "com.sdsoftware.ResourcesManager" && first.processName == "ResourcesManager")
    #expect(first.author == nil && abs(first.date.timeIntervalSinceReferenceDate - 743_906_532.38) < 0.01)
  }

  @Test(
    "CD-7: every change of real histories is read, every bit means a property",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"),
    arguments: [
      "log2timeline__plaso__RMAdminStore-Local.sqlite", "openhouse__osxphotos__Test-10.15.7_Photos.sqlite",
      "openhouse__osxphotos__Test-14.0.0_Photos.sqlite", "openhouse__osxphotos__Test-16.0.0-beta_Photos.sqlite",
      "MatthewHunt84__MetaCocktailsSwiftData__hist3292fc7_default.store",
    ])
  func realHistories(_ name: String) throws {
    let copy = try Fixtures.copyOfStore(name)
    let store = try PersistentStore.open(at: copy.url)
    let expected = try PlainSQL.rows(
      copy.url,
      """
      SELECT count(DISTINCT t.Z_PK), count(c.Z_PK), total(c.ZCHANGETYPE = 1), count(DISTINCT t.ZAUTHORTS) \
      FROM ATRANSACTION t LEFT JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK
      """)[0]
    var (transactions, changes, updates) = (0, 0, 0)
    var authors: Set<String> = []
    let cursor = try store.history()
    var last: Int64 = 0
    while let transaction = try cursor.next() {
      #expect(transaction.number > last)
      last = transaction.number
      transactions += 1
      if let author = transaction.author { authors.insert(author) }
      while let change = try cursor.nextChange() {
        changes += 1
        guard change.kind == .update else { continue }
        updates += 1
        let entity = try store.layout.existingEntity(change.object.entity)
        let properties = try #require(change.changedProperties, "\(entity.name)")
        #expect(properties.allSatisfy { entity.property(named: $0) != nil })
      }
    }
    #expect(
      expected == [
        .integer(Int64(transactions)), .integer(Int64(changes)), .real(Double(updates)), .integer(Int64(authors.count)),
      ])
  }

  @Test(
    "CD-7: a real store's changes, written anew in the form of the first generation, are read as before",
    .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
  func realFirstGeneration() throws {
    let copy = try Fixtures.copyOfStore("log2timeline__plaso__RMAdminStore-Local.sqlite")
    let store = try PersistentStore.open(at: copy.url)
    let before = try entries(store)
    try store.write { connection in
      for (plain, row) in [
        ("ZAUTHOR", "ZAUTHORTS"), ("ZBUNDLEID", "ZBUNDLEIDTS"), ("ZCONTEXTNAME", "ZCONTEXTNAMETS"),
        ("ZPROCESSID", "ZPROCESSIDTS"),
      ] {
        try connection.execute(
          "UPDATE ATRANSACTION SET \(plain) = (SELECT ZNAME FROM ATRANSACTIONSTRING s WHERE s.Z_PK = \(row))")
      }
      try Self.makeFirstGeneration(connection)
    }
    #expect(try entries(store) == before && before.count == 939)
    var changes = ChangeSet()
    changes.author = "me"
    let change = try #require(
      before.last?.changes.first { $0.kind == .update } ?? before.flatMap(\.changes).last { $0.kind == .update })
    changes.updates = [
      .init(
        object: change.object, version: nil, columns: [], changedProperties: change.changedProperties ?? [],
        source: StoreValuesRow())
    ]
    let transaction = try #require(try store.save(changes).transaction)
    let added = try entries(store, HistoryRequest(after: transaction - 1))
    #expect(added.map(\.author) == ["me"])
    #expect(added[0].changes.map(\.changedProperties) == [change.changedProperties])
    #expect(try RealStores.failures(copy.url).isEmpty)
  }
}
