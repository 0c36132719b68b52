import Foundation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("Policies for new objects whose unique values are taken")
struct UniquenessPolicyTests {
  /// The rows that a context's saves have merged.
  private final class Merges: @unchecked Sendable {
    private let identifiers = Mutex<[PersistentIdentifier]>([])
    private var token: (any NSObjectProtocol)?

    init(_ context: ModelContext) {
      token = NotificationCenter.default.addObserver(forName: ModelContext.didSave, object: context, queue: nil) {
        [weak self] note in
        let key = ModelContext.NotificationKey.mergedIdentifiers.rawValue
        let merged = note.userInfo?[key] as? [PersistentIdentifier] ?? []
        self?.identifiers.withLock { $0 += merged }
      }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }

    var all: [PersistentIdentifier] { identifiers.withLock { $0 } }
  }

  @Test("By default the row takes the new values, and the save tells which rows were merged")
  func upsert() throws {
    let world = try World()
    #expect(world.context.uniquenessPolicy == .upsert)
    let old = Author("Verne", born: 1)
    world.context.insert(old)
    try world.context.save()
    let merges = Merges(world.context)
    world.context.insert(Author("Verne", born: 1828))
    world.context.insert(Author("Wells"))
    try world.context.save()
    #expect(merges.all == [old.persistentModelID] && old.born == 1828)
  }

  @Test("The existing row keeps its values, and stands for the new object", arguments: [true, false])
  func keepExisting(isRegistered: Bool) throws {
    let world = try World()
    let old = Author("Verne", born: 1)
    world.context.insert(Book("1", author: old))
    try world.context.save()
    let identifier = old.persistentModelID

    let context = isRegistered ? world.context : world.fresh
    context.uniquenessPolicy = .keepExisting
    let merges = Merges(context)
    let new = Author("Verne", born: 1828)
    let book = Book("2", author: new)
    context.insert(book)
    try context.save()
    #expect(new.persistentModelID == identifier && new.born == 1 && book.author?.born == 1)
    #expect(new.books.map(\.title).sorted() == ["1", "2"] && merges.all == [identifier])
    #expect(!context.hasChanges)
    let read = try #require(try world.fresh.all(Author.self).first)
    #expect(read.born == 1 && read.books.count == 2)
    // The object is an ordinary object of the row.
    new.born = 2
    try context.save()
    #expect(try world.fresh.all(Author.self).map(\.born) == [2])
    try world.check()
  }

  @Test("Of two new objects the first one stays; a row that the same save changes keeps its change")
  func amongNewObjects() throws {
    let world = try World()
    let old = Author("Wells", born: 1)
    world.context.insert(old)
    try world.context.save()
    world.context.uniquenessPolicy = .keepExisting
    let objects = [Author("Verne", born: 1), Author("Verne", born: 2), Author("Wells", born: 3)]
    objects.forEach { world.context.insert($0) }
    old.born = 4
    try world.context.save()
    #expect(objects.map(\.born) == [1, 1, 4] && old.born == 4)
    #expect(try Set(world.fresh.all(Author.self).compactMap(\.born)) == [1, 4])
    old.born = 5
    try world.context.save()
    #expect(try Set(world.fresh.all(Author.self).compactMap(\.born)) == [1, 5])
    try world.check()
  }

  @Test("A save fails by name, changes nothing, and succeeds once the value is another")
  func fail() throws {
    let world = try World()
    world.context.insert(Author("Verne", born: 1))
    try world.context.save()
    world.context.uniquenessPolicy = .fail
    let new = Author("Verne", born: 2)
    world.context.insert(new)
    world.context.insert(Author("Wells"))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    #expect(error?.explanation?.contains("Author") == true && error?.explanation?.contains("name") == true)
    #expect(try world.fresh.all(Author.self).map(\.born) == [1])
    #expect(new.persistentModelID.storeIdentifier == nil && world.context.insertedModelsArray.count == 2)
    new.name = "Jules"
    try world.context.save()
    #expect(try world.fresh.all(Author.self).count == 3)
    // Two new objects are refused as well.
    world.context.insert(Author("Poe"))
    world.context.insert(Author("Poe"))
    #expect(throws: SwiftDataError.modelValidationFailure) { try world.context.save() }
    world.context.rollback()
    #expect(try world.fresh.all(Author.self).count == 3)
    try world.check()
  }

