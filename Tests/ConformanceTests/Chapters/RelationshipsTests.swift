import Foundation
import SwiftData
import Testing

/// Relationships are properties; one side says the inverse, and both sides follow.
@Suite("Relationships")
struct RelationshipsTests {
  @Model final class Painter {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Painting.painter) var paintings: [Painting]
    init(name: String) {
      self.name = name
      self.paintings = []
    }
  }

  @Model final class Painting {
    var title: String
    var painter: Painter?
    init(title: String) { self.title = title }
  }

  @Model final class Musician {
    var name: String
    @Relationship(inverse: \Ensemble.musicians) var ensembles: [Ensemble]
    init(name: String) {
      self.name = name
      self.ensembles = []
    }
  }

  @Model final class Ensemble {
    var title: String
    var musicians: [Musician]
    init(title: String) {
      self.title = title
      self.musicians = []
    }
  }

  @Model final class Region {
    var name: String
    var parent: Region?
    @Relationship(deleteRule: .cascade, inverse: \Region.parent) var children: [Region]
    init(name: String, parent: Region? = nil) {
      self.name = name
      self.parent = parent
      self.children = []
    }

    var path: String { parent.map { "\($0.path) > \(name)" } ?? name }
  }

  @Model final class Passenger {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Passport.passenger) var passport: Passport?
    init(name: String) { self.name = name }
  }

  @Model final class Passport {
    var number: String
    var passenger: Passenger?
    init(number: String) { self.number = number }
  }

  @Test(arguments: ChapterPlace.allCases)
  func `one to many: either side sets the other`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Painter.self)
    let painter = Painter(name: "Sofonisba")
    store.context.insert(painter)
    let (first, second) = (Painting(title: "Chess"), Painting(title: "Portrait"))
    painter.paintings.append(first)
    second.painter = painter
    #expect(first.painter === painter)
    #expect(Set(painter.paintings.map(\.title)) == ["Chess", "Portrait"])
    try store.context.save()

    let read = try #require(try store.freshContext().fetch(FetchDescriptor<Painter>()).first)
    #expect(Set(read.paintings.map(\.title)) == ["Chess", "Portrait"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a cascade deletes the members too`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Painter.self)
    let painter = Painter(name: "Judith")
    painter.paintings = [Painting(title: "a"), Painting(title: "b")]
    store.context.insert(painter)
    store.context.insert(Painting(title: "anonymous"))
    try store.context.save()
    store.context.delete(painter)
    try store.context.save()
    #expect(try store.freshContext().fetch(FetchDescriptor<Painting>()).map(\.title) == ["anonymous"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `many to many: an appended member sees the inverse`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Musician.self, Ensemble.self)
    let (quartet, band) = (Ensemble(title: "Quartet"), Ensemble(title: "Band"))
    let (iris, otto) = (Musician(name: "Iris"), Musician(name: "Otto"))
    for model in [iris, otto] { store.context.insert(model) }
    iris.ensembles.append(quartet)
    iris.ensembles.append(band)
    otto.ensembles.append(band)
    #expect(Set(band.musicians.map(\.name)) == ["Iris", "Otto"])
    try store.context.save()

    let context = store.freshContext()
    let read = try context.fetch(FetchDescriptor<Ensemble>(sortBy: [SortDescriptor(\.title)]))
    #expect(read.map { $0.musicians.count } == [2, 1])
    // Without a delete rule the members stay, and lose the link.
    context.delete(read[0])
    try context.save()
    let musicians = try store.freshContext().fetch(FetchDescriptor<Musician>(sortBy: [SortDescriptor(\.name)]))
    #expect(musicians.map { $0.ensembles.count } == [1, 0])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a class may be related to itself`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Region.self)
    let world = Region(name: "World")
    store.context.insert(world)
    let europe = Region(name: "Europe", parent: world)
    let norway = Region(name: "Norway", parent: europe)
    #expect(norway.path == "World > Europe > Norway")
    #expect(world.children.map(\.name) == ["Europe"])
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Region>()) == 3)
    store.context.delete(europe)
    try store.context.save()
    #expect(try store.freshContext().fetch(FetchDescriptor<Region>()).map(\.name) == ["World"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `one to one: the former partner loses the link`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Passenger.self)
    let (first, second) = (Passenger(name: "Ann"), Passenger(name: "Bo"))
    let passport = Passport(number: "X1")
    for passenger in [first, second] { store.context.insert(passenger) }
    first.passport = passport
    #expect(passport.passenger === first)
    second.passport = passport
    #expect(first.passport == nil)
    try store.context.save()
    store.context.delete(second)
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Passport>()) == 0)
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Passenger>()) == 1)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `objects reached from an inserted one are inserted`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Painter.self)
    let painting = Painting(title: "Still life")
    painting.painter = Painter(name: "Clara")
    store.context.insert(painting)
    #expect(painting.painter?.modelContext === store.context)
    try store.context.save()
    #expect(try store.freshContext().fetch(FetchDescriptor<Painter>()).map(\.paintings.count) == [1])
  }
}
