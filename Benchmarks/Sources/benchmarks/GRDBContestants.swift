import Foundation
import GRDB

/// A record whose initialiser and container are written by hand, by column index: GRDB's fast way.
struct HandWrittenPlayer: FetchableRecord, PersistableRecord {
  static let databaseTableName = "player"
  var id: Int64?
  var name: String
  var email: String?
  var score: Int
  var rating: Double
  var joined: Date

  init(_ sample: Sample) {
    name = sample.name
    email = sample.email
    score = sample.score
    rating = sample.rating
    joined = sample.joined
  }

  init(row: Row) {
    id = row[0]
    name = row[1]
    email = row[2]
    score = row[3]
    rating = row[4]
    joined = Date(timeIntervalSinceReferenceDate: row[5])
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
    container["email"] = email
    container["score"] = score
    container["rating"] = rating
    container["joined"] = joined.timeIntervalSinceReferenceDate
  }
}

/// A record that leaves everything to `Codable`: GRDB's convenient way.
struct CodablePlayer: Codable, FetchableRecord, PersistableRecord {
  static let databaseTableName = "player"
  static let databaseDateDecodingStrategy = DatabaseDateDecodingStrategy.deferredToDate
  var id: Int64?
  var name: String
  var email: String?
  var score: Int
  var rating: Double
  var joined: Date

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .deferredToDate }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .deferredToDate }
}

protocol Summable {
  var name: String { get }
  var email: String? { get }
  var score: Int { get }
}
extension HandWrittenPlayer: Summable {}
extension CodablePlayer: Summable {}

struct GRDBContestant<Record: FetchableRecord & PersistableRecord & Summable>: Contestant {
  let name: String
  let make: (Sample) -> Record

  private func queue(_ folder: URL) throws -> DatabaseQueue {
    var configuration = Configuration()
    configuration.journalMode = .wal
    return try DatabaseQueue(
      path: folder.appendingPathComponent("\(Record.self).sqlite").path, configuration: configuration)
  }

  func insertAll(in folder: URL) throws {
    let queue = try queue(folder)
    try queue.write { database in
      try database.create(table: "player") { table in
        table.autoIncrementedPrimaryKey("id")
        table.column("name", .text)
        table.column("email", .text)
        table.column("score", .integer)
        table.column("rating", .double)
        table.column("joined", .double)
      }
      for row in Sample.all { try make(row).insert(database) }
    }
    try queue.close()
  }

  func fetchAll(in folder: URL) throws -> Int {
    checksum(try queue(folder).read { try Record.fetchAll($0) })
  }

  func fetchFiltered(in folder: URL) throws -> Int {
    checksum(
      try queue(folder).read { database in
        try Record.filter(Column("score") >= 900).order(Column("score"), Column("joined").desc).fetchAll(database)
      })
  }

  private func checksum(_ players: [Record]) -> Int {
    var sum = 0
    for player in players { sum &+= player.score &+ player.name.utf8.count &+ (player.email?.utf8.count ?? 0) }
    return sum
  }
}
