import SwiftData

/// Loads airports and airlines on the main actor.
@MainActor
struct MainLoader {
  let context: ModelContext

  /// Inserts decoded models; an airport or airline that is stored already is updated, because its code is unique.
  ///
  /// The context saves by itself a moment later.
  func load() throws {
    for airport in try Feed.airports.decoded(as: Airport.self) { context.insert(airport) }
    for airline in try Feed.airlines.decoded(as: Airline.self) { context.insert(airline) }
  }
}
