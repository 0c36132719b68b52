import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Members of ordered relationships. In a relationship of many to many, one of the two sides lists the pairs, and the ordered one the order.
@Suite("Order of members", .everyEngine)
struct MemberOrderTests {
  /// The ordered side comes first by name, and the one that lists the pairs with it or not.
  @Model final class Album {
    var name: String
    @Relationship(.ordered) var tracks: [Track] = []
    @Relationship(.ordered, inverse: \Cover.album) var covers: [Cover] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Track {
    var name: String
    @Relationship(inverse: \Album.tracks) var albums: [Album] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Cover {
    var name: String
    var album: Album?
    init(_ name: String) { self.name = name }
  }

  /// The ordered side comes last by name.
  @Model final class Zine {
    @Attribute(.unique) var name: String
    @Relationship(.ordered) var authors: [Author] = []
    init(_ name: String) { self.name = name }
  }

  @Model class Author {
    var name: String
    @Relationship(inverse: \Zine.authors) var zines: [Zine] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Critic: Author {
    var paper = "Daily"
    override init(_ name: String) { super.init(name) }
  }

  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(
      Schema([Album.self, Track.self, Cover.self, Zine.self, Author.self, Critic.self]), store)
    context = ModelContext(container)
  }

  /// The names in the only album and in the only zine, as a new context reads them.
  private func saved() throws -> [[String]] {
    try context.save()
    let fresh = ModelContext(container)
    return [
      try fresh.fetch(FetchDescriptor<Album>()).flatMap { $0.tracks.map(\.name) },
      try fresh.fetch(FetchDescriptor<Zine>()).flatMap { $0.authors.map(\.name) },
    ]
  }

  @Test("A new owner keeps the order that it gets, of members that are saved and of new ones")
  func newOwner() throws {
    let tracks = ["b", "a", "d"].map(Track.init)
    let authors = ["b", "a", "d"].map(Author.init)
    tracks.forEach(context.insert)
    authors.forEach(context.insert)
    try context.save()
    let (album, zine) = (Album("album"), Zine("zine"))
    context.insert(album)
    context.insert(zine)
    album.tracks = [tracks[2], Track("c"), tracks[0], tracks[1]]
    zine.authors = [authors[2], Critic("c"), authors[0], authors[1]]
    let order = [album.tracks.map(\.name), zine.authors.map(\.name)]
    #expect(order == [["d", "c", "b", "a"], ["d", "c", "b", "a"]])
    #expect(try saved() == order)
  }

  @Test("A member that joins by its own side comes last, before the save and after it")
  func joined() throws {
    let (track, author) = (Track("z"), Author("z"))
    context.insert(track)
    context.insert(author)
    try context.save()
    let (album, zine) = (Album("album"), Zine("zine"))
    context.insert(album)
    context.insert(zine)
    album.tracks = [track]
    zine.authors = [author]
    for name in ["y", "x"] {
      let (track, critic) = (Track(name), Critic(name))
      context.insert(track)
      context.insert(critic)
      track.albums = [album]
      critic.zines = [zine]
    }
    let order = [album.tracks.map(\.name), zine.authors.map(\.name)]
    #expect(order == [["z", "y", "x"], ["z", "y", "x"]])
    #expect(try saved() == order)
  }

  @Test("Saved owners keep a new order into which new members come")
  func saving() throws {
    let (album, zine) = (Album("album"), Zine("zine"))
    album.tracks = ["a", "b", "c"].map(Track.init)
    zine.authors = ["a", "b", "c"].map(Author.init)
    context.insert(album)
    context.insert(zine)
    #expect(try saved() == [["a", "b", "c"], ["a", "b", "c"]])
    album.tracks.insert(Track("n"), at: 1)
    album.tracks.swapAt(0, 3)
    zine.authors.insert(Critic("n"), at: 1)
    zine.authors.swapAt(0, 3)
    #expect(try saved() == [["c", "n", "b", "a"], ["c", "n", "b", "a"]])
    if TestEngine.current == .file { try Oracle.expectSound(store.url, fresh: true) }
  }

  @Test("Members stay where they are when a member before them is deleted: their rows do not change")
  func deletion() throws {
    let album = Album("album")
    context.insert(album)
    album.covers = ["a", "b", "c"].map(Cover.init)
    album.tracks = ["a", "b", "c"].map(Track.init)
    try context.save()
    context.delete(album.covers[0])
    context.delete(album.tracks[0])
    try context.save()
    let other = ModelContext(container)
    let read = try #require(try other.fetch(FetchDescriptor<Album>()).first)
    #expect(read.covers.map(\.name) == ["b", "c"] && read.tracks.map(\.name) == ["b", "c"])
    #expect(read.covers.map { $0._$state.version } == [1, 1])
  }

  @Test("An owner that a save merges with a saved one has the members of both, in one order")
  func mergedOwner() throws {
    let zine = Zine("zine")
    context.insert(zine)
    try context.save()
    let new = Zine("zine")
    context.insert(new)
    new.authors = ["b", "a"].map(Author.init)
    zine.authors = ["d", "c"].map(Author.init)
    #expect(try saved()[1] == ["d", "c", "b", "a"])
  }
}
