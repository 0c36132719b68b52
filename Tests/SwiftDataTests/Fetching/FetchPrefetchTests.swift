import CoreDataStore
import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

/// Prefetching, measured by the number of queries.
@Suite struct FetchPrefetchTests {
  private final class Recorder: Sendable {
    let count = Mutex(0)
  }

  @Test(
    "A path's relationships are loaded with the fetch, one query a step, and never queried again",
    .damagesStores("derived attributes with a filter, whose hash the checker does not compute"))
  func path() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Schema(versionedSchema: Vocabulary.Version.self), configurations: ModelConfiguration(url: store.url))
    let writing = ModelContext(container)
    for number in 0..<20 {
      let shelf = Vocabulary.Shelf(name: "Shelf \(number)", room: 1)
      for page in 0..<3 { writing.insert(Vocabulary.Volume(title: "Volume", pages: page, shelf: shelf)) }
    }
    try writing.save()

    let recorder = Recorder()
    try #require(container.core.stores[0].engine as? PersistentStore).read { connection in
      // The first use of a statement also looks at the version of the schema.
      try connection.onStatement { sql in if sql.hasPrefix("SELECT") { recorder.count.withLock { $0 += 1 } } }
    }
    func read(_ paths: [PartialKeyPath<Vocabulary.Volume>]) throws -> (whileFetching: Int, afterwards: Int) {
      let context = ModelContext(container)
      var descriptor = FetchDescriptor<Vocabulary.Volume>(predicate: #Predicate { $0.pages == 0 })
      descriptor.relationshipKeyPathsForPrefetching = paths
      recorder.count.withLock { $0 = 0 }
      let volumes = try context.fetch(descriptor)
      let fetching = recorder.count.withLock { $0 }
      #expect(volumes.count == 20)
      #expect(volumes.reduce(0) { $0 + ($1.shelf?.books?.count ?? 0) } == 60)
      return (fetching, recorder.count.withLock { $0 } - fetching)
    }
    let plain = try read([])
    let deep = try read([\.shelf?.books])
    // The members of the shelves come together, although no fetch has returned the shelves.
    #expect(plain.whileFetching == 1 && plain.afterwards == 2)
    #expect(deep.whileFetching == 3)
    #expect(deep.afterwards == 0)
  }

  @Test(
    "Each relationship of thousands of objects is one query",
    .damagesStores("derived attributes with a filter, whose hash the checker does not compute"))
  func many() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Schema(versionedSchema: Vocabulary.Version.self), configurations: ModelConfiguration(url: store.url))
    let writing = ModelContext(container)
    for number in 0..<2_100 {
      let shelf = Vocabulary.Shelf(name: "S\(number)", room: 1)
      writing.insert(Vocabulary.Volume(title: "Volume", pages: number, shelf: shelf))
    }
    try writing.save()
    let statements = try ContainerStatements(container)
    let context = ModelContext(container)
    var shelves = FetchDescriptor<Vocabulary.Shelf>(predicate: #Predicate { $0.room == 1 })
    shelves.relationshipKeyPathsForPrefetching = [\.books]
    var loaded: [Vocabulary.Shelf] = []
    #expect(try statements.queries { loaded = try context.fetch(shelves) }.count == 2)
    var later = statements.queries { #expect(loaded.reduce(0) { $0 + ($1.books?.count ?? 0) } == 2_100) }
    #expect(later == [])

    let other = ModelContext(container)
    var volumes = FetchDescriptor<Vocabulary.Volume>(predicate: #Predicate { $0.pages >= 0 })
    volumes.relationshipKeyPathsForPrefetching = [\.shelf]
    var read: [Vocabulary.Volume] = []
    #expect(try statements.queries { read = try other.fetch(volumes) }.count == 2)
    later = statements.queries { #expect(Set(read.compactMap { $0.shelf?.name }).count == 2_100) }
    #expect(later == [])
  }
}
