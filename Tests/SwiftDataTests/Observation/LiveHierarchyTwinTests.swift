import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A hierarchy with relationships at every level, for live results.
enum LiveModels {
  @Model class Place {
    var name: String
    var rank: Int
    @Relationship(inverse: \Owner.places) var owner: Owner?
    @Relationship(deleteRule: .cascade, inverse: \Visit.place) var visits: [Visit] = []
    init(_ name: String, rank: Int) {
      self.name = name
      self.rank = rank
    }
  }

  @Model class Shop: Place {
    var isOpen: Bool
    @Relationship(inverse: \Owner.favourite) var fan: Owner?
    init(_ name: String, rank: Int, isOpen: Bool) {
      self.isOpen = isOpen
      super.init(name, rank: rank)
    }
  }

  @Model final class Kiosk: Shop {}

  @Model final class Owner {
    var name: String
    var age: Int
    var places: [Place] = []
    var favourite: Shop?
    var boss: Owner?
    @Relationship(inverse: \Owner.boss) var staff: [Owner] = []
    init(_ name: String, age: Int) {
      self.name = name
      self.age = age
    }
  }

  @Model final class Visit {
    var day: Int
    var place: Place?
    init(_ day: Int) { self.day = day }
  }

  static let schema = Schema([Place.self, Shop.self, Kiosk.self, Owner.self, Visit.self])
}

/// Live results of a hierarchy equal fresh fetches, within limits, with undo, over several stores, and after saves of other containers.
@Suite("Live results of hierarchies, against fresh fetches")
struct LiveHierarchyTwinTests {
  private typealias Place = LiveModels.Place
  private typealias Shop = LiveModels.Shop
  private typealias Kiosk = LiveModels.Kiosk
  private typealias Owner = LiveModels.Owner
  private typealias Visit = LiveModels.Visit

