import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite(
  "Predicates in NSPredicate's format", .everyEngine,
  .damagesStores("derived attributes with a filter, whose hash the checker does not compute"))
struct PredicateFormatTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema(versionedSchema: Vocabulary.Version.self), store)
    context = ModelContext(container)
    let first = Vocabulary.Shelf(name: "First", room: 1)
    first.place = Vocabulary.Place(city: "Rome", latitude: 41.5, inner: Vocabulary.Inner(code: 3))
    let second = Vocabulary.Shelf(name: "Second", room: 2)
    for (title, pages, shelf) in [("Émile", 10, first), ("emma", 20, first), ("Odyssey", 30, second)] {
      context.insert(Vocabulary.Volume(title: title, pages: pages, shelf: shelf))
    }
    context.insert(Vocabulary.Volume(title: "Alone", pages: 40))
    try context.save()
  }

  static let volumes: [(format: String, titles: [String])] = [
    ("pages > 20", ["Alone", "Odyssey"]), ("pages BETWEEN {10, 20}", ["emma", "Émile"]),
    ("pages IN {10, 40}", ["Alone", "Émile"]), ("title == 'emma'", ["emma"]),
    ("title != 'emma'", ["Alone", "Odyssey", "Émile"]), ("title CONTAINS[cd] 'em'", ["emma", "Émile"]),
    ("title BEGINSWITH[cd] 'e'", ["emma", "Émile"]), ("title BEGINSWITH 'e'", ["emma"]),
    ("title ENDSWITH 'e'", ["Alone", "Émile"]), ("title LIKE '*ss*'", ["Odyssey"]),
    ("title MATCHES 'e?m+a'", ["emma"]), ("title =[c] 'EMMA'", ["emma"]), ("shelf == nil", ["Alone"]),
    ("shelf != nil AND NOT pages == 10", ["Odyssey", "emma"]), ("shelf.name == 'First'", ["emma", "Émile"]),
    ("shelf.room >= 2", ["Odyssey"]), ("shelf.books.@count == 2", ["emma", "Émile"]),
    ("ANY shelf.books.pages > 15", ["Odyssey", "emma", "Émile"]), ("shelf.place.city == 'Rome'", ["emma", "Émile"]),
    ("shelf.place.inner.code == 3", ["emma", "Émile"]), ("pages + 1 == 11 OR pages * 2 == 80", ["Alone", "Émile"]),
    ("title.length == 7", ["Odyssey"]), ("true == true", ["Alone", "Odyssey", "emma", "Émile"]),
    ("SUBQUERY(shelf.books, $b, $b.pages > 15 AND $b != SELF).@count == 1", ["Émile"]),
    ("shelf.books.@avg.pages == 15", ["emma", "Émile"]), ("NONE shelf.books.pages < 30", ["Alone", "Odyssey"]),
    ("pages / 4 == 2.5", ["Émile"]), ("title MATCHES[c] 'E.*A'", ["emma"]),
    ("modulus:by:(pages, 20) == 0", ["emma", "Alone"]),
    ("modulus:by:(pages, 9223372036854775808) == pages", ["Alone", "Odyssey", "emma", "Émile"]),
    ("modulus:by:(pages * 1e300, 10) == 7", ["Alone", "Odyssey", "emma", "Émile"]),
    ("modulus:by:(0 - pages * 1e300, 10) == -8", ["Alone", "Odyssey", "emma", "Émile"]),
    ("FALSEPREDICATE", []), ("self.pages == 30", ["Odyssey"]),
  ]

  @Test("A format selects the same objects in the store and in memory", arguments: volumes)
  func selection(format: String, titles: [String]) throws {
    let descriptor = try FetchDescriptor<Vocabulary.Volume>(format: format)
    #expect(try context.fetch(descriptor).map(\.title).sorted() == titles.sorted())
    // A pending object makes the context evaluate in memory too.
    context.insert(Vocabulary.Volume(title: "new", pages: 1000))
    for volume in try context.fetch(FetchDescriptor<Vocabulary.Volume>()) { volume.title = volume.title + "" }
    let pending = try context.fetch(descriptor).map(\.title).filter { $0 != "new" }
    #expect(pending.sorted() == titles.sorted())
  }

  @Test("A result that is not-a-number equals no number, also for a pending object") func notANumber() throws {
    context.insert(Vocabulary.Volume(title: "new", pages: 1000))
    let format = "pages * 1e308 * 10 - pages * 1e308 * 10 == 5"
    #expect(try context.fetch(FetchDescriptor<Vocabulary.Volume>(format: format)).map(\.title) == [])
  }

  @Test("Variables take values, objects and lists") func variables() throws {
    let shelf = try #require(
      try context.fetch(FetchDescriptor<Vocabulary.Shelf>(format: "name == $N", ["N": "First"])).first)
    let own = try context.fetch(FetchDescriptor<Vocabulary.Volume>(format: "shelf = $S", ["S": shelf]))
    #expect(own.count == 2)
    let byIdentifier = try FetchDescriptor<Vocabulary.Volume>(
      format: "shelf IN $ALL AND pages > $P", ["ALL": [shelf.persistentModelID], "P": 15])
    #expect(try context.fetch(byIdentifier).map(\.title) == ["emma"])
  }

  @Test("A format that cannot be parsed throws an error", arguments: ["pages >", "pages > $P", "nonsense ==== 3"])
  func errors(format: String) {
    #expect(throws: SwiftDataError.unsupportedPredicate) { try FetchDescriptor<Vocabulary.Volume>(format: format) }
  }

  @Test("A chain of operations gives its result or an error, whatever its length", arguments: [50, 150, 250, 40_000])
  func chains(count: Int) throws {
    let format = "pages\(String(repeating: " + 1", count: count)) == \(count + 30)"
    func titles() throws -> [String] {
      try context.fetch(FetchDescriptor<Vocabulary.Volume>(format: format)).map(\.title)
    }
    do { #expect(try titles() == ["Odyssey"]) } catch {
      #expect(error as? SwiftDataError == .unsupportedPredicate && count > 50)
    }
  }

  @Test("A path that leads nowhere is an error when fetching") func unknownPath() throws {
    let descriptor = try FetchDescriptor<Vocabulary.Volume>(format: "author.name == 'x'")
    #expect(throws: SwiftDataError.unsupportedPredicate) { try context.fetch(descriptor) }
  }
}
