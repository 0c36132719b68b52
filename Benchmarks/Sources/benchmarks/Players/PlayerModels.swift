import Foundation
import GRDB
import SwiftData

@Model final class Player {
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
}

/// A record whose initialiser and container are written by hand, by column index: GRDB's fast way.
struct PlayerRecord: FetchableRecord, PersistableRecord {
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

  init(_ sample: Sample) {
    name = sample.name
    email = sample.email
    score = sample.score
    rating = sample.rating
    joined = sample.joined
  }

  static func databaseDateEncodingStrategy(for column: String) -> DatabaseDateEncodingStrategy { .deferredToDate }
  static func databaseDateDecodingStrategy(for column: String) -> DatabaseDateDecodingStrategy { .deferredToDate }
}

/// What a checksum is made of.
protocol Summable {
  var name: String { get }
  var email: String? { get }
  var score: Int { get }
}
extension Sample: Summable {}
extension Player: Summable {}
extension PlayerRecord: Summable {}
extension CodablePlayer: Summable {}

extension Array where Element: Summable {
  var checksum: Int { reduce(0) { $0 &+ $1.score &+ $1.name.utf8.count &+ ($1.email?.utf8.count ?? 0) } }
}
