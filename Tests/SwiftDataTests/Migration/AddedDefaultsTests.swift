import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import SwiftData

enum AddedDefaults {
  struct Point: Codable, Hashable {
    var x = 1.0
    var y = 2.0
    var labels: [String] = ["p"]
  }

  /// Without members it is `NULL` in each column.
  struct Theme: Codable, Hashable {
    var name: String?
    var font: String?
  }

  @Composite struct Place: Codable, Hashable {
    var street: String = "S"
    var numbers: [Int] = [1]
    var point: Inner = Inner()
  }

  @Composite struct Inner: Codable, Hashable { var since: Date = Date(timeIntervalSinceReferenceDate: 5) }

  enum Kind: String, Codable { case a, b }
  enum Phase: Codable, CaseIterable { case early, late }
  enum Size: Codable, Hashable {
    case none
    case width(Double)
  }

  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Book.self] }
    @Model final class Book {
      var title: String
      init(_ title: String) { self.title = title }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Book.self] }
    @Model final class Book {
      var title: String
      var none: [String] = []
      var tags: [String] = ["new", "it's"]
      var numbers: Set<Int> = [7]
      var scores: [String: Int] = ["a": 1]
      var maybe: [String]? = ["m"]
      var nothing: [String]?
      var point: Point = Point(x: 3)
      var place: Place = Place(street: "T", numbers: [4])
      var theme: Theme = Theme(name: "dark")
      var plain: Theme = Theme()
      var kind: Kind = Kind.b
      var phase: Phase = Phase.late
      var size: Size = Size.width(2)
      @Attribute(.codable) var coded: Point = Point(y: 4)
      @Attribute(.transformable) var archived: [Int] = [9]
      @Attribute(.externalStorage) var picture: Data = Data([1, 2])
      var decimal: Decimal = 3.25
      var identifier: UUID = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))
      var link: URL = URL(filePath: "/a")
      init(_ title: String) { self.title = title }
    }
  }

  /// The same attributes without defaults.
  enum Bare {
    @Model final class Book {
      var tags: [String]
      var point: Point
      init(tags: [String], point: Point) { (self.tags, self.point) = (tags, point) }
    }
  }

  enum Filled {
    @Model final class Book {
      var tags: [String] = ["t"]
      var point: Point = Point(x: 9)
      init() {}
    }
  }
}

/// New properties with defaults of any type, in a store that has rows.
@Suite("Defaults of added properties") struct AddedDefaultsTests {
  typealias V1 = AddedDefaults.V1
  typealias V2 = AddedDefaults.V2

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: V1.self, toVersion: V2.self)] }
  }

  @Test("Old rows get the values that the rows of new objects have", arguments: [false, true])
  func values(withPlan: Bool) throws {
    let place = try TemporaryStore()
    do {
      let context = ModelContext(
        try ModelContainer(for: V1.Book.self, configurations: ModelConfiguration(url: place.url)))
      context.insert(V1.Book("old"))
      try context.save()
    }
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: V2.self), migrationPlan: withPlan ? Plan.self : nil,
          configurations: ModelConfiguration(url: place.url)))
      let book = try #require(try context.fetch(FetchDescriptor<V2.Book>()).first)
      #expect(book.title == "old" && book.none == [] && book.tags == ["new", "it's"] && book.numbers == [7])
      #expect(book.scores == ["a": 1] && book.maybe == ["m"] && book.nothing == nil)
      #expect(book.point == AddedDefaults.Point(x: 3))
      #expect(book.place == AddedDefaults.Place(street: "T", numbers: [4]))
      #expect(book.theme == AddedDefaults.Theme(name: "dark") && book.plain == AddedDefaults.Theme())
      #expect(book.kind == .b && book.phase == .late && book.size == .width(2))
      #expect(book.coded == AddedDefaults.Point(y: 4) && book.archived == [9] && book.picture == Data([1, 2]))
      #expect(book.decimal == 3.25 && book.link == URL(filePath: "/a"))
      context.insert(V2.Book("new"))
      try context.save()
    }
    let connection = try Connection(path: place.url.path, mode: .readOnly)
    defer { connection.close() }
    let names = try #require(
      try connection.text(
        "SELECT group_concat(name) FROM pragma_table_info('ZBOOK') WHERE name NOT IN ('Z_PK', 'Z_OPT')"))
    #expect(names.split(separator: ",").count > 20)
    for name in names.split(separator: ",") where name != "ZTITLE" {
      let count = try connection.integer("SELECT count(DISTINCT quote(\"\(name)\")) FROM ZBOOK")
      let values = try connection.text("SELECT group_concat(quote(\"\(name)\")) FROM ZBOOK")
      #expect(count == 1, "\(name): \(values ?? "")")
    }
  }

  @Test("Defaults of collections and structures are in no version hash, and make an addition a light change")
  func hashes() throws {
    let bare = try Schema([AddedDefaults.Bare.Book.self]).lowered()
    let filled = try Schema([AddedDefaults.Filled.Book.self]).lowered()
    #expect(try VersionHashes(bare) == VersionHashes(filled))
    #expect(ModelDifference(from: bare, to: filled).changes.isEmpty)
    let old = try Schema([V1.Book.self]).lowered()
    let changes = ModelDifference(from: old, to: try Schema([V2.Book.self]).lowered()).changes
    #expect(changes.count > 10)
    #expect(!changes.contains { if case .custom = $0.migration { true } else { false } }, "\(changes)")
  }
}
