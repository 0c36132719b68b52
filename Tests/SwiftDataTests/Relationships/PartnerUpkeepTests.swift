import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// One-to-one relationships: of two classes, and of one class with itself.
enum PartnerModels {
  @Model final class Pilot {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Plane.pilot) var plane: Plane?
    var wing: Pilot?
    @Relationship(inverse: \Pilot.wing) var lead: Pilot?
    init(_ name: String) { self.name = name }
  }

  @Model final class Plane {
    @Attribute(.unique) var name: String
    var pilot: Pilot?
    init(_ name: String) { self.name = name }
  }

  @Model final class Licence {
    var number: Int
    /// Every licence has a holder.
    var holder: Holder
    init(_ number: Int, _ holder: Holder) { (self.number, self.holder) = (number, holder) }
  }

  @Model final class Holder {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Licence.holder) var licence: Licence?
    init(_ name: String) { self.name = name }
  }

  @Model final class Book {
    @Attribute(.unique) var title: String
    var tags: [Tag] = []
    init(_ title: String) { self.title = title }
  }

  @Model final class Tag {
    @Attribute(.unique) var word: String
    @Relationship(inverse: \Book.tags) var books: [Book] = []
    init(_ word: String) { self.word = word }
  }
}

@Suite("One-to-one relationships after upserts and saves of several contexts", .everyEngine)
struct PartnerUpkeepTests {
  private typealias Pilot = PartnerModels.Pilot
  private typealias Plane = PartnerModels.Plane

