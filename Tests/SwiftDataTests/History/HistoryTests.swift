import CoreDataStore
import Foundation
import StoreRequests
import StoreTestSupport
import SwiftData
import TestSupport
import Testing

/// Fetching and deleting the history of stores (CD-7).
@Suite struct HistoryTests {
  @Model final class Trip {
    @Attribute(.preserveValueOnDeletion) var code: UUID
    @Attribute(.preserveValueOnDeletion) var name: String
    @Attribute(.preserveValueOnDeletion) var kind: Kind?
    @Attribute(.preserveValueOnDeletion) var price: Decimal?
    var notes = ""
    @Relationship(deleteRule: .cascade, inverse: \Stop.trip) var stops: [Stop] = []

    init(_ name: String, code: UUID = UUID(), kind: Kind? = nil, price: Decimal? = nil) {
      self.name = name
      self.code = code
      self.kind = kind
      self.price = price
    }
  }

  enum Kind: String, Codable { case business, leisure }

  @Model final class Stop {
    var place: String
    var trip: Trip?

    init(_ place: String) { self.place = place }
  }

  @Model class Animal {
    @Attribute(.preserveValueOnDeletion) var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Dog: Animal {
    @Attribute(.preserveValueOnDeletion) var chip: Int

    init(_ name: String, chip: Int) {
      self.chip = chip
      super.init(name)
    }
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try ModelContainer(
      for: Trip.self, Stop.self, Animal.self, Dog.self, configurations: ModelConfiguration(url: store.url))
    context = ModelContext(container)
  }

  private func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try Oracle.expectSound(store.url, sourceLocation: sourceLocation)
  }

