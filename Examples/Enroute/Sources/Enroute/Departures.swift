import Foundation
import SwiftData

/// The flights that leave an airport, as a screen of an app would declare them.
@MainActor
struct Departures {
  @Query private var flights: [Flight]

  init(from airport: String, airline: String? = nil, sort order: [SortDescriptor<Flight>]) {
    _flights = Query(filter: Flight.from(airport, airline: airline), sort: order)
  }

  /// Prints the first three flights.
  func show(_ title: String) {
    print("\n\(title), 3 of \(flights.count):")
    for flight in flights.prefix(3) { print("  \(flight)") }
  }
}
