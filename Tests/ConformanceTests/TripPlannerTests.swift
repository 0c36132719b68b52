import Foundation
import SwiftData
import Testing

// Written like a program for Apple's framework: the code does not depend on whose module it imports.

@Model
final class Trip {
  @Attribute(.unique) var name: String
  var destination: String
  var startDate: Date
  var endDate: Date

  @Relationship(deleteRule: .cascade, inverse: \BucketListItem.trip)
  var bucketList: [BucketListItem] = []

  @Relationship(deleteRule: .nullify, inverse: \LivingAccommodation.trip)
  var livingAccommodation: LivingAccommodation?

  @Transient var isSelected = false

  init(name: String, destination: String, startDate: Date = .now, endDate: Date = .distantFuture) {
    self.name = name
    self.destination = destination
    self.startDate = startDate
    self.endDate = endDate
  }

  var duration: TimeInterval { endDate.timeIntervalSince(startDate) }
}

@Model
final class BucketListItem {
  var title: String
  var details: String
  var isPlanned = false
  var trip: Trip?

  init(title: String, details: String = "") {
    self.title = title
    self.details = details
  }
}

@Model
final class LivingAccommodation {
  var placeName: String
  var trip: Trip?

  init(placeName: String) {
    self.placeName = placeName
  }
}

@MainActor
@Suite(ChapterPlace.condition)
struct TripPlannerTests {
  let container: ModelContainer
  var context: ModelContext { container.mainContext }

  init() throws {
    container = try ModelContainer(
      for: Trip.self, BucketListItem.self, LivingAccommodation.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
  }

  private func addTrips() throws {
    for (index, destination) in ["Lisbon", "Oslo", "Rome", "Lima"].enumerated() {
      let start = Date(timeIntervalSinceReferenceDate: Double(index) * 86_400)
      let trip = Trip(
        name: "Trip \(index)", destination: destination, startDate: start, endDate: start.addingTimeInterval(3_600))
      trip.bucketList = [BucketListItem(title: "See \(destination)"), BucketListItem(title: "Eat")]
      context.insert(trip)
    }
    try context.save()
  }

  @Test func createAndRead() throws {
    try addTrips()
    let trips = try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.startDate, order: .reverse)]))
    #expect(trips.map(\.destination) == ["Lima", "Rome", "Oslo", "Lisbon"])
    #expect(trips.first?.duration == 3_600)
    #expect(trips.first?.isSelected == false)
  }

  @Test func filterSortAndLimit() throws {
    try addTrips()
    let query = "li"
    var descriptor = FetchDescriptor<Trip>(
      predicate: #Predicate { $0.destination.localizedStandardContains(query) },
      sortBy: [SortDescriptor(\.destination)])
    #expect(try context.fetch(descriptor).map(\.destination) == ["Lima", "Lisbon"])
    descriptor.fetchLimit = 1
    #expect(try context.fetch(descriptor).map(\.destination) == ["Lima"])
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 4)
  }

  @Test func relationships() throws {
    try addTrips()
    let items = try context.fetch(
      FetchDescriptor<BucketListItem>(predicate: #Predicate { $0.trip?.destination == "Rome" }))
    #expect(items.count == 2)
    let trip = try #require(items.first?.trip)
    trip.livingAccommodation = LivingAccommodation(placeName: "Albergo")
    try context.save()
    #expect(trip.livingAccommodation?.trip == trip)
    let planned = #Predicate<Trip> { trip in trip.bucketList.contains { $0.isPlanned } }
    #expect(try context.fetch(FetchDescriptor(predicate: planned)).isEmpty)
    items[0].isPlanned = true
    #expect(try context.fetch(FetchDescriptor(predicate: planned)) == [trip])
  }

  @Test func updateAndRollBack() throws {
    try addTrips()
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>(sortBy: [SortDescriptor(\.name)])).first)
    trip.destination = "Porto"
    #expect(context.hasChanges && trip.hasChanges)
    context.rollback()
    #expect(trip.destination == "Lisbon" && !context.hasChanges)
  }

  @Test func deleteCascades() throws {
    try addTrips()
    let trip = try #require(try context.fetch(FetchDescriptor<Trip>()).first)
    context.delete(trip)
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 3)
    #expect(try context.fetchCount(FetchDescriptor<BucketListItem>()) == 6)
    try context.delete(model: Trip.self, where: #Predicate { $0.destination == "Oslo" })
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Trip>()) == 2)
  }

  @Test func backgroundContext() async throws {
    try addTrips()
    let container = container
    let identifier = try await Task.detached {
      let context = ModelContext(container)
      let trip = Trip(name: "Background", destination: "Quito")
      context.insert(trip)
      try context.save()
      return trip.persistentModelID
    }.value
    let trip = try #require(context.model(for: identifier) as? Trip)
    #expect(trip.destination == "Quito")
    #expect(context.registeredModel(for: identifier) == trip)
  }

  @Test func uniqueNameUpserts() throws {
    try addTrips()
    context.insert(Trip(name: "Trip 0", destination: "Faro"))
    try context.save()
    let trips = try context.fetch(FetchDescriptor<Trip>(predicate: #Predicate { $0.name == "Trip 0" }))
    #expect(trips.map(\.destination) == ["Faro"])
  }

  @Test func transactionSaves() throws {
    let context = ModelContext(container)
    try context.transaction {
      context.insert(Trip(name: "T", destination: "X"))
    }
    #expect(!context.hasChanges)
    #expect(try self.context.fetchCount(FetchDescriptor<Trip>()) == 1)
  }
}
