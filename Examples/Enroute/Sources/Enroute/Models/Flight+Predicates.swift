import Foundation
import SwiftData

extension Flight {
  /// Selects flights that have taken off and have not landed.
  static let isEnroute = #Predicate<Flight> { $0.departure.actual != nil && $0.arrival.actual == nil }

  /// Selects flights by their airports and their airline; `nil` stands for any.
  static func from(
    _ origin: String? = nil, to destination: String? = nil, airline: String? = nil, enrouteOnly: Bool = false
  ) -> Predicate<Flight> {
    var conditions = enrouteOnly ? [isEnroute] : []
    if let origin { conditions.append(#Predicate { $0.origin?.icao == origin }) }
    if let destination { conditions.append(#Predicate { $0.destination?.icao == destination }) }
    if let airline { conditions.append(#Predicate { $0.airline?.code == airline }) }
    return Predicate(all: conditions)
  }
}

extension Flight: CustomStringConvertible {
  var description: String {
    "\(number)  \(origin?.icao ?? "?")-\(destination?.icao ?? "?")  \(aircraft)  \(distance) nm, \(progress) %"
  }
}
