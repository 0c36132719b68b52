import Foundation
import SwiftData
import Testing

/// Limits, pages, partial objects, prefetching, batches, indexes.
@Suite("Fetching less")
struct FetchingLessTests {
  @Model final class Album {
    #Index<Album>([\.released], [\.genre, \.released])
    #Unique<Album>([\.title, \.released])
    var title: String
    var released: Date
    var genre: String
    var plays: Int
    var band: Band?
    @Relationship(inverse: \Listener.albums) var listeners: [Listener] = []
    init(title: String, released: Date, genre: String = "jazz") {
      self.title = title
      self.released = released
      self.genre = genre
      self.plays = 0
    }
  }

  @Model final class Band {
    var name: String
    @Relationship(inverse: \Album.band) var albums: [Album] = []
    init(name: String) { self.name = name }
  }

  @Model final class Listener {
    var name: String
    var albums: [Album] = []
    init(name: String) { self.name = name }
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Album.self, Band.self, Listener.self)
    let (band, listener) = (Band(name: "Duo"), Listener(name: "Kim"))
    for day in 1...95 {
      let album = Album(title: "Album \(day)", released: .january(day))
      album.band = band
      album.listeners = [listener]
      store.context.insert(album)
    }
    try store.context.save()
    return store
  }

  private func page(_ number: Int, size: Int) -> FetchDescriptor<Album> {
    var descriptor = FetchDescriptor<Album>(sortBy: [SortDescriptor(\.released, order: .reverse)])
    descriptor.fetchLimit = size
    descriptor.fetchOffset = number * size
    return descriptor
  }

  @Test(arguments: ChapterPlace.allCases)
  func `pages follow one another without gaps`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    var (days, number) = ([Date](), 0)
    while case let albums = try context.fetch(page(number, size: 25)), !albums.isEmpty {
      days += albums.map(\.released)
      number += 1
    }
    #expect(number == 4)
    #expect(days == (1...95).reversed().map(Date.january))
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a count obeys the predicate and costs no objects`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let early = Date.january(11)
    let context = store.freshContext()
    #expect(try context.fetchCount(FetchDescriptor<Album>(predicate: #Predicate { $0.released < early })) == 10)
    #expect(try context.fetchCount(FetchDescriptor<Album>()) == 95)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `properties that were not fetched are read when they are asked for`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    var descriptor = page(0, size: 50)
    descriptor.propertiesToFetch = [\.title, \.released]
    descriptor.fetchOffset = 20
    let albums = try store.freshContext().fetch(descriptor)
    #expect(albums.count == 50)
    #expect(albums.first?.title == "Album 75")
    #expect(albums.first?.genre == "jazz")
    #expect(albums.first?.band?.name == "Duo")
  }

  @Test(arguments: ChapterPlace.allCases)
  func `prefetched relationships are the same objects`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    var descriptor = page(0, size: 20)
    descriptor.relationshipKeyPathsForPrefetching = [\.band, \.listeners]
    let albums = try store.freshContext().fetch(descriptor)
    #expect(Set(albums.compactMap(\.band)).count == 1)
    #expect(albums.allSatisfy { $0.listeners.map(\.name) == ["Kim"] })
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a big table is changed page by page`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    context.autosaveEnabled = false
    let descriptor = FetchDescriptor<Album>()
    let size = 30
    var offset = 0
    while true {
      var batch = descriptor
      batch.fetchOffset = offset
      batch.fetchLimit = size
      let albums = try context.fetch(batch)
      if albums.isEmpty { break }
      for album in albums { album.plays += 1 }
      try context.save()
      offset += size
    }
    #expect(try store.freshContext().fetch(descriptor).allSatisfy { $0.plays == 1 })
  }

  @Test(arguments: ChapterPlace.allCases)
  func `batches and identifiers need no whole result`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    var seen = 0
    try context.enumerate(FetchDescriptor<Album>(), batchSize: 10) { seen += $0.title.isEmpty ? 0 : 1 }
    #expect(seen == 95)
    let identifiers = try context.fetchIdentifiers(page(0, size: 2))
    #expect(identifiers.compactMap { (context.model(for: $0) as? Album)?.title } == ["Album 95", "Album 94"])
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `two properties are unique together`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    context.insert(Album(title: "Album 1", released: .january(1), genre: "folk"))
    context.insert(Album(title: "Album 1", released: .january(200), genre: "folk"))
    try context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Album>()) == 96)
    let folk = FetchDescriptor<Album>(predicate: #Predicate { $0.genre == "folk" })
    #expect(try store.freshContext().fetchCount(folk) == 2)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `the schema tells indexes and constraints`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let entity = try #require(store.container.schema.entity(for: Album.self))
    #expect(entity.indices == [["binary", "released"], ["binary", "genre", "released"]])
    #expect(entity.uniquenessConstraints == [["title", "released"]])
  }
}
