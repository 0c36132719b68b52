import Foundation
import SwiftData

@Model final class Player {
  var name: String
  var email: String?
  var score: Int
  var rating: Double
  var joined: Date

  init(name: String, email: String?, score: Int, rating: Double, joined: Date) {
    self.name = name
    self.email = email
    self.score = score
    self.rating = rating
    self.joined = joined
  }
}

struct OpenSwiftDataContestant: Contestant {
  let name = "SwiftData (this package)"

  private func context(_ folder: URL) throws -> ModelContext {
    let url = folder.appendingPathComponent("players.store")
    return ModelContext(try ModelContainer(for: Player.self, configurations: ModelConfiguration(url: url)))
  }

  func insertAll(in folder: URL) throws {
    let context = try context(folder)
    for row in Sample.all {
      context.insert(
        Player(name: row.name, email: row.email, score: row.score, rating: row.rating, joined: row.joined))
    }
    try context.save()
  }

  func fetchAll(in folder: URL) throws -> Int {
    checksum(try context(folder).fetch(FetchDescriptor<Player>()))
  }

  func fetchFiltered(in folder: URL) throws -> Int {
    checksum(
      try context(folder).fetch(
        FetchDescriptor<Player>(
          predicate: #Predicate { $0.score >= 900 },
          sortBy: [SortDescriptor(\.score), SortDescriptor(\.joined, order: .reverse)])))
  }

  private func checksum(_ players: [Player]) -> Int {
    var sum = 0
    for player in players { sum &+= player.score &+ player.name.utf8.count &+ (player.email?.utf8.count ?? 0) }
    return sum
  }
}