  private static let predicates: [(String, Predicate<Place>?)] = [
    ("all", nil),
    ("rank", #Predicate { $0.rank > 4 }),
    ("class", #Predicate { $0 is Shop }),
    ("value of a subclass", #Predicate { ($0 as? Shop)?.isOpen == true }),
    ("owner's age", #Predicate { $0.owner?.age == 1 }),
    ("boss", #Predicate { $0.owner?.boss?.name == "A" }),
    ("visits", #Predicate { $0.visits.contains { $0.day == 1 } }),
    ("number of visits", #Predicate { $0.visits.count > 1 }),
    ("neighbours", #Predicate { $0.owner?.places.contains { $0.rank == 0 } == true }),
    ("path of a subclass", #Predicate { ($0 as? Shop)?.fan?.age == 1 }),
  ]

  private static let orders: [(String, [SortDescriptor<Place>])] = [
    ("none", []),
    ("rank", [SortDescriptor(\.rank), SortDescriptor(\.name, order: .reverse)]),
    ("owner", [SortDescriptor(\.owner?.name), SortDescriptor(\.rank)]),
    ("boss", [SortDescriptor(\.owner?.boss?.age, order: .reverse), SortDescriptor(\.name)]),
    ("length", [SortDescriptor(\.name.count), SortDescriptor(\.rank)]),
  ]

  private func checks(_ context: ModelContext, _ random: inout SplitMix) throws -> [(String) throws -> Void] {
    var checks: [(String) throws -> Void] = []
    for (name, predicate) in Self.predicates {
      let (order, sort) = Self.orders[random.below(Self.orders.count)]
      var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
      // The rows of a fetch without a complete order may come in any order, so that a limit would cut others.
      if order == "rank" || order == "length", random.once(in: 2) {
        descriptor.sortBy.append(SortDescriptor(\.persistentModelID))
        descriptor.fetchLimit = random.once(in: 4) ? nil : random.below(8)
        descriptor.fetchOffset = random.once(in: 2) ? nil : random.below(6)
      }
      if random.once(in: 8) { descriptor.includePendingChanges = false }
      let text = "\(name), order \(order), \(descriptor.fetchLimit ?? -1) from \(descriptor.fetchOffset ?? -1)"
      switch random.below(6) {
      case 0:
        let observer = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.name, modelContext: context)
        checks.append(LiveTwin("\(text), by name", observer, \.name).check)
      case 1:
        let observer = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.owner?.name, modelContext: context)
        checks.append(LiveTwin("\(text), by owner's name", observer) { $0.owner?.name ?? "" }.check)
      case 2:
        let observer = try ResultsObserver(fetchDescriptor: descriptor, sectionBy: \.rank, modelContext: context)
        checks.append(LiveTwin("\(text), by rank", observer, \.rank).check)
      default:
        let observer = try ResultsObserver<Place, Never>(fetchDescriptor: descriptor, modelContext: context)
        checks.append(LiveTwin(text, observer).check)
      }
    }
    let shops = try ResultsObserver<Shop, Never>(
      filterBy: #Predicate { $0.isOpen || $0.rank > 6 }, sortBy: [SortDescriptor(\.fan?.name), SortDescriptor(\.rank)],
      modelContext: context)
    checks.append(LiveTwin("shops", shops).check)
    return checks
  }

  @Test("With undo, redo and rollback", arguments: 1...(FullTests.areWanted ? 40 : 4) as ClosedRange<UInt64>)
  func undo(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: LiveModels.schema, configurations: ModelConfiguration(schema: LiveModels.schema, url: store.url))
    let (context, other) = (ModelContext(container), ModelContext(container))
    try fill(context, &random)
    let manager = UndoManager()
    context.undoManager = manager
    let checks = try checks(context, &random)
    for number in 0..<12 {
      let step: String
      switch random.below(12) {
      case 0:
        context.rollback()
        step = "a rollback"
      case 1:
        try context.save()
        step = "a save"
      case 2, 3:
        if manager.canUndo { manager.undo() }
        step = "undo"
      case 4:
        if manager.canRedo { manager.redo() }
        step = "redo"
      case 5, 6:
        step = "another context's \(try change(other, &random))"
        try other.save()
      default:
        step = try change(context, &random)
        context.processPendingChanges()
      }
      for check in checks { try check("seed \(seed), step \(number), \(step)") }
    }
  }

  @Test("Over several stores", arguments: 1...(FullTests.areWanted ? 20 : 2) as ClosedRange<UInt64>)
  func stores(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let store = try TemporaryStore()
    let configurations = ["one", "two"].map { name in
      ModelConfiguration(name, schema: LiveModels.schema, url: store.folder.appendingPathComponent(name))
    }
    let container = try ModelContainer(for: LiveModels.schema, configurations: configurations)
    let (context, other) = (ModelContext(container), ModelContext(container))
    try fill(context, &random)
    for number in 0..<6 { try context.insert(Kiosk("k\(number)", rank: number, isOpen: true), into: configurations[1]) }
    try context.save()
    let checks = try checks(context, &random)
    for number in 0..<8 {
      let isOwn = random.once(in: 2)
      let step = try valueChange(isOwn ? context : other, &random)
      if !isOwn || random.once(in: 2) { try (isOwn ? context : other).save() }
      for check in checks { try check("seed \(seed), step \(number), \(step)") }
    }
  }

  private func fill(_ context: ModelContext, _ random: inout SplitMix) throws {
    let owners = ["A", "B", "C"].map { Owner($0, age: random.below(2)) }
    for owner in owners { context.insert(owner) }
    owners[1].boss = owners[0]
    for number in 0..<24 {
      let place: Place =
        switch number % 3 {
        case 0: Place("p\(number % 5)", rank: random.below(9))
        case 1: Shop("s\(number % 7)", rank: random.below(9), isOpen: random.once(in: 2))
        default: Kiosk("kk\(number % 4)", rank: random.below(9), isOpen: random.once(in: 2))
        }
      context.insert(place)
      place.owner = random.once(in: 4) ? nil : owners.randomElement(using: &random)
      place.visits = (0..<random.below(3)).map { Visit($0) }
    }
    try context.save()
  }

  /// Changes values without a change of relationships, which could lead from store to store.
  private func valueChange(_ context: ModelContext, _ random: inout SplitMix) throws -> String {
    let places = try context.all(Place.self).sorted { $0.persistentModelID < $1.persistentModelID }
    guard let place = places.randomElement(using: &random) else { return "nothing" }
    switch random.below(6) {
    case 0, 1: place.rank = random.below(9)
    case 2: place.name = "\(random.below(12))"
    case 3: place.owner?.age = random.below(2)
    case 4: (place as? Shop)?.isOpen.toggle()
    default: context.delete(place)
    }
    return "change of values"
  }

  private func change(_ context: ModelContext, _ random: inout SplitMix) throws -> String {
    let places = try context.all(Place.self).sorted { $0.persistentModelID < $1.persistentModelID }
    let owners = try context.all(Owner.self).sorted { $0.persistentModelID < $1.persistentModelID }
    var steps: [Int] = []
    for _ in 0...random.below(3) {
      guard let place = places.filter({ !$0.isDeleted && $0.modelContext != nil }).randomElement(using: &random) else {
        break
      }
      let owner = owners.filter { !$0.isDeleted && $0.modelContext != nil }.randomElement(using: &random)
      let kind = random.below(15)
      steps.append(kind)
      switch kind {
      case 0:
        let new = Kiosk("n\(random.below(9))", rank: random.below(9), isOpen: random.once(in: 2))
        context.insert(new)
        new.owner = owner
      case 1: context.insert(Place("e", rank: random.once(in: 2) ? -1 : 99))
      case 2, 3: place.rank = random.once(in: 3) ? (random.once(in: 2) ? -1 : 99) : random.below(9)
      case 4: place.name = "\(random.below(12))"
      case 5: place.owner = random.once(in: 3) ? nil : owner
      case 6: place.owner?.name = "\(["A", "B", "D"][random.below(3)])"
      case 7: place.owner?.age = random.below(2)
      case 8: owner?.boss = random.once(in: 3) ? nil : owners.first { !$0.isDeleted && $0.modelContext != nil }
      case 9: (place as? Shop)?.isOpen.toggle()
      case 10: (place as? Shop)?.fan = owner
      case 11: place.visits.append(Visit(random.below(3)))
      case 12: if let visit = place.visits.first { context.delete(visit) }
      case 13: if let owner, owners.count > 2 { context.delete(owner) }
      default: context.delete(place)
      }
    }
    return "changes \(steps)"
  }
}
