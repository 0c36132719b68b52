import Foundation
import SwiftData
import Testing

@Model final class StoredQueue {
  var name: String
  @Relationship(.ordered, inverse: \StoredTicket.queue) var tickets: [StoredTicket] = []
  init(name: String) { self.name = name }
}

@Model final class StoredTicket {
  var number: Int
  var queue: StoredQueue?
  init(number: Int) { self.number = number }
}

/// Two containers, or two contexts of one, that save to one custom store.
@Suite("Saves of others to a custom store", .temporaryFolder)
struct CustomStoreMergeTests {
  private let configuration = JSONFileConfiguration(url: TemporaryFolder.url.appendingPathComponent("shared.json"))

  private func context(_ container: ModelContainer? = nil) throws -> ModelContext {
    try ModelContext(container ?? ModelContainer(for: Schema(CustomStoreKind.types), configurations: [configuration]))
  }

  @Test("A save keeps what others have saved of other properties", arguments: [false, true])
  func otherProperties(isSameContainer: Bool) throws {
    let here = try context()
    here.insert(StoredTrip(name: "Alps", budget: 1))
    try here.save()
    let there = try context(isSameContainer ? here.container : nil)
    let theirs = try #require(try there.fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(theirs.budget == 1 && theirs.stops.isEmpty && theirs.travellers.isEmpty)
    let ours = try #require(try here.fetch(FetchDescriptor<StoredTrip>()).first)
    ours.name = "Andes"
    ours.stops.append(StoredStop(title: "pass"))
    ours.travellers.append(StoredTraveller(name: "Ada"))
    try here.save()
    theirs.budget = 2
    theirs.tags = ["sun"]
    theirs.travellers.append(StoredTraveller(name: "Bob"))
    try there.save()
    #expect(theirs.name == "Andes" && theirs.budget == 2 && theirs.stops.map(\.title) == ["pass"])
    let saved = try #require(try context().fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(saved.name == "Andes" && saved.budget == 2 && saved.tags == ["sun"])
    #expect(saved.stops.map(\.title) == ["pass"] && Set(saved.travellers.map(\.name)) == ["Ada", "Bob"])
  }

  @Test(
    "Under keepStored and rollback the values that others have saved stay, also if a relationship keeps its change",
    arguments: [SaveConflictPolicy.keepStored, .rollback], [false, true])
  func storedValues(policy: SaveConflictPolicy, isSameContainer: Bool) throws {
    let here = try context()
    let trip = StoredTrip(name: "Alps", budget: 1)
    here.insert(trip)
    try here.save()
    let there = try context(isSameContainer ? here.container : nil)
    there.conflictPolicy = policy
    let theirs = try #require(try there.fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(theirs.name == "Alps" && theirs.budget == 1 && theirs.travellers.isEmpty)
    trip.name = "Andes"
    trip.budget = 5
    try here.save()
    theirs.name = "Urals"
    theirs.travellers.append(StoredTraveller(name: "Ada"))
    try there.save()
    #expect(theirs.name == "Andes" && theirs.budget == 5 && theirs.travellers.map(\.name) == ["Ada"])
    let saved = try #require(try context().fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(saved.name == "Andes" && saved.budget == 5 && saved.travellers.map(\.name) == ["Ada"])
  }

