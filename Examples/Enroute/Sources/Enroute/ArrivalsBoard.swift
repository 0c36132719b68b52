import SwiftData

/// The flights on their way to an airport, nearest first: a live query.
@MainActor
struct ArrivalsBoard {
  let airport: String
  let flights: ResultsObserver<Flight, Never>

  init(of airport: String, in context: ModelContext) throws {
    self.airport = airport
    flights = try ResultsObserver(
      filterBy: Flight.from(to: airport, enrouteOnly: true),
      sortBy: [SortDescriptor(\.progress, order: .reverse), SortDescriptor(\.number)], modelContext: context)
  }

  /// Prints the difference between two states of the board.
  func show(_ difference: ResultsDifference<Flight>) {
    print("\n\(airport) expects \(difference.results.count) flights:")
    for change in difference.changes {
      switch change {
      case .insert(let flight, let place): print("  \(place + 1). new     \(flight)")
      case .delete(let flight, _): print("     landed  \(flight)")
      case .move(let flight, let old, let new): print("  \(new + 1). was \(old + 1)  \(flight)")
      case .update: break
      }
    }
  }
}
