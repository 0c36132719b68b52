import SwiftData

/// Loads flights in the background, in a context of its own.
@ModelActor
actor FlightLoader {
  /// Inserts the flights of a feed and saves them: new flights, and known flights with their new values.
  func load(_ feed: Feed) throws {
    let airports = try byKey(modelContext.fetch(FetchDescriptor<Airport>()), \.icao)
    let airlines = try byKey(modelContext.fetch(FetchDescriptor<Airline>()), \.code)
    for report in try feed.decoded(as: FlightReport.self) {
      let flight = Flight(report)
      modelContext.insert(flight)
      flight.origin = airports[report.origin]
      flight.destination = airports[report.destination]
      flight.airline = airlines[report.airline]
    }
    try modelContext.save()
  }

  private func byKey<Model>(_ models: [Model], _ key: (Model) -> String) -> [String: Model] {
    Dictionary(models.map { (key($0), $0) }, uniquingKeysWith: { first, _ in first })
  }
}
