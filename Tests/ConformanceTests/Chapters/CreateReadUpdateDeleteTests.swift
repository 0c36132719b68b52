import Foundation
import SwiftData
import Testing

/// Creating, reading, updating and deleting need the object, its context and nothing more.
@Suite("Create, read, update, delete")
struct CreateReadUpdateDeleteTests {
  @Model final class Chore {
    var title: String
    var isDone: Bool
    var createdAt: Date
    init(title: String, isDone: Bool = false, createdAt: Date = Date()) {
      self.title = title
      self.isDone = isDone
      self.createdAt = createdAt
    }
  }

  private func filled(_ place: ChapterPlace, count: Int = 12) throws -> ChapterStore {
    let store = try ChapterStore(place, Chore.self)
    for day in 1...count {
      store.context.insert(Chore(title: "Chore \(day)", isDone: day.isMultiple(of: 3), createdAt: .january(day)))
    }
    try store.context.save()
    return store
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an inserted object is stored by a save`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Chore.self)
    let chore = Chore(title: "Sweep")
    store.context.insert(chore)
    #expect(chore.modelContext === store.context)
    #expect(store.context.hasChanges)
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Chore>()) == 0)
    try store.context.save()
    #expect(!store.context.hasChanges)
    #expect(try store.freshContext().fetch(FetchDescriptor<Chore>()).map(\.title) == ["Sweep"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a descriptor filters, sorts and limits`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let pending = FetchDescriptor<Chore>(
      predicate: #Predicate { !$0.isDone },
      sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    #expect(try store.context.fetch(pending).first?.title == "Chore 11")
    #expect(try store.context.fetch(pending).count == 8)

    var recent = FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.createdAt, order: .reverse)])
    recent.fetchLimit = 10
    #expect(try store.context.fetch(recent).map(\.createdAt) == (3...12).reversed().map(Date.january))
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an assignment is an update`(_ place: ChapterPlace) throws {
    let store = try filled(place, count: 1)
    let chore = try #require(try store.context.fetch(FetchDescriptor<Chore>()).first)
    chore.isDone.toggle()
    #expect(chore.hasChanges)
    #expect(store.context.changedModelsArray.count == 1)
    try store.context.save()
    #expect(try store.freshContext().fetch(FetchDescriptor<Chore>()).map(\.isDone) == [true])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a deleted object goes with the save`(_ place: ChapterPlace) throws {
    let store = try filled(place, count: 3)
    let chores = try store.context.fetch(FetchDescriptor<Chore>(sortBy: [SortDescriptor(\.createdAt)]))
    for index in IndexSet([0, 2]) { store.context.delete(chores[index]) }
    #expect(chores[0].isDeleted)
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Chore>()) == 3)
    try store.context.save()
    #expect(try store.freshContext().fetch(FetchDescriptor<Chore>()).map(\.title) == ["Chore 2"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an object is deleted through its own context`(_ place: ChapterPlace) throws {
    let store = try filled(place, count: 1)
    let chore = try #require(try store.context.fetch(FetchDescriptor<Chore>()).first)
    chore.modelContext?.delete(chore)
    try chore.modelContext?.save()
    #expect(try store.context.fetchCount(FetchDescriptor<Chore>()) == 0)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `all objects that a predicate finds are deleted at once`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    try store.context.delete(model: Chore.self, where: #Predicate { $0.isDone })
    try store.context.save()
    let remaining = try store.freshContext().fetch(FetchDescriptor<Chore>())
    #expect(remaining.count == 8)
    #expect(remaining.allSatisfy { !$0.isDone })
    try store.context.delete(model: Chore.self)
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Chore>()) == 0)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `objects are counted without being fetched`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let pending = FetchDescriptor<Chore>(predicate: #Predicate { !$0.isDone })
    #expect(try store.context.fetchCount(pending) == 8)

    let deadline = Date.january(2)
    var overdue = FetchDescriptor<Chore>(predicate: #Predicate { !$0.isDone && $0.createdAt < deadline })
    overdue.fetchLimit = 1
    #expect(try !store.context.fetch(overdue).isEmpty)
  }
}
