import Foundation
import SwiftData

/// A flight between two airports.
@Model
final class Flight {
  #Index<Flight>([\.distance], [\.progress])

  @Attribute(.unique) var number: String
  var aircraft: String
  /// In nautical miles.
  var distance: Int
  /// In knots.
  var speed: Int
  /// In hundreds of feet.
  var altitude: Int
  /// In percent of the way.
  var progress: Int
  var departure: Times
  var arrival: Times

  var origin: Airport?
  var destination: Airport?
  var airline: Airline?

  /// A moment as it was planned, as it is expected, and as it was: a structure's parts are columns, which predicates can ask for.
  struct Times: Codable {
    var scheduled: Date
    var estimated: Date?
    var actual: Date?
  }

  /// A new flight with the values of a report. Its relationships are set once it is in a context.
  init(_ report: FlightReport) {
    number = report.number
    aircraft = report.aircraft
    distance = report.distance
    speed = report.speed
    altitude = report.altitude
    progress = report.progress
    departure = report.departure
    arrival = report.arrival
  }
}

/// A flight as the feed reports it: airports and airline by their codes.
struct FlightReport: Codable, Sendable {
  var number: String
  var airline: String
  var origin: String
  var destination: String
  var aircraft: String
  var distance: Int
  var speed: Int
  var altitude: Int
  var departure: Flight.Times
  var arrival: Flight.Times
  var progress: Int
}