  @Test("A failed save tells each object whose unique values are taken, new or changed")
  func problems() throws {
    let world = try World()
    let old = ["Verne", "Wells", "Poe"].map { Author($0) }
    old.forEach { world.context.insert($0) }
    try world.context.save()
    world.context.uniquenessPolicy = .fail
    let new = ["Wells", "Hoff", "Poe", "Hoff"].map { Author($0) }
    new.forEach { world.context.insert($0) }
    func problems(of objects: [Author], sourceLocation: SourceLocation = #_sourceLocation) {
      let error = #expect(throws: SwiftDataError.modelValidationFailure, sourceLocation: sourceLocation) {
        try world.context.save()
      }
      let problems = error?.validationProblems ?? []
      #expect(problems.map(\.identifier) == objects.map(\.persistentModelID), sourceLocation: sourceLocation)
      #expect(
        problems.allSatisfy {
          $0.entityName == "Author" && $0.propertyName == "name" && $0.rule == .uniqueness
            && $0.problem == "has the value of another object, and must be unique: change one of the two"
        }, "\(problems)", sourceLocation: sourceLocation)
      #expect(error?.explanation?.contains("othing was saved") == true, sourceLocation: sourceLocation)
    }
    problems(of: [new[0], new[2], new[3]])
    world.context.rollback()
    // Whatever the policy is, a changed row cannot become another one. "Verne" becomes free by this save.
    for policy in [UniquenessPolicy.fail, .upsert] {
      world.context.uniquenessPolicy = policy
      old[0].name = "Wells"
      problems(of: [old[0]])
      old[1].name = "Hoff"
      old[2].name = "Hoff"
      problems(of: [old[2]])
      world.context.rollback()
    }
    old[0].name = "Wells"
    old[1].name = "Verne"
    try world.context.save()
    #expect(try Set(world.fresh.all(Author.self).map(\.name)) == ["Verne", "Wells", "Poe"])
    try world.check()
  }

  @Test("A discarded object's links leave the objects that they led to; members are added", arguments: [true, false])
  func discardedLinks(isRegistered: Bool) throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: PolicyModels.Coin.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let boxes = [PolicyModels.Case("a"), PolicyModels.Case("b")]
    let old = PolicyModels.Coin(1, in: boxes[0])
    old.labels = [PolicyModels.Label("x")]
    context.insert(old)
    context.insert(boxes[1])
    try context.save()

    let other = isRegistered ? context : ModelContext(container)
    let places = try other.fetch(FetchDescriptor<PolicyModels.Case>(sortBy: [SortDescriptor(\.name)]))
    #expect(places.map(\.coins.count) == [1, 0])
    other.uniquenessPolicy = .keepExisting
    let new = PolicyModels.Coin(1, in: places[1])
    new.labels = [PolicyModels.Label("y")]
    other.insert(new)
    #expect(places[1].coins.count == 1)
    try other.save()
    #expect(new.place === places[0] && new.labels.map(\.text).sorted() == ["x", "y"])
    #expect(places.map(\.coins.count) == [1, 0])
    let read = ModelContext(container)
    let coins = try read.fetch(FetchDescriptor<PolicyModels.Coin>())
    #expect(coins.map(\.place?.name) == ["a"] && coins.first?.labels.count == 2)
    try Oracle.expectSound(store.url, fresh: true)
  }
}

private enum PolicyModels {
  @Model final class Case {
    var name: String
    @Relationship(inverse: \Coin.place) var coins: [Coin] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Coin {
    @Attribute(.unique) var number: Int
    var place: Case?
    @Relationship(inverse: \Label.coins) var labels: [Label] = []

    init(_ number: Int, in place: Case?) {
      self.number = number
      self.place = place
    }
  }

  @Model final class Label {
    var text: String
    var coins: [Coin] = []
    init(_ text: String) { self.text = text }
  }
}
