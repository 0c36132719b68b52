import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// One unsaved change costs what it concerns, not the objects of the whole class.
@Suite("Values, identifiers and far offsets beside unsaved changes", .everyEngine)
struct PendingRowTests {
  @Model final class Song {
    var title: String
    var length: Int
    var album: Album?

    init(_ title: String, length: Int, album: Album? = nil) {
      self.title = title
      self.length = length
      self.album = album
    }
  }

  @Model final class Album {
    var name: String
    var label: Label?
    @Relationship(inverse: \Song.album) var songs: [Song] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Label {
    var name: String
    @Relationship(inverse: \Album.label) var albums: [Album] = []
    init(_ name: String) { self.name = name }
  }

  struct Line: Decodable, Equatable {
    struct Record: Decodable, Equatable { let name: String }
    let title: String
    let length: Int
    let album: Record?

    init(_ song: Song) { (title, length, album) = (song.title, song.length, song.album.map { Record(name: $0.name) }) }
  }

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema([Song.self, Album.self, Label.self]), store)
    let context = ModelContext(container)
    let albums = ["A", "B", "C"].map { Album($0) }
    for album in albums { album.label = Label("\(album.name) Records") }
    for number in 0..<60 {
      context.insert(Song("song \(number)", length: number % 15, album: number % 7 == 0 ? nil : albums[number % 3]))
    }
    try context.save()
  }

  @Test("A changed object counts where values are read through it, and no condition names it")
  func throughChanges() throws {
    let context = ModelContext(container)
    let album = try #require(context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.name == "A" })).first)
    album.name = "B"
    album.label?.name = "Other"
    func check() throws {
      let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]))
      let groups = Dictionary(grouping: songs, by: \.album?.name).mapValues(\.count)
      #expect(try context.aggregate(Song.self, by: \.album?.name, .count) == groups)
      let labels = Dictionary(grouping: songs, by: \.album?.label?.name).mapValues { $0.map(\.length).max() }
      #expect(try context.aggregate(Song.self, by: \.album?.label?.name, .maximum(\.length)) == labels)
      #expect(try context.count(distinct: \Song.album?.name) == groups.keys.count { $0 != nil })
      #expect(try context.minimum(of: \Song.album?.label?.name) == songs.compactMap { $0.album?.label?.name }.min())
      let byTitle = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)])
      #expect(try context.fetchValues(byTitle, \.album?.name) == songs.map { $0.album?.name })
      #expect(try context.fetchValues(byTitle, as: Line.self) == songs.map { Line($0) })
    }
    try check()
    context.delete(album)
    try check()
  }

  @Test(
    "Values and identifiers come in the order of the objects, in every part",
    arguments: 0..<(FullTests.areWanted ? 20 : 2) as Range<UInt64>)
  func order(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let context = ModelContext(container)
    let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]))
    for _ in 0..<random.below(12) {
      let song = songs[random.below(songs.count)]
      switch random.below(4) {
      case 0: context.delete(song)
      case 1: song.length = random.below(15)
      case 2: song.title = "song \(random.below(60))x"
      default: context.insert(Song("new \(random.below(9))", length: random.below(15)))
      }
    }
    if seed % 2 == 0 { songs.first { $0.album != nil }?.album?.name = "Z" }
    let orders: [[SortDescriptor<Song>]] = [
      [], [SortDescriptor(\.length, order: .reverse), SortDescriptor(\.title)],
      [SortDescriptor(\.album?.name), SortDescriptor(\.length)],
    ]
    let predicate = seed % 4 < 2 ? #Predicate<Song> { $0.length > 6 } : #Predicate { $0.album?.name != "B" }
    for order in orders {
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: order)
      let all = try context.fetch(descriptor)
      for (limit, offset) in [(nil, 0), (7, random.below(50)), (3, 1000)] as [(Int?, Int)] {
        descriptor.fetchLimit = limit
        descriptor.fetchOffset = offset
        let part = all.dropFirst(offset).prefix(limit ?? .max)
        #expect(try context.fetch(descriptor) == Array(part))
        #expect(try context.fetchValues(descriptor, \.title) == part.map(\.title))
        #expect(try context.fetchValues(descriptor, as: Line.self) == part.map { Line($0) })
        guard order.isEmpty else { continue }
        #expect(try context.fetchIdentifiers(descriptor) == part.map(\.persistentModelID))
      }
    }
  }

  @Test("An object that others saved counts with the values that it has in this context")
  func outdated() throws {
    let context = ModelContext(container)
    // Under the other policies the object takes the values that others saved.
    context.conflictPolicy = .overwrite
    let album = try #require(context.fetch(FetchDescriptor<Album>(predicate: #Predicate { $0.name == "A" })).first)
    _ = album.label?.name
    album.name = "Z"
    let other = ModelContext(container)
    let labels = try other.fetch(FetchDescriptor<Label>(sortBy: [SortDescriptor(\.name)]))
    labels[0].albums[0].label = labels[1]
    try other.save()
    let values = try context.fetchValues(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]), \.album?.label?.name)
    let groups = try context.aggregate(Song.self, by: \.album?.label?.name, .count)
    let ofLabel = FetchDescriptor<Song>(predicate: #Predicate { $0.album?.label?.name == "A Records" })
    let count = try context.fetchCount(ofLabel)
    let songs = try context.fetch(FetchDescriptor<Song>(sortBy: [SortDescriptor(\.title)]))
    #expect(album.label?.name == "A Records" && count == songs.count { $0.album == album })
    #expect(values == songs.map { $0.album?.label?.name })
    #expect(groups == Dictionary(grouping: songs, by: \.album?.label?.name).mapValues(\.count))
  }

  @Test("A row without an unsaved object's values does not decide whether a type decodes")
  func decodingErrors() throws {
    struct Placed: Decodable {
      let title: String
      let album: Line.Record
    }
    let context = ModelContext(container)
    for song in try context.fetch(FetchDescriptor<Song>(predicate: #Predicate { $0.album == nil })) {
      song.album = Album("New")
    }
    #expect(try context.fetchValues(FetchDescriptor<Song>(), as: Placed.self).count == 60)
    context.rollback()
    #expect(throws: DecodingError.self) { try context.fetchValues(FetchDescriptor<Song>(), as: Placed.self) }
  }

  @Test("The number of different values reads each value once")
  func differentValues() throws {
    guard TestEngine.current == .file else { return }
    let context = ModelContext(container)
    context.insert(Song("new", length: 100))
    let statements = try ContainerStatements(container)
    let queries = try statements.queries {
      let (lengths, names, sum) = try context.aggregate(
        Song.self, .count(distinct: \.length), .count(distinct: \Song.album?.name), .sum(\.length))
      #expect(lengths == 16 && names == 3 && sum == 520)
    }
    #expect(queries.last?.contains("GROUP BY") == true)
  }

  @Test("No object is loaded for values, and few for identifiers and far offsets")
  func cost() throws {
    guard TestEngine.current == .file else { return }
    func loaded(_ body: (ModelContext) throws -> Void) throws -> Int {
      let context = ModelContext(container)
      let song = try #require(
        context.fetch(FetchDescriptor<Song>(predicate: #Predicate { $0.title == "song 5" })).first)
      song.length = 14
      context.insert(Song("new", length: 3))
      try body(context)
      return withExtendedLifetime(song) { context.core.identityMap.count }
    }
    let byLength = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.length)])
    var far = byLength
    far.fetchOffset = 50
    far.fetchLimit = 4
    let identifiers = try loaded { try #require($0.fetchIdentifiers(FetchDescriptor<Song>()).count == 61) }
    let titles = try loaded { try #require($0.fetchValues(FetchDescriptor<Song>(), \.title).count == 61) }
    #expect(identifiers == 1 && titles == 1)
    // Besides the changed object: the rows with which both objects are compared, and the part itself.
    let lengths = try loaded { try #require($0.fetchValues(byLength, \.length).last == 14) }
    let lines = try loaded { try #require($0.fetchValues(byLength, as: Line.self).count == 61) }
    let part = try loaded { [far] in try #require($0.fetch(far).map(\.length) == [12, 12, 13, 13]) }
    #expect(lengths < 20 && lines < 20 && part < 10)
    // The objects look for their places together.
    let context = ModelContext(container)
    for number in 0..<8 { context.insert(Song("new", length: number * 2)) }
    let statements = try ContainerStatements(container)
    let queries = try statements.queries { try #require(context.fetchValues(byLength, \.length).last == 14) }
    #expect(queries.count <= 8)
  }

  @Test("A class of several stores gives the values of each store, and sorts by stored values if it shall")
  func severalStores() throws {
    guard TestEngine.current == .file else { return }
    let schema = Schema([Song.self, Album.self, Label.self])
    let second = try TemporaryStore()
    let container = try ModelContainer(
      for: schema,
      configurations: ModelConfiguration("first", schema: schema, url: second.url.appendingPathExtension("1")),
      ModelConfiguration("second", schema: schema, url: second.url.appendingPathExtension("2")))
    let context = ModelContext(container)
    for number in 0..<20 { context.insert(Song("song \(number)", length: number)) }
    try context.save()
    let fresh = ModelContext(container)
    fresh.insert(Song("new", length: 3))
    #expect(
      try fresh.fetchValues(FetchDescriptor<Song>(), \.title) == fresh.fetch(FetchDescriptor<Song>()).map(\.title))
    // A fetch that ignores unsaved changes sorts the objects of both stores by their stored values.
    var saved = FetchDescriptor<Song>(sortBy: [SortDescriptor(\.length)])
    saved.includePendingChanges = false
    saved.fetchLimit = 3
    let first = try #require(fresh.fetch(saved).first)
    first.length = 100
    #expect(try fresh.fetch(saved).map(\.title) == ["song 0", "song 1", "song 2"])
  }
}
