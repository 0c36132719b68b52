import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Model final class BoundedTeam {
  var name: String
  @Relationship(minimumModelCount: 2, maximumModelCount: 3, inverse: \BoundedPlayer.team)
  var players: [BoundedPlayer] = []
  init(name: String) { self.name = name }
}

@Model final class BoundedPlayer {
  var name: String
  var team: BoundedTeam?
  init(name: String, team: BoundedTeam? = nil) {
    self.name = name
    self.team = team
  }
}

@Suite("The bounds of a relationship")
struct RelationshipBoundsTests {
  @Test("A save refuses too few and too many objects, and names entity, property and rule", arguments: 0...4)
  func bounds(count: Int) throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: BoundedTeam.self, configurations: ModelConfiguration(url: store.url)))
    let team = BoundedTeam(name: "A")
    context.insert(team)
    for index in 0..<count { context.insert(BoundedPlayer(name: "\(index)", team: team)) }
    guard !(2...3).contains(count) else { return try context.save() }
    do {
      try context.save()
      Issue.record("\(count) players were saved.")
    } catch let error as SwiftDataError {
      #expect(error == .modelValidationFailure)
      #expect(error.description.contains("BoundedTeam") && error.description.contains("players"), "\(error)")
    }
    #expect(context.hasChanges)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<BoundedTeam>()) == 0)
  }

  @Test func `A change from either side is held against the bounds`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: BoundedTeam.self, configurations: ModelConfiguration(url: store.url)))
    let team = BoundedTeam(name: "A")
    context.insert(team)
    team.players = [BoundedPlayer(name: "1"), BoundedPlayer(name: "2")]
    try context.save()
    let other = ModelContext(context.container)
    let player = try #require(try other.fetch(FetchDescriptor<BoundedPlayer>()).first)
    player.team = nil
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    other.rollback()
    other.delete(player)
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    other.rollback()
    for name in ["3", "4"] { other.insert(BoundedPlayer(name: name, team: player.team)) }
    #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
  }
}
