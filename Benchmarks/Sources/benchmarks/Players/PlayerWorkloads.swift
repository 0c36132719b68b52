import Foundation
import GRDB
import SwiftData

extension Workload {
  /// Rows of five columns in one table. Opening the database is part of each measurement.
  static var players: [Workload] {
    [
      Workload(
        "insert", "insert 100,000 and save",
        swiftData: { folder in { try PlayerStore(folder).insertAll() } },
        grdb: { folder in { try PlayerTable<PlayerRecord>(folder).insertAll(PlayerRecord.init) } },
        codable: { folder in { try PlayerTable<CodablePlayer>(folder).insertAll(CodablePlayer.init) } },
        bareSQLite: { folder in { try BarePlayers(folder).insertAll() } }),
      Workload(
        "fetch-all", "fetch all 100,000",
        swiftData: { _ in { try PlayerStore(.players).fetchAll() } },
        grdb: { _ in { try PlayerTable<PlayerRecord>(.players).fetchAll() } },
        codable: { _ in { try PlayerTable<CodablePlayer>(.players).fetchAll() } },
        bareSQLite: { _ in { try BarePlayers(.players).fetchAll() } }),
      Workload(
        "fetch-filtered", "fetch ~10,000 filtered, sorted",
        swiftData: { _ in { try PlayerStore(.players).fetchFiltered() } },
        grdb: { _ in { try PlayerTable<PlayerRecord>(.players).fetchFiltered() } },
        codable: { _ in { try PlayerTable<CodablePlayer>(.players).fetchFiltered() } },
        bareSQLite: { _ in { try BarePlayers(.players).fetchFiltered() } }),
      Workload(
        "property-reads", "read a property of a live object", parts: 20 * 10_000 * 3,
        swiftData: { _ in
          let context = try PlayerStore(.players).context
          var descriptor = FetchDescriptor<Player>()
          descriptor.fetchLimit = 10_000
          let players = try context.fetch(descriptor)
          return { withExtendedLifetime(context) { reads(players) } }
        },
        grdb: { _ in
          let players = try PlayerTable<PlayerRecord>(.players).queue.read {
            try PlayerRecord.limit(10_000).fetchAll($0)
          }
          return { reads(players) }
        }),
      Workload(
        "small-saves", "insert one and save, 2,000 times", parts: 2000,
        swiftData: { folder in
          let context = try PlayerStore(folder).context
          return { try context.insertOneByOne() }
        },
        grdb: { folder in
          let table = try PlayerTable<PlayerRecord>(folder)
          try table.create()
          return {
            for sample in Sample.all.prefix(2000) {
              try table.queue.write { try PlayerRecord(sample).insert($0) }
            }
            return 2000
          }
        },
        bareSQLite: { folder in
          let statements = try RecordedStatements(
            opening: { try PlayerStore(folder, "twin").context }, of: { _ = try $0.insertOneByOne() })
          _ = try PlayerStore(folder)
          let database = try BareDatabase(folder.appendingPathComponent("players.store"))
          return {
            try statements.replay(on: database)
            return 2000
          }
        }),
    ]
  }

  private static func reads(_ players: [some Summable]) -> Int {
    var sum = 0
    for _ in 0..<20 { sum &+= players.checksum }
    return sum
  }
}

extension ModelContext {
  fileprivate func insertOneByOne() throws -> Int {
    for sample in Sample.all.prefix(2000) {
      insert(Player(sample))
      try save()
    }
    return 2000
  }
}

/// The players as model objects.
struct PlayerStore {
  let context: ModelContext

  init(_ folder: URL, _ name: String = "players") throws {
    let url = folder.appendingPathComponent("\(name).store")
    context = ModelContext(try ModelContainer(for: Player.self, configurations: ModelConfiguration(url: url)))
  }

  func insertAll() throws -> Int {
    for sample in Sample.all { context.insert(Player(sample)) }
    try context.save()
    return 0
  }

  func fetchAll() throws -> Int { try context.fetch(FetchDescriptor<Player>()).checksum }

  func fetchFiltered() throws -> Int {
    try context.fetch(
      FetchDescriptor<Player>(
        predicate: #Predicate { $0.score >= 900 },
        sortBy: [SortDescriptor(\.score), SortDescriptor(\.joined, order: .reverse)])
    ).checksum
  }
}

/// The players as records of GRDB.
struct PlayerTable<Record: FetchableRecord & PersistableRecord & Summable> {
  let queue: DatabaseQueue

  init(_ folder: URL) throws { queue = try .inFolder(folder, "\(Record.self)") }

  func create() throws {
    try queue.write { database in
      try database.create(table: "player") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("name", .text)
        table.column("email", .text)
        table.column("score", .integer)
        table.column("rating", .double)
        table.column("joined", .double)
      }
    }
  }

  func insertAll(_ make: (Sample) -> Record) throws -> Int {
    try create()
    try queue.write { database in for sample in Sample.all { try make(sample).insert(database) } }
    return 0
  }

  func fetchAll() throws -> Int { try queue.read { try Record.fetchAll($0) }.checksum }

  func fetchFiltered() throws -> Int {
    try queue.read { database in
      try Record.filter(Column("score") >= 900).order(Column("score"), Column("joined").desc).fetchAll(database)
    }.checksum
  }
}

extension DatabaseQueue {
  /// A database with a write-ahead log, as this package's stores have.
  static func inFolder(_ folder: URL, _ name: String) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    return try DatabaseQueue(path: folder.appendingPathComponent("\(name).sqlite").path, configuration: configuration)
  }
}

extension URL {
  /// A folder with the players of every contestant, made on first use.
  static var players: URL {
    get throws {
      try Templates.folder("players") { folder in
        _ = try PlayerStore(folder).insertAll()
        _ = try PlayerTable<PlayerRecord>(folder).insertAll(PlayerRecord.init)
        _ = try PlayerTable<CodablePlayer>(folder).insertAll(CodablePlayer.init)
        _ = try BarePlayers(folder).insertAll()
      }
    }
  }
}
