import Foundation
import SwiftData

/// Loads airports, airlines and two reports of flights, shows arrivals while they change, and asks for flights in several ways.
@main
@MainActor
struct Enroute {
  let container: ModelContainer
  var context: ModelContext { container.mainContext }

  static func main() async throws {
    let store = FileManager.default.temporaryDirectory.appending(path: "Enroute-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: store, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: store) }
    let configuration = ModelConfiguration(url: store.appending(path: "Enroute.store"))
    let example = Enroute(container: try ModelContainer(for: Flight.self, configurations: configuration))
    try await example.run()
  }

  func run() async throws {
    try MainLoader(context: context).load()
    while context.hasChanges { try await Task.sleep(for: .milliseconds(20)) }
    print("\(try context.fetchCount(FetchDescriptor<Airport>())) airports saved automatically")

    let board = try ArrivalsBoard(of: "KSFO", in: context)
    var changes = board.flights.differences.makeAsyncIterator()
    let loader = FlightLoader(modelContainer: container)
    for feed in [Feed.flightsAt1800, .flightsAt2000] {
      try await loader.load(feed)
      // The loader's save reaches the board through the store.
      if let change = await changes.next(isolation: #isolation) { board.show(change) }
    }
    try ask()
    try check(board)
  }

  /// Ends the program if the reports left something else in the store than they say.
  private func check(_ board: ArrivalsBoard) throws {
    let counts = [
      "airports": try context.fetchCount(FetchDescriptor<Airport>()),
      "flights": try context.fetchCount(FetchDescriptor<Flight>()),
      "flights in the air": try context.fetchCount(FetchDescriptor(predicate: Flight.isEnroute)),
      "expected arrivals": board.flights.results.count,
    ]
    guard counts == ["airports": 24, "flights": 120, "flights in the air": 41, "expected arrivals": 9] else {
      print("the store does not hold what was loaded: \(counts)")
      exit(1)
    }
  }

  private func ask() throws {
    print("\n\(try context.fetchCount(FetchDescriptor(predicate: Flight.isEnroute))) flights are in the air")
    try list("Longest flights", by: SortDescriptor(\.distance, order: .reverse))
    try list("Shortest flights", by: SortDescriptor(\.distance))
    withModelContainer(container) {
      Departures(from: "KSFO", airline: "CLN", sort: [SortDescriptor(\.number)]).show("Cloudline from San Francisco")
      Departures(from: "KORD", sort: [SortDescriptor(\.departure.scheduled)]).show("From Chicago, earliest first")
    }

    let beginning = "San "
    let airports = FetchDescriptor<Airport>(
      predicate: #Predicate { $0.city.starts(with: beginning) }, sortBy: [SortDescriptor(\.name)])
    print("\nAirports of cities that begin with “\(beginning)”:")
    for airport in try context.fetch(airports) {
      print("  \(airport.name), \(airport.departures.count) departures, \(airport.arrivals.count) arrivals")
    }
  }

  /// Prints the first three flights of an order.
  private func list(_ title: String, by order: SortDescriptor<Flight>) throws {
    var descriptor = FetchDescriptor(sortBy: [order, SortDescriptor(\.number)])
    descriptor.fetchLimit = 3
    descriptor.relationshipKeyPathsForPrefetching = [\.origin, \.destination]
    print("\n\(title):")
    for flight in try context.fetch(descriptor) { print("  \(flight)") }
  }
}