  private let store: TemporaryStore
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try Self.open(store)
  }

  private static func open(_ store: TemporaryStore) throws -> ModelContainer {
    try TestEngine.current.container(
      Schema([
        PartnerModels.Pilot.self, PartnerModels.Plane.self, PartnerModels.Book.self, PartnerModels.Licence.self,
      ]), store)
  }

  /// Every link, as text.
  private static func links(_ context: ModelContext) throws -> [String] {
    let pilots = try context.fetch(FetchDescriptor<Pilot>(sortBy: [SortDescriptor(\.name)]))
    let planes = try context.fetch(FetchDescriptor<Plane>(sortBy: [SortDescriptor(\.name)]))
    return pilots.flatMap { pilot in
      [
        pilot.plane.map { "pilot \(pilot.name) plane \($0.name)" },
        pilot.wing.map { "pilot \(pilot.name) wing \($0.name)" },
        pilot.lead.map { "pilot \(pilot.name) lead \($0.name)" },
      ].compactMap(\.self)
    } + planes.compactMap { plane in plane.pilot.map { "plane \(plane.name) pilot \($0.name)" } }
  }

  /// The links that do not lead back.
  private static func halfLinks(_ context: ModelContext) throws -> [String] {
    let pilots = try context.fetch(FetchDescriptor<Pilot>())
    let planes = try context.fetch(FetchDescriptor<Plane>())
    return pilots.filter { pilot in pilot.plane.map { $0.pilot !== pilot } == true }.map { "plane of \($0.name)" }
      + pilots.filter { pilot in pilot.wing.map { $0.lead !== pilot } == true }.map { "wing of \($0.name)" }
      + pilots.filter { pilot in pilot.lead.map { $0.wing !== pilot } == true }.map { "lead of \($0.name)" }
      + planes.filter { plane in plane.pilot.map { $0.plane !== plane } == true }.map { "pilot of \($0.name)" }
  }

  private func expect(_ links: [String], sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(try Self.links(ModelContext(container)) == links, sourceLocation: sourceLocation)
  }

  @Test("An assignment replaces the partner that others have saved meanwhile", arguments: [true, false])
  func replacedMeanwhile(isRolledBack: Bool) throws {
    let there = ModelContext(container)
    let (pilot, first, second) = (Pilot("a"), Pilot("1"), Pilot("2"))
    for pilot in [pilot, first, second, Pilot("3")] { there.insert(pilot) }
    pilot.wing = first
    try there.save()
    let here = ModelContext(container)
    let ours = try #require(try here.fetch(FetchDescriptor<Pilot>(predicate: #Predicate { $0.name == "a" })).first)
    let third = try #require(try here.fetch(FetchDescriptor<Pilot>(predicate: #Predicate { $0.name == "3" })).first)
    here.insert(Plane("1"))
    pilot.wing = second
    pilot.lead = first
    try there.save()
    // Loads the former partner, which leads back by its other link now.
    ours.wing = third
    if isRolledBack {
      here.rollback()
      // What others have saved arrives with a fetch at the latest.
      _ = try here.fetch(FetchDescriptor<Pilot>())
      #expect(ours.wing?.name == "2" && ours.lead?.name == "1" && third.lead == nil)
      try expect(["pilot 1 wing a", "pilot 2 lead a", "pilot a wing 2", "pilot a lead 1"])
    } else {
      try here.save()
      #expect(ours.wing === third && ours.lead?.name == "1" && third.lead === ours)
      try expect(["pilot 1 wing a", "pilot 3 lead a", "pilot a wing 3", "pilot a lead 1"])
    }
    #expect(try Self.halfLinks(ModelContext(container)).isEmpty && Self.halfLinks(here).isEmpty)
  }

  @Test("An upsert takes a partner from its former owner, and an upsert without one leaves the partner alone")
  func upserts() throws {
    let context = ModelContext(container)
    let (pilot, first) = (Pilot("a"), Plane("1"))
    context.insert(pilot)
    pilot.plane = first
    try context.save()
    let other = ModelContext(container)
    let (again, second) = (Pilot("a"), Plane("2"))
    other.insert(again)
    again.plane = second
    try other.save()
    try expect(["pilot a plane 2", "plane 2 pilot a"])
    // A fetch shows what other contexts have saved.
    _ = try context.fetch(FetchDescriptor<Plane>())
    #expect(first.pilot == nil && pilot.plane?.name == "2")
    other.insert(Pilot("a"))
    try other.save()
    try expect([])
    _ = try context.fetch(FetchDescriptor<Plane>())
    #expect(second.pilot == nil && pilot.plane == nil)
    let free = try ModelContext(container).fetchCount(FetchDescriptor<Plane>(predicate: #Predicate { $0.pilot == nil }))
    #expect(free == 2)
  }

  @Test("A new object takes the partner that it names again", arguments: [UniquenessPolicy.upsert, .keepExisting])
  func namedAgain(policy: UniquenessPolicy) throws {
    guard TestEngine.current != .dictionaries else { return }
    let context = ModelContext(container)
    context.uniquenessPolicy = policy
    let (a, b) = (Pilot("a"), Pilot("b"))
    context.insert(a)
    a.wing = b
    try context.save()
    let c = Pilot("c")
    c.wing = Pilot("b")
    context.insert(c)
    try context.save()
    try expect(["pilot b lead c", "pilot c wing b"])
    #expect(a.wing == nil && b.lead === c && c.wing === b)
    // History tells of the former owner, as of every updated object.
    let last = try #require(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last)
    let updated = last.changes.compactMap { change in
      if case .update(let update) = change { update.changedPersistentIdentifier } else { nil }
    }
    #expect(Set(updated) == [a.persistentModelID, b.persistentModelID] && updated.count == 2)
  }

  @Test("Of two contexts that take one partner, the later one gets it; both see so")
  func contexts() throws {
    let context = ModelContext(container)
    for name in ["a", "b"] { context.insert(Pilot(name)) }
    context.insert(Plane("1"))
    try context.save()
    let (left, right) = (ModelContext(container), ModelContext(container))
    func take(_ name: String, _ context: ModelContext) throws {
      let pilot = try context.fetch(FetchDescriptor<Pilot>(predicate: #Predicate { $0.name == name }))[0]
      pilot.plane = try context.fetch(FetchDescriptor<Plane>())[0]
    }
    try take("a", left)
    try take("b", right)
    try left.save()
    try right.save()
    for context in [left, right, ModelContext(container)] {
      #expect(try Self.links(context) == ["pilot b plane 1", "plane 1 pilot b"])
    }
  }

  @Test("An object that must have a partner keeps it after an upsert without one; nobody takes it away")
  func required() throws {
    typealias Holder = PartnerModels.Holder
    typealias Licence = PartnerModels.Licence
    let context = ModelContext(container)
    context.insert(Licence(1, Holder("a")))
    try context.save()
    context.insert(Holder("a"))
    try context.save()
    let holder = try #require(try ModelContext(container).fetch(FetchDescriptor<Holder>()).first)
    #expect(holder.licence?.number == 1 && holder.licence?.holder === holder)
    let other = ModelContext(container)
    other.insert(Licence(2, Holder("a")))
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try other.save() }
    for part in ["“Licence”", "“holder”", "nothing was saved"] {
      #expect(error?.explanation?.contains(part) == true, "\(String(describing: error?.explanation))")
    }
    #expect(try ModelContext(container).fetch(FetchDescriptor<Licence>()).map(\.number) == [1])
  }

  @Test("A pair of a many-to-many relationship lasts that decoded duplicates write again")
  func pairs() throws {
    for isKnown in [false, true] {
      // Only a store on disk has a second container.
      let context = ModelContext(TestEngine.current == .file ? try Self.open(store) : container)
      let (book, tag, same) = (PartnerModels.Book("1"), PartnerModels.Tag("y"), PartnerModels.Tag("y"))
      book.tags = isKnown ? [tag, same] : [tag]
      context.insert(book)
      try context.save()
      let again = PartnerModels.Book("1")
      (isKnown ? same : tag).books = [again]
      try context.save()
      let read = try ModelContext(container).fetch(FetchDescriptor<PartnerModels.Tag>())
      #expect(read.map { $0.books.map(\.title) } == [["1"]] && book.tags.map(\.word) == ["y"])
    }
  }

  // MARK: At random

  @Test("After each save at random both keys agree, each partner has one owner, and the contexts agree with the store")
  func random() throws {
    guard TestEngine.current != .dictionaries else { return }
    for seed in TestEngine.seeds(FullTests.areWanted ? 8 : 4) {
      let store = try TemporaryStore()
      var container = try Self.open(store)
      var contexts = [ModelContext(container), ModelContext(container)]
      contexts[1].uniquenessPolicy = .keepExisting
      var random = SplitMix(seed: seed)
      for step in 0..<60 {
        if random.once(in: 20) {
          container = try Self.open(store)
          contexts = [ModelContext(container), ModelContext(container)]
          contexts[0].uniquenessPolicy = .keepExisting
        }
        // Sometimes both contexts have changes before one of them saves.
        let changed = random.once(in: 3) ? [0, 1] : [random.below(2)]
        for index in changed { for _ in 0...random.below(3) { try Self.change(contexts[index], &random) } }
        for index in changed {
          try contexts[index].save()
          let fresh = ModelContext(container)
          #expect(try Self.halfLinks(fresh) == [], "seed \(seed), step \(step)")
          let links = try Self.links(fresh)
          #expect(try Self.links(contexts[index]) == links, "seed \(seed), step \(step)")
        }
      }
      if TestEngine.current == .file {
        try Oracle.expectSound(store.url, "seed \(seed)")
      }
    }
  }

  private static func change(_ context: ModelContext, _ random: inout SplitMix) throws {
    func pilot(_ random: inout SplitMix) throws -> Pilot {
      let name = "\(random.below(5))"
      if !random.once(in: 3), let known = try context.fetch(FetchDescriptor<Pilot>()).first(where: { $0.name == name })
      {
        return known
      }
      let new = Pilot(name)
      if random.once(in: 2) { context.insert(new) }
      return new
    }
    func plane(_ random: inout SplitMix) throws -> Plane {
      let name = "\(random.below(5))"
      if !random.once(in: 3), let known = try context.fetch(FetchDescriptor<Plane>()).first(where: { $0.name == name })
      {
        return known
      }
      return Plane(name)
    }
    let one = try pilot(&random)
    if one.modelContext == nil { context.insert(one) }
    switch random.below(8) {
    case 0: one.plane = nil
    case 1, 2: one.plane = try plane(&random)
    case 3:
      let plane = try plane(&random)
      context.insert(plane)
      plane.pilot = one
    case 4: one.wing = try pilot(&random)
    case 5: one.lead = try pilot(&random)
    case 6: one.wing = nil
    default: if random.once(in: 3) { context.delete(one) }
    }
  }
}
