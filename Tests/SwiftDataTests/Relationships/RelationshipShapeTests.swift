import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// Relationships beyond those of ``ContextLibrary``: ordered, reflexive, self-inverse, with cycles of delete rules.
enum ShapeModels {
  @Model final class Playlist {
    var name: String
    @Relationship(.ordered, inverse: \Song.playlist) var songs: [Song] = []
    @Relationship(.ordered, inverse: \Label.playlists) var labels: [Label] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Song {
    var title: String
    var playlist: Playlist?
    init(_ title: String) { self.title = title }
  }

  @Model final class Label {
    var word: String
    var playlists: [Playlist] = []
    init(_ word: String) { self.word = word }
  }

  @Model final class Person {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Person.parent) var children: [Person] = []
    var parent: Person?
    /// Has no inverse.
    var hero: Hero?
    init(_ name: String) { self.name = name }
  }

  @Model final class Hero {
    var name: String
    init(_ name: String) { self.name = name }
  }

  /// A relationship that is its own inverse.
  @Model final class Friend {
    var name: String
    @Relationship(.selfInverse) var friends: [Friend] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Ring {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Ring.previous) var next: Ring?
    @Relationship(deleteRule: .cascade) var previous: Ring?
    @Relationship(deleteRule: .deny, inverse: \Lock.ring) var locks: [Lock] = []
    @Relationship(deleteRule: .noAction, inverse: \Mark.ring) var marks: [Mark] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Lock {
    var name: String
    var ring: Ring?
    init(_ name: String) { self.name = name }
  }

  @Model final class Mark {
    var name: String
    var ring: Ring?
    init(_ name: String) { self.name = name }
  }

  static let types: [any PersistentModel.Type] = [
    Playlist.self, Song.self, Label.self, Person.self, Hero.self, Friend.self, Ring.self, Lock.self, Mark.self,
  ]
}

struct ShapeWorld {
  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(ShapeModels.types), store)
    context = ModelContext(container)
  }

  var fresh: ModelContext { ModelContext(container) }

  func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    guard TestEngine.current == .file else { return }
    try Oracle.expectSound(store.url, fresh: true, sourceLocation: sourceLocation)
  }
}

@Suite("Relationships of every shape", .everyEngine)
struct RelationshipShapeTests {
  typealias Playlist = ShapeModels.Playlist
  typealias Song = ShapeModels.Song
  typealias Label = ShapeModels.Label
  typealias Person = ShapeModels.Person
  typealias Hero = ShapeModels.Hero
  typealias Friend = ShapeModels.Friend

  private func titles(_ context: ModelContext) throws -> [String]? {
    try context.all(Playlist.self).first { $0.name == "p" }?.songs.map(\.title)
  }

  @Test("CD-3.4 The order of an ordered one-to-many is saved: insert, move, remove, reassign")
  func ordered() throws {
    let world = try ShapeWorld()
    let playlist = Playlist("p")
    playlist.songs = ["a", "b", "c", "d"].map(Song.init)
    world.context.insert(playlist)
    try world.context.save()
    #expect(try titles(world.fresh) == ["a", "b", "c", "d"])

    let context = world.fresh
    let read = try #require(try context.all(Playlist.self).first)
    read.songs.insert(Song("x"), at: 1)
    try context.save()
    #expect(read.songs.map(\.title) == ["a", "x", "b", "c", "d"])
    #expect(try titles(world.fresh) == ["a", "x", "b", "c", "d"])
    read.songs.append(read.songs.remove(at: 0))
    try context.save()
    #expect(try titles(world.fresh) == ["x", "b", "c", "d", "a"])
    read.songs.remove(at: 2)
    try context.save()
    #expect(try titles(world.fresh) == ["x", "b", "d", "a"])
    read.songs = read.songs.reversed() + [Song("y")]
    try context.save()
    #expect(try titles(world.fresh) == ["a", "d", "b", "x", "y"])
    read.songs.swapAt(0, 4)
    #expect(context.hasChanges)
    context.rollback()
    #expect(read.songs.map(\.title) == ["a", "d", "b", "x", "y"])
    try world.check()
  }