  @Test("What another container has saved reaches held objects that the next fetch does not return")
  func heldObjects() throws {
    let here = try context()
    let trips = ["Alps", "Coast", "Urals"].map { StoredTrip(name: $0) }
    trips.forEach(here.insert)
    trips[0].stops = [StoredStop(title: "pass"), StoredStop(title: "inn")]
    try here.save()
    let there = try context()
    let byName = FetchDescriptor<StoredTrip>(sortBy: [SortDescriptor(\.name)])
    let theirs = try there.fetch(byName)
    let stops = theirs[0].stops
    #expect(stops.count == 2 && theirs[1].stops.isEmpty)

    here.delete(trips[2])
    here.delete(try #require(trips[0].stops.first { $0.title == "inn" }))
    trips[0].stops.first { $0.title == "pass" }?.trip = trips[1]
    trips[0].name = "Andes"
    try here.save()
    #expect(theirs[0].name == "Alps" && theirs[0].stops.count == 2)
    #expect(try there.fetch(FetchDescriptor<StoredTraveller>()).isEmpty)
    #expect(theirs.map { $0.modelContext == nil } == [false, false, true])
    #expect(stops.filter { $0.modelContext == nil }.map(\.title) == ["inn"])
    #expect(theirs[0].name == "Andes" && theirs[0].stops.isEmpty && theirs[1].stops.map(\.title) == ["pass"])

    try here.container.erase()
    #expect(try there.fetch(FetchDescriptor<StoredTraveller>()).isEmpty)
    #expect(theirs.allSatisfy { $0.modelContext == nil } && stops.allSatisfy { $0.modelContext == nil })
  }

  @Test("A change of an object that others have deleted is dropped, and didSave names it", arguments: [false, true])
  func deletedByOthers(isSameContainer: Bool) throws {
    let here = try context()
    let (trip, other) = (StoredTrip(name: "Alps"), StoredTrip(name: "Coast"))
    here.insert(trip)
    here.insert(other)
    try here.save()
    let there = try context(isSameContainer ? here.container : nil)
    for theirs in try there.fetch(FetchDescriptor<StoredTrip>()) where theirs.name == "Alps" { there.delete(theirs) }
    try there.save()
    let identifier = trip.persistentModelID
    trip.name = "Andes"
    other.name = "Urals"
    nonisolated(unsafe) var dropped: [PersistentIdentifier]?
    let observer = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: here, queue: nil
    ) { note in
      let key = ModelContext.NotificationKey.droppedIdentifiers.rawValue
      dropped = note.userInfo?[key] as? [PersistentIdentifier]
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    try here.save()
    #expect(dropped == [identifier] && trip.modelContext == nil && !here.hasChanges)
    #expect(try context().fetch(FetchDescriptor<StoredTrip>()).map(\.name) == ["Urals"])
  }

  @Test func `A save that failed after a conflict keeps what others have saved since`() throws {
    let here = try context()
    let trip = StoredTrip(name: "Alps", budget: 1)
    here.insert(trip)
    try here.save()
    let there = try context()
    let theirs = try #require(try there.fetch(FetchDescriptor<StoredTrip>()).first)
    trip.name = "Andes"
    theirs.budget = 5
    try there.save()
    let lock = configuration.url.appendingPathExtension("lock")
    try Data().write(to: lock)
    // The lock's own error.
    #expect(throws: CocoaError.self) { try here.save() }
    try FileManager.default.removeItem(at: lock)
    #expect(here.hasChanges && trip.name == "Andes")
    theirs.budget = 6
    try there.save()
    try here.save()
    #expect(trip.name == "Andes" && trip.budget == 6)
    let saved = try #require(try context().fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(saved.name == "Andes" && saved.budget == 6)
  }

  @Test("A save keeps the members that another container has added or removed")
  func otherMembers() throws {
    let here = try context()
    let trip = StoredTrip(name: "Alps")
    here.insert(trip)
    trip.travellers = [StoredTraveller(name: "Ada"), StoredTraveller(name: "Bob")]
    try here.save()
    let there = try context()
    let theirs = try #require(try there.fetch(FetchDescriptor<StoredTrip>()).first)
    #expect(theirs.travellers.count == 2)
    trip.travellers.removeAll { $0.name == "Ada" }
    trip.travellers.append(StoredTraveller(name: "Cid"))
    try here.save()
    theirs.name = "Andes"
    theirs.travellers.append(StoredTraveller(name: "Dan"))
    try there.save()
    for context in [there, try self.context()] {
      let saved = try #require(try context.fetch(FetchDescriptor<StoredTrip>()).first)
      #expect(saved.name == "Andes" && Set(saved.travellers.map(\.name)) == ["Bob", "Cid", "Dan"])
      let travellers = try context.fetch(FetchDescriptor<StoredTraveller>())
      #expect(Set(travellers.filter { !$0.trips.isEmpty }.map(\.name)) == ["Bob", "Cid", "Dan"])
    }
  }

  @Test("A save keeps the order that another container has given to members")
  func otherOrder() throws {
    func context() throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: Schema([StoredQueue.self, StoredTicket.self]), configurations: [configuration]))
    }
    let here = try context()
    let queue = StoredQueue(name: "a")
    here.insert(queue)
    queue.tickets = (1...3).map { StoredTicket(number: $0) }
    try here.save()
    let there = try context()
    let theirs = try #require(try there.fetch(FetchDescriptor<StoredQueue>()).first)
    #expect(theirs.tickets.map(\.number) == [1, 2, 3])
    queue.tickets = queue.tickets.reversed()
    try here.save()
    theirs.name = "b"
    try there.save()
    let saved = try #require(try context().fetch(FetchDescriptor<StoredQueue>()).first)
    #expect(saved.name == "b" && saved.tickets.map(\.number) == [3, 2, 1])
  }

  @Test("A member that two contexts give to two owners is in the later one's list only", arguments: [false, true])
  func otherOwner(isSameContainer: Bool) throws {
    for isTakenAway in [false, true] {
      let here = try context()
      try here.container.erase()
      let trips = ["Alps", "Coast", "Urals"].map { StoredTrip(name: $0) }
      let stop = StoredStop(title: "pass")
      trips.forEach(here.insert)
      here.insert(stop)
      if isTakenAway { stop.trip = trips[2] }
      try here.save()
      let there = try context(isSameContainer ? here.container : nil)
      let byName = FetchDescriptor<StoredTrip>(sortBy: [SortDescriptor(\.name)])
      let theirs = try there.fetch(byName)
      let theirStop = try #require(try there.fetch(FetchDescriptor<StoredStop>()).first)
      #expect(theirs.map(\.stops.count) == [0, 0, isTakenAway ? 1 : 0])
      stop.trip = trips[0]
      theirStop.title = "inn"
      theirStop.trip = isTakenAway ? nil : theirs[1]
      try here.save()
      try there.save()
      let contexts = [there, try context()] + (isSameContainer ? [here] : [])
      for context in contexts {
        #expect(try context.fetch(byName).map { $0.stops.map(\.title) } == [[], isTakenAway ? [] : ["inn"], []])
        #expect(try context.fetch(FetchDescriptor<StoredStop>()).map(\.trip?.name) == [isTakenAway ? nil : "Coast"])
      }
    }
  }

  @Test("A member that another context has moved meanwhile, and that is led back, is in its owner's list again")
  func ownerAgain() throws {
    let here = try context()
    let trips = ["Alps", "Coast", "Urals"].map { StoredTrip(name: $0) }
    let stop = StoredStop(title: "pass", trip: trips[0])
    trips.forEach(here.insert)
    here.insert(stop)
    try here.save()
    let there = try context(here.container)
    let byName = FetchDescriptor<StoredTrip>(sortBy: [SortDescriptor(\.name)])
    let theirs = try there.fetch(byName)
    #expect(theirs.map(\.stops.count) == [1, 0, 0])
    let theirStop = try #require(theirs[0].stops.first)
    theirStop.trip = theirs[1]
    stop.trip = trips[2]
    try here.save()
    theirStop.trip = theirs[0]
    try there.save()
    for context in [here, there, try context()] {
      #expect(try context.fetch(byName).map { $0.stops.map(\.title) } == [["pass"], [], []])
      #expect(try context.fetch(FetchDescriptor<StoredStop>()).map(\.trip?.name) == ["Alps"])
    }
  }
}