  private func fetch(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil, limit: UInt64 = 0,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = []
  ) throws -> [Int64] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate, sortBy: sortBy)
    descriptor.fetchLimit = limit
    return try context.fetchHistory(descriptor).map(\.transactionIdentifier)
  }

  /// Saves ten trips, each in a transaction, by the authors a, b and nobody in turn.
  private func saveTrips(_ count: Int = 10) throws {
    for number in 0..<count {
      context.author = ["a", "b", nil][number % 3]
      context.insert(Trip("\(number)"))
      try context.save()
    }
  }

  // MARK: Changes

  @Test func `CD-7 Insertions, updates and deletions arrive with class, identifier, key paths and preserved values`()
    throws
  {
    let (code, other) = (UUID(), UUID())
    let trip = Trip("Rome", code: code, kind: .leisure, price: 12.5)
    trip.stops = [Stop("Forum")]
    let plain = Trip("Oslo", code: other)
    context.author = "first"
    context.insert(trip)
    context.insert(plain)
    try context.save()
    let identifiers = (trip.persistentModelID, plain.persistentModelID)
    let stop = try #require(trip.stops.first).persistentModelID
    context.author = nil
    trip.notes = "warm"
    trip.kind = .business
    trip.stops.append(Stop("Tiber"))
    try context.save()
    context.author = "third"
    context.delete(trip)
    context.delete(plain)
    try context.save()

    let transactions = try context.fetchHistory(HistoryDescriptor())
    #expect(transactions.map(\.author) == ["first", nil, "third"])
    #expect(transactions.map(\.id) == [1, 2, 3] && transactions.map(\.transactionIdentifier) == [1, 2, 3])
    #expect(transactions.allSatisfy { !$0.bundleIdentifier.isEmpty && !$0.processIdentifier.isEmpty })
    #expect(transactions.allSatisfy { abs($0.timestamp.timeIntervalSinceNow) < 600 })
    #expect(transactions.map(\.storeIdentifier).allSatisfy { $0 == identifiers.0.storeIdentifier })
    #expect(transactions[1].token.tokenValue == [transactions[1].storeIdentifier: 2])

    let inserted: [PersistentIdentifier] = transactions[0].changes.compactMap { change in
      if case .insert(let insert as DefaultHistoryInsert<Trip>) = change {
        insert.changedPersistentIdentifier
      } else {
        nil
      }
    }
    #expect(inserted == [identifiers.0, identifiers.1] && transactions[0].changes.count == 3)
    #expect(transactions[0].changes.contains { $0.changedPersistentIdentifier == stop })

    let updates: [DefaultHistoryUpdate<Trip>] = transactions[1].changes.compactMap { change in
      if case .update(let update as DefaultHistoryUpdate<Trip>) = change { update } else { nil }
    }
    let update = try #require(updates.first)
    #expect(
      updates.count == 1 && update.transactionIdentifier == 2 && update.changedPersistentIdentifier == identifiers.0)
    #expect(Set(update.updatedAttributes.map { $0 as AnyKeyPath }) == [\Trip.notes, \Trip.kind, \Trip.stops])
    #expect(update.updatedAttributes.contains(\.kind) && !update.updatedAttributes.contains(\.name))
    #expect(trip[keyPath: try #require(update.updatedAttributes.first { $0 == \.notes })] as? String == "warm")

    let tombstones: [HistoryTombstone<Trip>] = transactions[2].changes.compactMap { change in
      guard case .delete(let deletion) = change else { return nil }
      return (deletion as? any HistoryDelete<Trip>)?.tombstone
    }
    #expect(tombstones.count == 2 && transactions[2].changes.count == 4)
    let (first, second) = (try #require(tombstones.first), try #require(tombstones.last))
    #expect(first[\.code] as? UUID == code && first[\.name] as? String == "Rome")
    #expect(first[\.price] as? Decimal == 12.5 && first[\.notes] == nil && first.map { $0 }.count == 4)
    #expect(first[\.kind] as? Kind == .business)
    #expect(second[\.code] as? UUID == other && second[\.kind] == nil && second[\.price] == nil)
    #expect(second.contains { $0 as? String == "Oslo" })
    try check()
  }

  @Test func `CD-7 A subclass's changes have its class, and know properties of its superclass`() throws {
    let dog = Dog("Rex", chip: 1)
    context.insert(dog)
    try context.save()
    dog.name = "Bello"
    dog.chip = 7
    try context.save()
    context.delete(dog)
    try context.save()
    let changes = try context.fetchHistory(HistoryDescriptor()).flatMap(\.changes)
    #expect(changes.allSatisfy { $0.changedPersistentIdentifier.entityName == "Dog" } && changes.count == 3)
    guard case .update(let update as DefaultHistoryUpdate<Dog>) = changes[1],
      case .delete(let deletion as DefaultHistoryDelete<Dog>) = changes[2]
    else {
      Issue.record("the changes are of other kinds or classes: \(changes)")
      return
    }
    #expect(update.updatedAttributes.count == 2 && update.updatedAttributes.contains(\.chip))
    #expect(update.includes(\.name) && update.includes(\.chip) && !update.includes(\.persistentModelID))
    #expect(update.updatedAttributes.contains { ($0 as AnyKeyPath) == \Animal.name })
    #expect(Set(update.updatedAttributes.map { "\(dog[keyPath: $0])" }) == ["Bello", "7"])
    #expect(deletion.tombstone[\.name] as? String == "Bello" && deletion.tombstone[\.chip] as? Int == 7)
    try check()
  }

  @Test func `A tombstone can be made for a custom store`() {
    let tombstone = HistoryTombstone<Trip>([\.name: "Rome"])
    #expect(tombstone[\.name] as? String == "Rome" && tombstone[\.code] == nil)
    #expect(tombstone.map { $0 as? String } == ["Rome"])
  }

  // MARK: Conditions and order

  @Test func `CD-7 Conditions on token, number, time, author, store and process select as in memory`() throws {
    try saveTrips()
    let all = try context.fetchHistory(HistoryDescriptor())
    let token = all[3].token
    let date = all[5].timestamp
    let identifier = all[0].storeIdentifier
    let process = all[0].processIdentifier
    let name = "a"
    let nobody: String? = nil
    let (smallest, largest) = (Int64.min, Int64.max)
    let predicates: [(Predicate<DefaultHistoryTransaction>, (DefaultHistoryTransaction) -> Bool)] = [
      (#Predicate { $0.token > token }, { $0.token > token }),
      (#Predicate { $0.token >= token }, { $0.token >= token }),
      (#Predicate { $0.token < token }, { $0.token < token }),
      (#Predicate { token <= $0.token }, { token <= $0.token }),
      (#Predicate { $0.token == token }, { $0.token == token }),
      (#Predicate { $0.token != token }, { $0.token != token }),
      (#Predicate { $0.transactionIdentifier > 7 }, { $0.transactionIdentifier > 7 }),
      (#Predicate { 3 >= $0.transactionIdentifier }, { 3 >= $0.transactionIdentifier }),
      (#Predicate { $0.transactionIdentifier == 4 }, { $0.transactionIdentifier == 4 }),
      (#Predicate { $0.transactionIdentifier != 4 }, { $0.transactionIdentifier != 4 }),
      (#Predicate { $0.id < smallest }, { _ in false }), (#Predicate { $0.id <= largest }, { _ in true }),
      (#Predicate { $0.timestamp > date }, { $0.timestamp > date }),
      (#Predicate { $0.timestamp >= date }, { $0.timestamp >= date }),
      (#Predicate { $0.timestamp < date }, { $0.timestamp < date }),
      (#Predicate { $0.timestamp <= date }, { $0.timestamp <= date }),
      (#Predicate { $0.timestamp == date }, { $0.timestamp == date }),
      (#Predicate { $0.author == "a" }, { $0.author == "a" }),
      (#Predicate { $0.author == name }, { $0.author == "a" }),
      (#Predicate { $0.author != "a" }, { $0.author != "a" }),
      (#Predicate { $0.author == nil }, { $0.author == nil }), (#Predicate { $0.author != nil }, { $0.author != nil }),
      (#Predicate { $0.author == nobody }, { $0.author == nil }),
      (#Predicate { $0.author == nil || $0.author != "a" }, { $0.author != "a" }),
      (#Predicate { $0.author != "a" || $0.author == nil }, { $0.author != "a" }),
      (#Predicate { $0.author == nil || $0.author == "b" }, { $0.author == nil || $0.author == "b" }),
      (#Predicate { $0.author != "a" && $0.author != "b" }, { $0.author == nil }),
      (#Predicate { ($0.author ?? "").contains("a") }, { $0.author == "a" }),
      (#Predicate { $0.author!.contains("a") }, { $0.author == "a" }),
      (#Predicate { !($0.author == "a") }, { $0.author != "a" }),
      (#Predicate { $0.storeIdentifier == identifier }, { _ in true }),
      (#Predicate { $0.storeIdentifier != identifier }, { _ in false }),
      (#Predicate { $0.storeIdentifier == "another" }, { _ in false }),
      (#Predicate { $0.processIdentifier == process && $0.bundleIdentifier != "" }, { _ in true }),
      (#Predicate { $0.processIdentifier == "" || $0.bundleIdentifier == "x" }, { _ in false }),
      (#Predicate { $0.bundleIdentifier != "x" && $0.processIdentifier != "" }, { _ in true }),
      (#Predicate { $0.changes.count > 1 }, { $0.changes.count > 1 }),
      (
        #Predicate { $0.token > token && ($0.author == nil || $0.author != "a") && $0.changes.count == 1 },
        { $0.token > token && $0.author != "a" }
      ),
      (#Predicate { $0.token > token || $0.author == "a" }, { $0.token > token || $0.author == "a" }),
    ]
    for (index, (predicate, expected)) in predicates.enumerated() {
      let wanted = all.filter(expected).map(\.transactionIdentifier)
      #expect(try fetch(predicate) == wanted, "predicate \(index)")
      #expect(try fetch(predicate, limit: 2) == Array(wanted.prefix(2)), "predicate \(index), limited")
      let latest = try fetch(predicate, limit: 3, sortBy: [SortDescriptor(\.token, order: .reverse)])
      #expect(latest == Array(wanted.reversed().prefix(3)), "predicate \(index), the latest first")
    }
  }

  @Test func `A condition without a value selects nothing, and one that fails is an error`() throws {
    try saveTrips(3)
    let (zero, index) = (Int64(0), 5)
    #expect(try fetch(#Predicate { 6 / zero > $0.transactionIdentifier }) == [])
    #expect(try fetch(#Predicate { $0.transactionIdentifier % zero == 0 }) == [])
    #expect(try fetch(#Predicate { $0.changes[index].changedPersistentIdentifier.entityName == "Trip" }) == [])
    #expect(try fetch(#Predicate { $0.author! == "a" }) == [1])
    let failing = Predicate<DefaultHistoryTransaction> { _ in FailingExpression() }
    let error = #expect(throws: SwiftDataError.unsupportedPredicate) { try fetch(failing) }
    #expect(error?.explanation?.contains("no answer") == true)
    #expect(throws: SwiftDataError.unsupportedPredicate) {
      try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: failing))
    }
    #expect(try fetch() == [1, 2, 3])
  }

  /// An operator that a program defines.
  private struct FailingExpression: StandardPredicateExpression {
    typealias Output = Bool

    struct Failure: Error, CustomStringConvertible {
      let description = "no answer"
    }

    func evaluate(_ bindings: PredicateBindings) throws -> Bool { throw Failure() }
  }

  @Test func `Transactions are sorted by token, number, time, author, and by several of them`() throws {
    try saveTrips(7)
    try PlainSQL.run(store.url, "UPDATE ATRANSACTION SET ZTIMESTAMP = (Z_PK * 5) % 7")
    #expect(try fetch(sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)]) == [7, 6, 5, 4, 3, 2, 1])
    #expect(try fetch(limit: 1, sortBy: [.init(\.token, order: .reverse)]) == [7])
    #expect(try fetch(limit: 3, sortBy: [SortDescriptor(\.timestamp)]) == [7, 3, 6])
    #expect(try fetch(limit: 2, sortBy: [SortDescriptor(\.timestamp, order: .reverse)]) == [4, 1])
    let byAuthor = [
      SortDescriptor(\DefaultHistoryTransaction.author), SortDescriptor(\.transactionIdentifier, order: .reverse),
    ]
    #expect(try fetch(sortBy: byAuthor) == [6, 3, 7, 4, 1, 5, 2])
    #expect(try fetch(limit: 2, sortBy: byAuthor) == [6, 3])
  }

  // MARK: Tokens

  @Test func `A token survives coding, compares by its numbers, and continues where it was`() throws {
    try saveTrips(3)
    let last = try #require(try context.fetchHistory(HistoryDescriptor()).last).token
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: JSONEncoder().encode(last))
    #expect(token == last && token.id == last.id && !(token < last) && token <= last)
    let later = #Predicate<DefaultHistoryTransaction> { $0.token > token }
    #expect(try fetch(later) == [])
    try saveTrips(2)
    #expect(try fetch(later) == [4, 5])
    #expect(try #require(try context.fetchHistory(HistoryDescriptor()).last).token > token)
  }

  @Test func `A token whose transactions were deleted has expired, and so has a token of another store`() throws {
    try saveTrips(6)
    let all = try context.fetchHistory(HistoryDescriptor())
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.transactionIdentifier <= 4 }))
    for (number, transaction) in all.enumerated() {
      let token = transaction.token
      let predicate = #Predicate<DefaultHistoryTransaction> { $0.token > token }
      if number < 3 {
        let error = #expect(throws: SwiftDataError.historyTokenExpired) { try fetch(predicate) }
        #expect(error?.explanation?.contains("number \(number + 1)") == true)
      } else {
        #expect(try fetch(predicate) == Array(5...6).filter { $0 > number + 1 })
      }
    }
    try context.deleteHistory(HistoryDescriptor())
    let last = all[5].token
    let early = all[4].token
    #expect(try fetch(#Predicate { $0.token > last }) == [])
    #expect(throws: SwiftDataError.historyTokenExpired) { try fetch(#Predicate { $0.token > early }) }
    try saveTrips(1)
    #expect(try fetch(#Predicate { $0.token > last }) == [7], "numbers are not used again")
    try check()

    let other = try HistoryTests()
    try other.saveTrips(1)
    #expect(throws: SwiftDataError.historyTokenExpired) { try other.fetch(#Predicate { $0.token > last }) }
  }

  // MARK: Deletion

  @Test func `Deleting history by token, time, author or in memory removes these transactions and no others`() throws {
    try saveTrips(9)
    let token = try #require(try context.fetchHistory(HistoryDescriptor()).first).token
    try context.deleteHistory(HistoryDescriptor(predicate: #Predicate<DefaultHistoryTransaction> { $0.token <= token }))
    #expect(try fetch() == [2, 3, 4, 5, 6, 7, 8, 9])
    try context.deleteHistory(HistoryDescriptor(predicate: #Predicate<DefaultHistoryTransaction> { $0.author == "b" }))
    #expect(try fetch() == [3, 4, 6, 7, 9])
    try context.deleteHistory(
      HistoryDescriptor(predicate: #Predicate<DefaultHistoryTransaction> { ($0.author ?? "x").starts(with: "x") }))
    #expect(try fetch() == [4, 7])
    var oldest = HistoryDescriptor<DefaultHistoryTransaction>()
    oldest.fetchLimit = 1
    try context.deleteHistory(oldest)
    #expect(try fetch() == [7])
    let changes = try PlainSQL.rows(store.url, "SELECT DISTINCT ZTRANSACTIONID FROM ACHANGE")
    #expect(changes == [[.integer(7)]])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 9)
    try check()
  }

  @Test func `History of a store that is open for reading only cannot be deleted`() throws {
    try saveTrips(2)
    let reader = ModelContext(
      try ModelContainer(
        for: Trip.self, Stop.self, Animal.self, Dog.self,
        configurations: ModelConfiguration(url: store.url, allowsSave: false)))
    #expect(try reader.fetchHistory(HistoryDescriptor()).count == 2)
    #expect(throws: SwiftDataError.storeFailure) { try reader.deleteHistory(HistoryDescriptor()) }
    #expect(try fetch() == [1, 2])
  }

  @Test func `A store in memory keeps a history as a file does`() throws {
    let context = ModelContext(
      try ModelContainer(
        for: Trip.self, Stop.self, Animal.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)
      ))
    #expect(try context.fetchHistory(HistoryDescriptor()).isEmpty)
    context.insert(Trip("a"))
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor()).map(\.changes.count) == [1])
    try context.deleteHistory(HistoryDescriptor())
    #expect(try context.fetchHistory(HistoryDescriptor()).isEmpty)
  }

  @Test("A container deletes the history that its configuration keeps no longer, and nothing else")
  func retention() throws {
    context.insert(Trip("first"))
    try context.save()
    Thread.sleep(forTimeInterval: 0.05)
    let token = try #require(context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token)
    context.insert(Trip("second"))
    try context.save()
    func kept(_ retention: Duration?) throws -> Int {
      var configuration = ModelConfiguration(url: store.url)
      configuration.historyRetention = retention
      let container = try ModelContainer(
        for: Trip.self, Stop.self, Animal.self, Dog.self, configurations: configuration)
      let context = ModelContext(container)
      #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
      return try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    }
    #expect(try kept(nil) == 2)
    #expect(try kept(.seconds(3600)) == 2)
    #expect(try kept(.zero) == 0)
    #expect(throws: SwiftDataError.historyTokenExpired) {
      try context.fetchHistory(
        HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
    }
  }
}
