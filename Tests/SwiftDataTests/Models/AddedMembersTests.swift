import Foundation
import SwiftData
import TestSupport
import Testing

/// Values that were stored before their structure got further members.
@Suite("Members that a structure gets later")
struct AddedMembersTests {
  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Plan.self] }

    struct Point: Codable, Equatable { var x = 1 }
    struct Frame: Codable, Equatable { var name = "", origin = Point() }
    enum Step: Codable { case move(Point), turn(angle: Int, around: Point) }
    enum Mark: Codable { case point(Point) }

    @Model final class Plan {
      var frame = Frame()
      var points: [Point] = []
      var named: [String: Point] = [:]
      @Attribute(.codable) var coded = Point()
      @Attribute(.codable) var list: [Mark] = []
      var step = Step.move(Point())
      var turn: Step?
      init() {
        frame = Frame(name: "f", origin: Point(x: 2))
        points = [Point(x: 3), Point(x: 4)]
        named = ["a": Point(x: 5)]
        coded = Point(x: 6)
        list = [.point(Point(x: 7))]
        step = .move(Point(x: 8))
        turn = .turn(angle: 9, around: Point(x: 10))
      }
    }
  }

  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Plan.self] }

    struct Size: Codable, Equatable { var width = 1.5 }
    struct Point: Codable, Equatable {
      var x = 1, y = 2, label = "l", size = Size(), words = ["w"]
      var note: String? = "n"
    }
    struct Frame: Codable, Equatable { var name = "", origin = Point() }
    enum Step: Codable, Equatable { case move(Point), turn(angle: Int, around: Point) }
    enum Mark: Codable, Equatable { case point(Point) }

    @Model final class Plan {
      var frame = Frame()
      var points: [Point] = []
      var named: [String: Point] = [:]
      @Attribute(.codable) var coded = Point()
      @Attribute(.codable) var list: [Mark] = []
      var step = Step.move(Point())
      var turn: Step?
      init() {}
    }

    static func point(_ x: Int) -> Point {
      Point(x: x, y: 0, label: "", size: Size(width: 0), words: [], note: nil)
    }
  }

  private func context(_ version: any VersionedSchema.Type, _ store: TemporaryStore) throws -> ModelContext {
    let schema = Schema(versionedSchema: version)
    return ModelContext(
      try ModelContainer(for: schema, configurations: [ModelConfiguration(schema: schema, url: store.url)]))
  }

  @Test func `A member that a structure in JSON or in a collection gets is zero, and the other members stay`() throws {
    let store = try TemporaryStore()
    let first = try context(Before.self, store)
    first.insert(Before.Plan())
    try first.save()
    let plan = try #require(try context(After.self, store).fetch(FetchDescriptor<After.Plan>()).first)
    #expect(plan.frame == After.Frame(name: "f", origin: After.point(2)))
    #expect(plan.points == [After.point(3), After.point(4)])
    #expect(plan.named == ["a": After.point(5)])
    #expect(plan.coded == After.point(6))
    #expect(plan.list == [.point(After.point(7))])
    #expect(plan.step == .move(After.point(8)))
    #expect(plan.turn == .turn(angle: 9, around: After.point(10)))
  }

  @Test func `An element appended to such an array leaves the others in the store`() throws {
    let store = try TemporaryStore()
    let first = try context(Before.self, store)
    first.insert(Before.Plan())
    try first.save()
    let second = try context(After.self, store)
    try #require(try second.fetch(FetchDescriptor<After.Plan>()).first).points.append(After.Point(x: 11))
    try second.save()
    let plan = try #require(try context(After.self, store).fetch(FetchDescriptor<After.Plan>()).first)
    #expect(plan.points == [After.point(3), After.point(4), After.Point(x: 11)])
  }

  /// A member of either type, found by what can be decoded.
  enum Either: Codable, Equatable {
    case pair(Pair), single(Single)

    struct Pair: Codable, Equatable { var first = 1, second = 2 }
    struct Single: Codable, Equatable { var first = 1 }

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      do { self = .pair(try container.decode(Pair.self)) } catch {
        self = .single(try container.decode(Single.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .pair(let value): try container.encode(value)
      case .single(let value): try container.encode(value)
      }
    }
  }

  @Model final class Choice {
    var all: [Either] = []
    @Attribute(.codable) var one = Either.single(Either.Single())
    init() {
      all = [.single(Either.Single(first: 3)), .pair(Either.Pair())]
    }
  }

  @Test func `A type that tries several forms is read in the form that lacks nothing`() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Choice.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    context.insert(Choice())
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<Choice>()).first)
    #expect(read.all == [.single(Either.Single(first: 3)), .pair(Either.Pair())])
    #expect(read.one == .single(Either.Single()))
  }
}
