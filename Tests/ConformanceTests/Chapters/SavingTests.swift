import Foundation
import SwiftData
import Testing

/// A context keeps changes until they are saved, or undone by a rollback.
@Suite("Saving")
struct SavingTests {
  @Model final class Score {
    @Attribute(.unique) var player: String
    var points: Int
    init(player: String, points: Int = 0) {
      self.player = player
      self.points = points
    }
  }

  private struct Refused: Error {}

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Score.self)
    for player in ["Ana", "Ben"] { store.context.insert(Score(player: player, points: 1)) }
    try store.context.save()
    return store
  }

  private var byPlayer: FetchDescriptor<Score> { FetchDescriptor(sortBy: [SortDescriptor(\.player)]) }

  @Test(arguments: ChapterPlace.allCases)
  func `a rollback drops new objects and restores the others`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let scores = try store.context.fetch(byPlayer)
    scores[0].points = 50
    store.context.delete(scores[1])
    store.context.insert(Score(player: "Cy"))
    store.context.rollback()
    #expect(!store.context.hasChanges)
    #expect(try store.context.fetch(byPlayer).map(\.player) == ["Ana", "Ben"])
    #expect(scores.map(\.points) == [1, 1])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a transaction saves at its end`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    try store.context.transaction {
      for score in try store.context.fetch(byPlayer) { score.points += 10 }
      store.context.insert(Score(player: "Cy"))
    }
    #expect(try store.freshContext().fetch(byPlayer).map(\.points) == [11, 11, 0])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a transaction that throws saves nothing`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    #expect(throws: Refused.self) {
      try store.context.transaction {
        store.context.insert(Score(player: "Cy"))
        throw Refused()
      }
    }
    #expect(try store.freshContext().fetchCount(byPlayer) == 2)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a fetch finds unsaved changes unless it excludes them`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    store.context.insert(Score(player: "Cy", points: 9))
    try store.context.fetch(byPlayer)[0].points = 9
    var descriptor = FetchDescriptor<Score>(
      predicate: #Predicate { $0.points > 5 }, sortBy: [SortDescriptor(\.player)])
    #expect(try store.context.fetch(descriptor).map(\.player) == ["Ana", "Cy"])
    descriptor.includePendingChanges = false
    #expect(try store.context.fetch(descriptor).isEmpty)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a fetch that excludes unsaved changes finds saved values, in memory as in the store`(
    _ place: ChapterPlace
  ) throws {
    let store = try filled(place)
    let scores = try store.context.fetch(byPlayer)
    (scores[0].player, scores[1].player) = ("Zoe", "Yan")
    let beginsWithA = #/^A/#
    var descriptor = FetchDescriptor<Score>(predicate: #Predicate { $0.player.contains(beginsWithA) })
    #expect(try store.context.fetch(descriptor).isEmpty)
    descriptor.includePendingChanges = false
    #expect(try store.context.fetch(descriptor) == [scores[0]])
    #expect(try store.context.fetchCount(descriptor) == 1)
    #expect(scores[0].player == "Zoe")
  }

  @Test(arguments: ChapterPlace.allCases)
  func `observers are told of a save, and of its objects`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let scores = try store.context.fetch(byPlayer)
    let heard = Heard()
    let center = NotificationCenter.default
    let tokens = [ModelContext.willSave, ModelContext.didSave].map { name in
      center.addObserver(forName: name, object: store.context, queue: nil) { heard.names.append($0) }
    }
    defer { tokens.forEach(center.removeObserver) }
    store.context.insert(Score(player: "Cy"))
    scores[0].points = 2
    store.context.delete(scores[1])
    let deleted = scores[1].persistentModelID
    try store.context.save()

    #expect(heard.names.map(\.name) == [ModelContext.willSave, ModelContext.didSave])
    let told = try #require(heard.names.last?.userInfo)
    #expect((told["inserted"] as? [PersistentIdentifier])?.count == 1)
    #expect(told["updated"] as? [PersistentIdentifier] == [scores[0].persistentModelID])
    #expect(told["deleted"] as? [PersistentIdentifier] == [deleted])
  }

  @MainActor @Test(arguments: ChapterPlace.allCases)
  func `the main context saves by itself`(_ place: ChapterPlace) async throws {
    let store = try ChapterStore(place, Score.self)
    #expect(store.container.mainContext.autosaveEnabled)
    store.container.mainContext.insert(Score(player: "Ana"))
    while store.container.mainContext.hasChanges { try await Task.sleep(for: .milliseconds(10)) }
    #expect(try store.freshContext().fetchCount(byPlayer) == 1)
  }

  private final class Heard: @unchecked Sendable {
    var names: [Notification] = []
  }
}
