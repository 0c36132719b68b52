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

  /// A value of one of two forms, which tells them by what can be decoded.
  enum Shape: Codable, Equatable {
    case circle(Circle), rect(Rect)

    /// The form that is tried first.
    @TaskLocal static var startsWithCircle = true

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if Self.startsWithCircle, let circle = try? container.decode(Circle.self) {
        self = .circle(circle)
      } else if !Self.startsWithCircle, let rect = try? container.decode(Rect.self) {
        self = .rect(rect)
      } else if Self.startsWithCircle {
        self = .rect(try container.decode(Rect.self))
      } else {
        self = .circle(try container.decode(Circle.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      switch self {
      case .circle(let value): try value.encode(to: encoder)
      case .rect(let value): try value.encode(to: encoder)
      }
    }
  }

  struct Circle: Codable, Equatable { var radius = 1.5 }
  struct Rect: Codable, Equatable { var width = 1.5, height = 1.5, depth = 1.5 }

  /// A text under its present name or an earlier one, and an added number.
  struct Heading: Codable, Equatable {
    var title = "", added = 1
    private enum CodingKeys: String, CodingKey { case title, name, added }

    init(title: String, added: Int) { (self.title, self.added) = (title, added) }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      do { title = try container.decode(String.self, forKey: .title) } catch {
        title = try container.decode(String.self, forKey: .name)
      }
      added = try container.decode(Int.self, forKey: .added)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(title, forKey: .title)
      try container.encode(added, forKey: .added)
    }
  }

  /// A value that has the stored form of an earlier version: what its members encode.
  struct Stored: Codable, Equatable {
    var values: [String: Double]
    func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
    init(_ values: [String: Double]) { self.values = values }
    init(from decoder: any Decoder) throws { values = try [String: Double](from: decoder) }
  }

  enum Drawn: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Drawing.self] }

    @Model final class Drawing {
      var shapes: [Stored] = []
      @Attribute(.codable) var coded: [Stored] = []
      var headings: [[String: String]] = []
      @Attribute(.codable) var heading: [String: String] = [:]
      init(_ shapes: [[String: Double]]) {
        self.shapes = shapes.map(Stored.init)
        coded = shapes.map(Stored.init)
        headings = [["name": "old"], ["title": "new"]]
        heading = ["name": "old"]
      }
    }
  }

  enum Redrawn: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Drawing.self] }

    @Model final class Drawing {
      var shapes: [Shape] = []
      @Attribute(.codable) var coded: [Shape] = []
      var headings: [Heading] = []
      @Attribute(.codable) var heading = Heading(title: "default", added: 2)
      init() {}
    }
  }

  /// Reads a drawing that an earlier version has stored.
  private func read(_ shapes: [[String: Double]], _ check: (Redrawn.Drawing, _ lines: [String]) throws -> Void) throws {
    let store = try TemporaryStore()
    let first = try context(Drawn.self, store)
    first.insert(Drawn.Drawing(shapes))
    try first.save()
    let second = try context(Redrawn.self, store)
    var drawings: [Redrawn.Drawing] = []
    let lines = try RecordedLog.lines {
      drawings = try second.fetch(FetchDescriptor<Redrawn.Drawing>())
      for drawing in drawings { _ = (drawing.shapes, drawing.coded, drawing.headings, drawing.heading) }
    }
    try check(try #require(drawings.first), lines)
  }

  @Test func `A form whose structure gets a member stays that form if no other fits`() throws {
    try read([["width": 3, "height": 4], ["radius": 2]]) { drawing, lines in
      let shapes = [Shape.rect(Rect(width: 3, height: 4, depth: 0)), .circle(Circle(radius: 2))]
      #expect(drawing.shapes == shapes)
      #expect(drawing.coded == shapes)
      #expect(lines.isEmpty, "\(lines)")
    }
  }

  @Test func `No value is read in a form that was tried because the right one lacks a member`() throws {
    try Shape.$startsWithCircle.withValue(false) {
      try read([["width": 3, "height": 4], ["radius": 2]]) { drawing, lines in
        #expect(drawing.shapes.isEmpty)
        #expect(drawing.coded.isEmpty)
        for name in ["shapes", "coded"] {
          #expect(lines.filter { $0.hasPrefix("error: Drawing.\(name) of ") }.count == 1, "\(lines)")
        }
      }
    }
  }

  @Test func `A member that is read under an earlier name keeps its value if another member is added`() throws {
    try read([]) { drawing, lines in
      #expect(drawing.headings == [Heading(title: "old", added: 0), Heading(title: "new", added: 0)])
      #expect(drawing.heading == Heading(title: "old", added: 0))
      #expect(lines.isEmpty, "\(lines)")
    }
  }

  enum Whole: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Machine.self] }

    struct Part: Codable { var size: [Int] }
    struct Build: Codable { var part: Part, name: String }

    @Model final class Machine {
      var build = Build(part: Part(size: [1]), name: "")
      init() { build = Build(part: Part(size: [2]), name: "n") }
    }
  }

  enum Replaced: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Machine.self] }

    struct Part: Codable, Equatable { var size = [3], weight = 4 }
    struct Build: Codable, Equatable {
      var part = Part(), name = ""
      init() {}
      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        part = (try? container.decode(Part.self, forKey: .part)) ?? Part()
        name = try container.decode(String.self, forKey: .name)
      }
    }

    @Model final class Machine {
      var build = Build()
      init() {}
    }
  }

  @Test func `A member that its structure's type replaces because it lacks a member is logged`() throws {
    let store = try TemporaryStore()
    let first = try context(Whole.self, store)
    first.insert(Whole.Machine())
    try first.save()
    let second = try context(Replaced.self, store)
    var builds: [Replaced.Build] = []
    let lines = try RecordedLog.lines { builds = try second.fetch(FetchDescriptor<Replaced.Machine>()).map(\.build) }
    #expect(builds.map(\.part) == [Replaced.Part()])
    #expect(builds.map(\.name) == ["n"])
    #expect(lines.count == 1 && lines[0].contains("its member “part” cannot be read"), "\(lines)")
  }
}
