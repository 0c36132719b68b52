import Foundation
import SwiftData
import TestSupport
import Testing

/// Classes and properties that are called like types of Swift, or like parts of what `@Model` expands to.
@Suite("Names in client code")
struct ClientNamesTests {
  enum Workouts {
    @Model final class Set {
      var reps: Int
      var workout: Workout?
      init(reps: Int) { self.reps = reps }
    }

    @Model final class Workout {
      var tags: Swift.Set<String> = []
      @Relationship(deleteRule: .cascade, inverse: \Set.workout) var sets: [Set] = []
      var result: Result = Result.open
      @Relationship(inverse: \Actor.collections) var actors: [Actor] = []
      init() {}
    }

    @Model final class Actor {
      var collections: [Workout] = []
      var key: Key
      init(key: Key) { self.key = key }
    }

    enum Result: String, Codable { case open, closed }
    struct Key: Codable { var value: Value }
    enum Value: Int, Codable { case one = 1, two }
  }

  @Model final class Link {
    var previous: Link?
    @Relationship(inverse: \Link.previous) var next: Link?
    var change: [Leaf] = []
    var access = "a"
    var row = 1
    var property = "p"
    var visitor: Int?
    var storage = 2.5
    var metadata: [String] = []
    var newValue = 3
    var initialValue = 4
    var state = "s"
    var version = 1
    var `in` = 1
    var `default` = true
    var größe = 2.5
    var hash = "h"
    var _hidden = 7
    init() {}
  }

  @Model final class Leaf {
    @Relationship(inverse: \Link.change) var change: Link?
    init() {}
  }

  /// The context of a fresh store, as a default argument of a client's type.
  private struct Holder {
    let context: ModelContext
    init(_ container: ModelContainer, context: ((ModelContainer) -> ModelContext) = ModelContext.init) {
      self.context = context(container)
    }
  }

  @Test func `Models have the names of types of Swift`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: Workouts.Workout.self, configurations: ModelConfiguration(url: store.url)))
    let workout = Workouts.Workout()
    context.insert(workout)
    workout.sets = [Workouts.Set(reps: 3), Workouts.Set(reps: 4)]
    workout.tags = ["t"]
    workout.result = .closed
    workout.actors.append(Workouts.Actor(key: .init(value: .two)))
    try context.save()
    let other = Holder(context.container).context
    let sets = FetchDescriptor<Workouts.Set>(predicate: #Predicate { $0.reps > 3 && $0.workout != nil })
    #expect(try other.fetch(sets).map(\.reps) == [4])
    let two = Workouts.Value.two
    let actors = FetchDescriptor<Workouts.Actor>(predicate: #Predicate { $0.key.value == two })
    let found = try #require(try other.fetch(actors).first?.collections.first)
    #expect(found.tags == ["t"] && found.result == .closed && found.sets.count == 2)
  }

  @Test func `Properties have the names of parts of the expansion, and of keywords`() throws {
    let store = try TemporaryStore()
    let context = ModelContext(
      try ModelContainer(for: Link.self, configurations: ModelConfiguration(url: store.url)))
    let (first, second) = (Link(), Link())
    context.insert(first)
    first.next = second
    second.change.append(Leaf())
    second.access = "x"
    (second.row, second.visitor, second.newValue, second.initialValue, second.version) = (2, 3, 4, 5, 6)
    (second.in, second.default, second.größe, second._hidden, second.metadata) = (5, false, 3, 8, ["q"])
    second.hash = "i"
    try context.save()
    let other = ModelContext(context.container)
    let predicate = #Predicate<Link> { $0.access == "x" && $0.in == 5 && !$0.default && $0.hash == "i" }
    let found = try #require(try other.fetch(FetchDescriptor(predicate: predicate)).first)
    #expect(found.previous?.access == "a" && found.change.first?.change === found)
    #expect([found.row, found.visitor, found.newValue, found.initialValue, found.version] == [2, 3, 4, 5, 6])
    #expect(found.größe == 3 && found._hidden == 8 && found.hash == "i" && found.metadata == ["q"])
  }
}