  @Test("CD-3.4 Setting a to-one side appends to its ordered inverse, loaded or not", arguments: [true, false])
  func orderedByOneSide(isLoaded: Bool) throws {
    let world = try ShapeWorld()
    let playlist = Playlist("p")
    playlist.songs = ["a", "b"].map(Song.init)
    let other = Playlist("q")
    other.songs = [Song("c")]
    world.context.insert(playlist)
    world.context.insert(other)
    try world.context.save()
    let context = world.fresh
    let read = try #require(try context.first(Playlist.self, where: #Predicate { $0.name == "p" }))
    if isLoaded { #expect(read.songs.count == 2) }
    let song = try #require(try context.first(Song.self, where: #Predicate { $0.title == "c" }))
    song.playlist = read
    let new = Song("d")
    new.playlist = read
    context.insert(new)
    try context.save()
    #expect(try titles(world.fresh) == ["a", "b", "c", "d"])
    #expect(read.songs.map(\.title) == ["a", "b", "c", "d"])
    try world.check()
  }

  @Test("CD-3.4 An ordered many-to-many keeps its order, and shares members")
  func orderedManyToMany() throws {
    let world = try ShapeWorld()
    let labels = ["1", "2", "3"].map(Label.init)
    let playlists = ["p", "q"].map(Playlist.init)
    playlists.forEach { world.context.insert($0) }
    playlists[0].labels = [labels[2], labels[0]]
    playlists[1].labels = [labels[1], labels[2]]
    try world.context.save()
    func words(_ name: String) throws -> [String] {
      try world.fresh.first(Playlist.self, where: #Predicate { $0.name == name })?.labels.map(\.word) ?? []
    }
    #expect(try [words("p"), words("q")] == [["3", "1"], ["2", "3"]])
    playlists[0].labels.insert(labels[1], at: 1)
    playlists[1].labels.reverse()
    try world.context.save()
    #expect(try [words("p"), words("q")] == [["3", "2", "1"], ["3", "2"]])
    labels[0].playlists.append(playlists[1])
    labels[2].playlists.removeAll()
    try world.context.save()
    #expect(try [words("p"), words("q")] == [["2", "1"], ["2", "1"]])
    try world.check()
  }

  @Test("CD-3.3 Friends: a relationship that is its own inverse")
  func friends() throws {
    let world = try ShapeWorld()
    let people = ["a", "b", "c"].map(Friend.init)
    people.forEach { world.context.insert($0) }
    people[0].friends = [people[1], people[2]]
    #expect(people[1].friends == [people[0]])
    try world.context.save()
    func friends(_ name: String) throws -> [String] {
      try world.fresh.first(Friend.self, where: #Predicate { $0.name == name })?.friends.map(\.name).sorted() ?? []
    }
    #expect(try [friends("a"), friends("b"), friends("c")] == [["b", "c"], ["a"], ["a"]])
    people[1].friends.append(people[2])
    people[2].friends.removeAll { $0 === people[0] }
    try world.context.save()
    #expect(try [friends("a"), friends("b"), friends("c")] == [["b"], ["a", "c"], ["b"]])
    people[0].friends.append(people[0])
    try world.context.save()
    #expect(try friends("a") == ["a", "b"])
    world.context.delete(people[1])
    #expect(people[2].friends.count == 1)
    try world.context.save()
    #expect(try [friends("a"), friends("c")] == [["a"], []])
    try world.check()
  }

  @Test("CD-3.2 Parents and children of one class, and a to-one without inverse")
  func reflexive() throws {
    let world = try ShapeWorld()
    let root = Person("root")
    let child = Person("child")
    let grandchild = Person("grandchild")
    child.children = [grandchild]
    root.children = [child]
    let hero = Hero("hero")
    root.hero = hero
    world.context.insert(root)
    try world.context.save()
    let context = world.fresh
    let read = try #require(try context.first(Person.self, where: #Predicate { $0.name == "root" }))
    #expect(read.children.first?.children.first?.name == "grandchild" && read.hero?.name == "hero")
    #expect(read.children.first?.parent === read)
    // Moves the grandchild to the root, then deletes the child, then the root.
    let lifted = try #require(read.children.first?.children.first)
    lifted.parent = read
    try context.save()
    #expect(read.children.count == 2)
    context.delete(try #require(read.children.first { $0.name == "child" }))
    try context.save()
    #expect(try world.fresh.all(Person.self).map(\.name).sorted() == ["grandchild", "root"])
    context.delete(read)
    try context.save()
    #expect(try world.fresh.all(Person.self).isEmpty)
    #expect(try world.fresh.all(Hero.self).map(\.name) == ["hero"])
    try world.check()
  }

  @Test("CD-3.1 After its destination is deleted, a to-one without inverse reads as nil and can be set")
  func withoutInverse() throws {
    let world = try ShapeWorld()
    let person = Person("a")
    person.hero = Hero("hero")
    world.context.insert(person)
    try world.context.save()
    world.context.delete(try #require(person.hero))
    try world.context.save()
    #expect(person.hero == nil)
    let read = try #require(try world.fresh.all(Person.self).first)
    #expect(read.hero == nil)
    person.name = "b"
    person.hero = Hero("another")
    try world.context.save()
    #expect(try world.fresh.first(Person.self, where: #Predicate { $0.name == "b" })?.hero?.name == "another")
    try world.check()
  }

  @Test("CD-3.1 Two one-to-one relationships exchange their partners")
  func swap() throws {
    let world = try World()
    let books = ["1", "2"].map { Book($0) }
    for (book, colour) in zip(books, ["red", "blue"]) {
      book.cover = Cover(colour)
      world.context.insert(book)
    }
    try world.context.save()
    (books[0].cover, books[1].cover) = (books[1].cover, books[0].cover)
    #expect(books.map { $0.cover?.colour } == ["blue", "red"])
    #expect(books[0].cover?.book === books[0] && books[1].cover?.book === books[1])
    try world.context.save()
    let again = try world.fresh.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(again.map { $0.cover?.colour } == ["blue", "red"])
    books[0].cover = nil
    world.context.rollback()
    #expect(books[0].cover?.colour == "blue" && books[0].cover?.book === books[0])
    try world.check()
  }

  @Test(
    "CD-3.1 A one-to-one stored on one side only is read, changed and deleted from both sides",
    arguments: [
      "UPDATE ZBOOK SET ZCOVER = NULL", "UPDATE ZCOVER SET ZBOOK = NULL",
    ])
  func oneSide(sql: String) throws {
    guard TestEngine.current == .file else { return }
    let world = try World()
    for (title, colour) in [("1", "red"), ("2", "blue"), ("3", "green")] {
      let book = Book(title)
      book.cover = Cover(colour)
      world.context.insert(book)
    }
    try world.context.save()
    try Connection(path: world.store.url.path, mode: .readWrite).execute(sql)

    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    #expect(books.map { $0.cover?.colour } == ["red", "blue", "green"])
    #expect(books.allSatisfy { $0.cover?.book === $0 })
    #expect(try context.first(Book.self, where: #Predicate { $0.cover?.colour == "blue" }) === books[1])
    #expect(try context.first(Cover.self, where: #Predicate { $0.book?.title == "3" })?.colour == "green")
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.cover == nil })) == 0)
    // The second book takes the first book's cover, and its own cover has no book. The third book is deleted.
    let blue = try #require(books[1].cover)
    books[1].cover = books[0].cover
    #expect(books[0].cover == nil && blue.book == nil)
    context.delete(books[2])
    try context.save()
    let covers = try world.fresh.fetch(FetchDescriptor<Cover>(sortBy: [SortDescriptor(\.colour)]))
    #expect(covers.map { $0.book?.title }.filter { $0 != nil } == ["2"])
    #expect(try world.fresh.all(Book.self).map { $0.cover?.colour }.count { $0 == "red" } == 1)
    try world.check()
  }

  @Test("CD-3.1 A one-to-one key that leads to no row decides: it reads as nil although the other side leads back")
  func danglingSide() throws {
    guard TestEngine.current == .file else { return }
    let world = try World()
    let book = Book("1")
    book.cover = Cover("red")
    world.context.insert(book)
    try world.context.save()
    let connection = try Connection(path: world.store.url.path, mode: .readWrite)
    try connection.execute("UPDATE ZBOOK SET ZCOVER = 99")
    #expect(try world.fresh.all(Book.self).map { $0.cover == nil } == [true])
    #expect(try world.fresh.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { $0.cover == nil })) == 1)
    #expect(try world.fresh.all(Cover.self).map { $0.book?.title } == ["1"])
    // What a repair does.
    try connection.execute("UPDATE ZBOOK SET ZCOVER = NULL")
    #expect(try world.fresh.all(Book.self).map { $0.cover?.colour } == ["red"])
  }
}
