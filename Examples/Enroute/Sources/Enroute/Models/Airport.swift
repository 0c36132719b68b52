import SwiftData

/// An airport, decoded from JSON as it is: a model that is `Codable` itself.
@Model
final class Airport: Codable {
  @Attribute(.unique) var icao: String
  var name: String
  var city: String
  var state: String?
  var countryCode: String
  var latitude: Double
  var longitude: Double
  var timezone: String

  @Relationship(deleteRule: .cascade, inverse: \Flight.origin) var departures: [Flight] = []
  @Relationship(deleteRule: .cascade, inverse: \Flight.destination) var arrivals: [Flight] = []

  private enum CodingKeys: String, CodingKey {
    case icao, name, city, state, latitude, longitude, timezone
    case countryCode = "country_code"
  }

  required init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    icao = try values.decode(String.self, forKey: .icao)
    name = try values.decode(String.self, forKey: .name)
    city = try values.decode(String.self, forKey: .city)
    state = try values.decodeIfPresent(String.self, forKey: .state)
    countryCode = try values.decode(String.self, forKey: .countryCode)
    latitude = try values.decode(Double.self, forKey: .latitude)
    longitude = try values.decode(Double.self, forKey: .longitude)
    timezone = try values.decode(String.self, forKey: .timezone)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(icao, forKey: .icao)
    try values.encode(name, forKey: .name)
    try values.encode(city, forKey: .city)
    try values.encodeIfPresent(state, forKey: .state)
    try values.encode(countryCode, forKey: .countryCode)
    try values.encode(latitude, forKey: .latitude)
    try values.encode(longitude, forKey: .longitude)
    try values.encode(timezone, forKey: .timezone)
  }
}
