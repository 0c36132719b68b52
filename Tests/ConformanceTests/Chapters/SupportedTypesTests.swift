import Foundation
import SwiftData
import Testing

/// Values of many types are stored without a transformer.
@Suite("Supported types")
struct SupportedTypesTests {
  enum Grade: Int, Codable {
    case easy = 0
    case steep = 1
    case alpine = 2
  }

  enum Surface: String, Codable, CaseIterable {
    case rock, snow, grass
  }

  struct Place: Codable, Equatable {
    var village: String
    var valley: String
    var height: Int
  }

  struct Settings: Codable, Equatable {
    var theme: String
    var fontSize: Int
    var showsMap: Bool

    static let `default` = Settings(theme: "light", fontSize: 12, showsMap: true)
  }

  @Model
  final class Trail {
    var name: String
    var grade: Grade
    var surface: Surface?
    var tags: [String]
    var metadata: [String: String]
    var lengths: Set<Int>
    var start: Place?
    var settings: Settings
    var identifier: UUID
    var page: URL?
    var pages: [URL]
    var opened: Date?
    var sketch: Data?
    var kilometres: Double
    var slope: Float
    var price: Decimal
    var isOpen: Bool

    init(name: String, grade: Grade = .steep, settings: Settings = .default) {
      self.name = name
      self.grade = grade
      self.settings = settings
      self.tags = []
      self.metadata = [:]
      self.lengths = []
      self.identifier = UUID()
      self.pages = []
      self.kilometres = 0
      self.slope = 0
      self.price = 0
      self.isOpen = true
    }
  }

  @Test(arguments: ChapterPlace.allCases)
  func `every type comes back as it was`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trail.self)
    let trail = Trail(name: "Ridge", grade: .alpine)
    trail.surface = .snow
    trail.tags = ["long", "quiet"]
    trail.metadata = ["guide": "Ida", "year": "1931"]
    trail.lengths = [7, 12]
    trail.start = Place(village: "Hof", valley: "Tal", height: 1_204)
    trail.settings.fontSize = 20
    trail.page = URL(string: "https://example.org/ridge")
    trail.pages = [URL(fileURLWithPath: "/tmp/a"), URL(fileURLWithPath: "/tmp/b")]
    trail.opened = .january(5)
    trail.sketch = Data([1, 2, 3])
    trail.kilometres = 14.25
    trail.slope = 0.5
    trail.price = Decimal(string: "12.30") ?? 0
    trail.isOpen = false
    store.context.insert(trail)
    try store.context.save()

    let read = try #require(try store.freshContext().fetch(FetchDescriptor<Trail>()).first)
    #expect(read.grade == .alpine)
    #expect(read.surface == .snow)
    #expect(read.tags == ["long", "quiet"])
    #expect(read.metadata == ["guide": "Ida", "year": "1931"])
    #expect(read.lengths == [7, 12])
    #expect(read.start == Place(village: "Hof", valley: "Tal", height: 1_204))
    #expect(read.settings == Settings(theme: "light", fontSize: 20, showsMap: true))
    #expect(read.identifier == trail.identifier)
    #expect(read.page == trail.page)
    #expect(read.pages == trail.pages)
    #expect(read.opened == .january(5))
    #expect(read.sketch == Data([1, 2, 3]))
    #expect(read.kilometres == 14.25)
    #expect(read.slope == 0.5)
    #expect(read.price == Decimal(string: "12.30"))
    #expect(!read.isOpen)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `optional values may be missing`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trail.self)
    store.context.insert(Trail(name: "Meadow"))
    try store.context.save()
    let read = try #require(try store.freshContext().fetch(FetchDescriptor<Trail>()).first)
    #expect(read.surface == nil)
    #expect(read.start == nil)
    #expect(read.page == nil)
    #expect(read.opened == nil)
    #expect(read.sketch == nil)
    #expect(read.settings == .default)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a part of a structure and a member of a collection change in place`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trail.self)
    let trail = Trail(name: "Meadow")
    trail.start = Place(village: "Hof", valley: "Tal", height: 900)
    store.context.insert(trail)
    try store.context.save()
    trail.start?.height = 905
    trail.tags.append("new")
    trail.metadata["guide"] = "Ole"
    try store.context.save()

    let read = try #require(try store.freshContext().fetch(FetchDescriptor<Trail>()).first)
    #expect(read.start?.height == 905)
    #expect(read.tags == ["new"])
    #expect(read.metadata == ["guide": "Ole"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an enumeration and a part of a structure can be asked for`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trail.self)
    for (name, grade) in [("a", Grade.easy), ("b", .alpine)] {
      let trail = Trail(name: name, grade: grade)
      trail.start = Place(village: name, valley: "Tal", height: grade.rawValue * 1_000)
      store.context.insert(trail)
    }
    try store.context.save()
    let hardest = Grade.alpine
    let hard = FetchDescriptor<Trail>(predicate: #Predicate { $0.grade == hardest })
    #expect(try store.context.fetch(hard).map(\.name) == ["b"])
    let high = FetchDescriptor<Trail>(predicate: #Predicate { ($0.start?.height ?? 0) > 500 })
    #expect(try store.context.fetch(high).map(\.name) == ["b"])
  }
}
