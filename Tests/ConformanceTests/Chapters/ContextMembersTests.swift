import Foundation
import SwiftData
import Testing

/// The members of a context, each with what its documentation promises.
@Suite("Members of a context")
struct ContextMembersTests {
  @Model final class Lake {
    var name: String
    var depth: Double
    @Relationship(deleteRule: .cascade, inverse: \Island.lake) var islands: [Island] = []
    init(_ name: String, depth: Double = 1) {
      self.name = name
      self.depth = depth
    }
  }

  @Model final class Island {
    var name: String
    var lake: Lake?
    init(_ name: String) { self.name = name }
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Lake.self, Island.self)
    for (number, name) in ["Ammer", "Chiem", "Walchen", "Starnberg"].enumerated() {
      let lake = Lake(name, depth: Double(number * 10))
      lake.islands = (0..<number).map { Island("\(name) \($0)") }
      store.context.insert(lake)
    }
    try store.context.save()
    return store
  }

  private let byName = FetchDescriptor<Lake>(sortBy: [SortDescriptor(\.name)])

  // MARK: Insertions and deletions

  @Test(arguments: ChapterPlace.allCases)
  func `an inserted object brings the objects that it leads to`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Lake.self, Island.self)
    let lake = Lake("Chiem")
    lake.islands = [Island("Herren"), Island("Frauen")]
    #expect(lake.modelContext == nil && !store.context.hasChanges)
    store.context.insert(lake)
    #expect(lake.modelContext == store.context && lake.islands.allSatisfy { $0.modelContext == store.context })
    #expect(store.context.insertedModelsArray.count == 3)
    // The object that a registered object comes to lead to is inserted too.
    lake.islands.append(Island("Kraut"))
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Island>()) == 3)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an insertion of a saved object changes nothing`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let lake = try #require(try store.context.fetch(byName).first)
    let identifier = lake.persistentModelID
    store.context.insert(lake)
    #expect(!store.context.hasChanges && store.context.insertedModelsArray.isEmpty)
    try store.context.save()
    #expect(lake.persistentModelID == identifier)
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Lake>()) == 4)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an object that was never inserted is deleted without effect`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let lake = Lake("Loose")
    store.context.delete(lake)
    #expect(!store.context.hasChanges && lake.name == "Loose")
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Lake>()) == 4)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a deletion applies its rules when changes are processed, and leaves the context with the save`(
    _ place: ChapterPlace
  ) throws {
    let store = try filled(place)
    let context = store.context
    let lake = try #require(try context.fetch(byName).last)
    let islands = lake.islands
    #expect(islands.count == 2)
    context.delete(lake)
    #expect(lake.isDeleted && context.hasChanges)
    context.processPendingChanges()
    #expect(islands.allSatisfy(\.isDeleted) && context.deletedModelsArray.count == 3)
    #expect(try context.fetchCount(FetchDescriptor<Island>()) == 4)
    #expect(lake.modelContext == context && lake.name == "Walchen")
    try context.save()
    #expect(lake.modelContext == nil && lake.name == "Walchen" && islands.allSatisfy { $0.modelContext == nil })
    #expect(context.deletedModelsArray.isEmpty && !context.hasChanges)
  }

  // MARK: Changes

  @Test(arguments: ChapterPlace.allCases)
  func `each unsaved object is in one of three lists`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.context
    let lakes = try context.fetch(byName)
    #expect(!context.hasChanges && lakes.allSatisfy { !$0.hasChanges })
    lakes[0].depth = 99
    let new = Lake("New")
    context.insert(new)
    new.depth = 5
    lakes[1].depth = 77
    context.delete(lakes[1])
    context.processPendingChanges()
    func names(_ models: [any PersistentModel]) -> [String] { models.compactMap { ($0 as? Lake)?.name } }
    #expect(names(context.insertedModelsArray) == ["New"])
    #expect(names(context.changedModelsArray) == ["Ammer"])
    #expect(names(context.deletedModelsArray) == ["Chiem"])
    #expect(lakes[0].hasChanges && new.hasChanges && !lakes[2].hasChanges)
    try context.save()
    #expect(context.insertedModelsArray.isEmpty && context.changedModelsArray.isEmpty)
    #expect(context.deletedModelsArray.isEmpty && !context.hasChanges && !lakes[0].hasChanges)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a new object gets its lasting identifier with its first save`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Lake.self, Island.self)
    let lake = Lake("New")
    store.context.insert(lake)
    let temporary = lake.persistentModelID
    #expect(temporary.storeIdentifier == nil && temporary.entityName == "Lake" && lake.id == temporary)
    let registered: Lake? = store.context.registeredModel(for: temporary)
    #expect(registered === lake)
    try store.context.save()
    let permanent = lake.persistentModelID
    #expect(permanent.storeIdentifier != nil && permanent != temporary && permanent.entityName == "Lake")
    lake.depth = 3
    try store.context.save()
    #expect(lake.persistentModelID == permanent)
    let coded = try JSONDecoder().decode(PersistentIdentifier.self, from: JSONEncoder().encode(permanent))
    #expect(coded == permanent)
  }

  @Test func `a save without changes writes nothing and tells nobody`() throws {
    let store = try filled(.file)
    let told = Counter()
    let observers = [ModelContext.willSave, ModelContext.didSave].map {
      NotificationCenter.default.addObserver(forName: $0, object: store.context, queue: nil) { _ in told.add() }
    }
    defer { observers.forEach(NotificationCenter.default.removeObserver) }
    try store.context.save()
    #expect(told.count == 0)
    try store.context.fetch(byName).first?.depth = 42
    try store.context.save()
    #expect(told.count == 2)
  }

  private final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0
    var count: Int { lock.withLock { number } }
    func add() { lock.withLock { number += 1 } }
  }

  // MARK: Identifiers

  @Test(arguments: ChapterPlace.allCases)
  func `an identifier gives its object, read or not, and no object after a deletion`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let identifier = try #require(try store.context.fetch(byName).first).persistentModelID
    let context = store.freshContext()
    let before: Lake? = context.registeredModel(for: identifier)
    #expect(before == nil)
    let lake = try #require(context.model(for: identifier) as? Lake)
    let registered: Lake? = context.registeredModel(for: identifier)
    #expect(lake.name == "Ammer" && registered === lake)
    #expect(try context.fetch(byName).first === lake)

    let other = store.freshContext()
    let unread = try #require(other.model(for: identifier) as? Lake)
    context.delete(lake)
    try context.save()
    // The row is gone before the values were read.
    _ = unread.name
    #expect(unread.modelContext == nil)
    let after: Lake? = context.registeredModel(for: identifier)
    #expect(after == nil)
    // Apple traps when such an object is read.
    let gone = try #require(store.freshContext().model(for: identifier) as? Lake)
    _ = gone.name
    #expect(gone.modelContext == nil && gone.isDeleted)
  }

  // MARK: Fetches

  @Test(arguments: ChapterPlace.allCases)
  func `batches are fetched without unsaved changes`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) { try context.fetch(byName, batchSize: 2) }
    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetchIdentifiers(byName, batchSize: 2)
    }
    var descriptor = byName
    descriptor.includePendingChanges = false
    let lakes = try context.fetch(descriptor, batchSize: 3)
    #expect(lakes.count == 4 && lakes.map(\.name) == ["Ammer", "Chiem", "Starnberg", "Walchen"])
    #expect(lakes[2].name == "Starnberg" && lakes.reversed().first?.name == "Walchen")
    let identifiers = try context.fetchIdentifiers(descriptor, batchSize: 3)
    #expect(identifiers.elementsEqual(lakes.map(\.persistentModelID)))
  }

  @Test(arguments: ChapterPlace.allCases)
  func `identifiers are sorted without unsaved changes only`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    let lakes = try context.fetch(byName)
    #expect(try context.fetchIdentifiers(byName) == lakes.map(\.persistentModelID))
    context.insert(Lake("New"))
    #expect(throws: SwiftDataError.sortingPendingChangesWithIdentifiers) { try context.fetchIdentifiers(byName) }
    #expect(try context.fetchIdentifiers(FetchDescriptor<Lake>()).count == 5)
    var saved = byName
    saved.includePendingChanges = false
    #expect(try context.fetchIdentifiers(saved) == lakes.map(\.persistentModelID))
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a count honours the predicate, the limit, the offset and unsaved changes`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    var deep = FetchDescriptor<Lake>(predicate: #Predicate { $0.depth > 5 })
    #expect(try context.fetchCount(deep) == 3)
    try context.fetch(byName).first?.depth = 50
    #expect(try context.fetchCount(deep) == 4)
    deep.includePendingChanges = false
    #expect(try context.fetchCount(deep) == 3)
    deep.includePendingChanges = true
    deep.fetchLimit = 3
    deep.fetchOffset = 2
    #expect(try context.fetchCount(deep) == 2 && context.fetch(deep).count == 2)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an enumeration refuses unsaved changes unless they may stay`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    context.insert(Lake("New"))
    #expect(throws: (any Error).self) { try context.enumerate(byName) { _ in } }
    var names: [String] = []
    try context.enumerate(byName, batchSize: 2, allowEscapingMutations: true) { lake in
      names.append(lake.name)
      lake.depth += 1
    }
    #expect(names == ["Ammer", "Chiem", "New", "Starnberg", "Walchen"] && context.hasChanges)
    context.rollback()
    #expect(try store.freshContext().fetch(byName).map(\.depth) == [0, 10, 30, 20])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an enumeration in a transaction saves nothing before its end`(_ place: ChapterPlace) throws {
    struct Refusal: Error {}
    let store = try filled(place)
    let context = store.freshContext()
    // The closure fails after the enumeration, and then within it.
    for failing in ["none", "Starnberg"] {
      #expect(throws: Refusal.self) {
        try context.transaction {
          try context.enumerate(byName, batchSize: 1) { lake in
            guard lake.name != failing else { throw Refusal() }
            lake.depth += 100
          }
          throw Refusal()
        }
      }
      #expect(try store.freshContext().fetch(byName).map(\.depth) == [0, 10, 30, 20])
      #expect(context.hasChanges)
      context.rollback()
    }
    // Earlier changes of the transaction are no obstacle; a transaction inside saves at its own end.
    try context.transaction {
      for name in ["Tegern", "Würm"] {
        var depths: [Double] = []
        try context.enumerate(byName, batchSize: 2) { depths.append($0.depth) }
        context.insert(Lake(name, depth: (depths.max() ?? 0) + 1))
      }
      #expect(try store.freshContext().fetchCount(byName) == 4)
      try context.transaction { try context.enumerate(byName) { $0.depth += 1 } }
      #expect(try store.freshContext().fetch(byName).map(\.depth) == [1, 11, 31, 32, 21, 33])
    }
    #expect(!context.hasChanges)
    // Outside of a transaction each batch is saved again.
    try context.enumerate(byName, batchSize: 4) { $0.depth = 0 }
    #expect(try store.freshContext().fetch(byName).allSatisfy { $0.depth == 0 })
  }

  // MARK: Settings

  @Test func `contexts that a program makes do not save by themselves, and have an identity of their own`() throws {
    let store = try filled(.memory)
    let (first, second) = (ModelContext(store.container), ModelContext(store.container))
    #expect(!first.autosaveEnabled && first.container == store.container && first != second)
    #expect(first.editingState.id != second.editingState.id && first.author == nil && first.undoManager == nil)
    first.author = "importer"
    #expect(first.editingState.author == "importer" && second.author == nil)
  }

  @MainActor @Test func `a container has one main context, which saves by itself`() throws {
    let store = try filled(.memory)
    #expect(store.container.mainContext === store.container.mainContext && store.container.mainContext.autosaveEnabled)
    #expect(store.container.mainContext.container == store.container)
  }
}
