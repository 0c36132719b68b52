import Foundation
import SwiftData
import Testing

/// The history of a store tells what each save changed, since a token that a program has kept.
@Suite("History")
struct HistoryTests {
  @Model final class Trip {
    @Attribute(.preserveValueOnDeletion) var name: String
    var days: Int
    init(name: String, days: Int = 1) {
      self.name = name
      self.days = days
    }
  }

  /// The changes since a token as text, and the token of the last of them.
  private func changes(
    _ context: ModelContext, since token: DefaultHistoryToken?
  ) throws -> ([String], DefaultHistoryToken?) {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>()
    if let token {
      descriptor.predicate = #Predicate { transaction in
        transaction.token > token
      }
    }
    let transactions = try context.fetchHistory(descriptor)
    var lines: [String] = []
    for transaction in transactions {
      for change in transaction.changes {
        switch change {
        case .insert(let inserted): lines.append("insert \(inserted.changedPersistentIdentifier.entityName)")
        case .update(let updated): lines.append("update \(updated.changedPersistentIdentifier.entityName)")
        case .delete(let deleted): lines.append("delete \(deleted.changedPersistentIdentifier.entityName)")
        }
      }
    }
    return (lines, transactions.last?.token)
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `a token divides what is known from what is new`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trip.self)
    let context = store.context
    let trip = Trip(name: "Fjords")
    context.insert(trip)
    try context.save()
    let (first, token) = try changes(context, since: nil)
    #expect(first == ["insert Trip"])

    trip.days = 9
    try context.save()
    context.delete(trip)
    try context.save()
    let (second, last) = try changes(context, since: token)
    #expect(second == ["update Trip", "delete Trip"])
    #expect(try changes(context, since: last).0.isEmpty)
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `an update names its properties, a deletion keeps preserved values`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trip.self)
    let context = store.context
    let trip = Trip(name: "Fjords")
    context.insert(trip)
    try context.save()
    trip.days = 4
    try context.save()
    context.delete(trip)
    try context.save()

    for change in try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes) {
      switch change {
      case .insert(let inserted): #expect(inserted is DefaultHistoryInsert<Trip>)
      case .update(let updated):
        let update = try #require(updated as? DefaultHistoryUpdate<Trip>)
        #expect(update.updatedAttributes.contains { $0 == \Trip.days })
      case .delete(let deleted):
        let deletion = try #require(deleted as? DefaultHistoryDelete<Trip>)
        #expect(deletion.tombstone[\.name] as? String == "Fjords")
      }
    }
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `transactions are told apart by their author`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trip.self)
    let context = store.context
    for author in ["app", "widget"] {
      let context = store.freshContext()
      context.author = author
      context.insert(Trip(name: author))
      try context.save()
    }
    let own = "app"
    let descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author != own })
    #expect(try context.fetchHistory(descriptor).map(\.author) == ["widget"])
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `a token is kept as JSON, and old history is deleted`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Trip.self)
    let context = store.context
    for number in 1...3 {
      context.insert(Trip(name: "\(number)"))
      try context.save()
    }
    let transactions = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    #expect(transactions.count == 3)
    let data = try JSONEncoder().encode(transactions[1].token)
    let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: data)
    let newer = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
    #expect(try context.fetchHistory(newer).map(\.token) == [transactions[2].token])

    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token < token }))
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).map(\.token).contains(token))
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 2)
  }
}
