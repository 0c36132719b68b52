import Foundation
import SwiftData
import Testing

/// The four rules for the destinations of a deleted object.
@Suite("Delete rules")
struct DeleteRulesTests {
  @Model final class Shelf {
    var name: String
    @Relationship(deleteRule: .nullify, inverse: \Jar.shelf) var jars: [Jar] = []
    @Relationship(deleteRule: .deny, inverse: \Lock.shelf) var locks: [Lock] = []
    @Relationship(deleteRule: .noAction, inverse: \Label.shelf) var labels: [Label] = []
    init(name: String) { self.name = name }
  }

  @Model final class Jar {
    var shelf: Shelf?
    init() {}
  }

  @Model final class Lock {
    var shelf: Shelf?
    init() {}
  }

  @Model final class Label {
    var shelf: Shelf?
    init() {}
  }

  private func shelf(in store: ChapterStore, _ fill: (Shelf) -> Void) throws -> Shelf {
    let shelf = Shelf(name: "top")
    store.context.insert(shelf)
    fill(shelf)
    try store.context.save()
    return shelf
  }

  @Test(arguments: ChapterPlace.allCases)
  func `nullify clears the link`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Shelf.self)
    store.context.delete(try shelf(in: store) { $0.jars = [Jar(), Jar()] })
    try store.context.save()
    let jars = try store.freshContext().fetch(FetchDescriptor<Jar>())
    #expect(jars.count == 2)
    #expect(jars.allSatisfy { $0.shelf == nil })
  }

  @Test(arguments: ChapterPlace.allCases)
  func `deny refuses the save while there are members`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Shelf.self)
    let shelf = try shelf(in: store) { $0.locks = [Lock()] }
    let lock = try #require(shelf.locks.first)
    store.context.delete(shelf)
    #expect(throws: (any Error).self) { try store.context.save() }
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Shelf>()) == 1)

    store.context.delete(lock)
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Shelf>()) == 0)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `no action leaves the members as they are`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Shelf.self)
    store.context.delete(try shelf(in: store) { $0.labels = [Label()] })
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Label>()) == 1)
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Shelf>()) == 0)
  }
}
