import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// New properties with defaults of any type, in a PostgreSQL store that has rows.
@Suite("Defaults of added properties in a PostgreSQL store", TestServer.condition) struct AddedDefaultsTests {
  struct Point: Codable, Hashable {
    var x = 1.0
    var labels: [String] = ["p"]
  }

  enum Kind: String, Codable { case a, b }
  enum Phase: Codable, CaseIterable { case early, late }

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
      var flags: [Bool] = [true, false]
      var moments: [Date] = [Date(timeIntervalSinceReferenceDate: 5.5)]
      var reals: [Double] = [0.1, -2]
      var numbers: Set<Int> = [7]
      var scores: [String: Int] = ["it's": 1]
      var maybe: [Int]? = [3]
      var nothing: [String]?
      var point: Point = Point(x: 3)
      var kind: Kind = Kind.b
      var phase: Phase = Phase.late
      @Attribute(.codable) var coded: Point = Point(x: 4)
      var identifiers: [UUID] = [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))]
      var data: Data = Data([1, 2])
      init(_ title: String) { self.title = title }
    }
  }

  @Test("Old rows get the values that the rows of new objects have")
  func values() throws {
    let store = try TravelStore()
    let before = ModelContext(try store.open(V1.self))
    before.insert(V1.Book("old"))
    try before.save()
    let context = ModelContext(try store.open(V2.self))
    context.insert(V2.Book("new"))
    try context.save()
    let books = try ModelContext(context.container).fetch(FetchDescriptor<V2.Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map(\.title) == ["new", "old"])
    for book in books {
      #expect(book.none == [] && book.tags == ["new", "it's"] && book.flags == [true, false], "\(book.title)")
      #expect(book.moments == [Date(timeIntervalSinceReferenceDate: 5.5)] && book.reals == [0.1, -2], "\(book.title)")
      #expect(book.numbers == [7] && book.scores == ["it's": 1] && book.maybe == [3] && book.nothing == nil)
      #expect(book.point == Point(x: 3) && book.coded == Point(x: 4), "\(book.title)")
      #expect(book.kind == .b && book.phase == .late && book.data == Data([1, 2]), "\(book.title)")
      #expect(book.identifiers.map(\.uuidString) == ["01020304-0506-0708-090A-0B0C0D0E0F10"], "\(book.title)")
    }
    // The server itself sees equal values in both rows.
    let same = try context.fetchCount(FetchDescriptor<V2.Book>(predicate: #Predicate { $0.tags == ["new", "it's"] }))
    #expect(same == 2)
    let table = try #require(
      try store.column(
        "SELECT table_name::text FROM information_schema.columns WHERE table_schema = '\(store.schema)' AND column_name = 'tags'"
      ).first)
    for column in ["none", "tags", "moments", "numbers", "scores", "point_x", "point_labels", "kind", "coded", "data"] {
      let values = try store.column("SELECT DISTINCT \"\(column)\"::text FROM \"\(store.schema)\".\"\(table)\"")
      #expect(values.count == 1, "\(column): \(values)")
    }
  }
}
