import SwiftData

/// An airline and the flights that it operates.
@Model
final class Airline: Codable {
  @Attribute(.unique) var code: String
  var name: String
  var shortName: String

  @Relationship(deleteRule: .cascade, inverse: \Flight.airline) var flights: [Flight] = []

  private enum CodingKeys: String, CodingKey {
    case code, name
    case shortName = "short_name"
  }

  required init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    code = try values.decode(String.self, forKey: .code)
    name = try values.decode(String.self, forKey: .name)
    shortName = try values.decode(String.self, forKey: .shortName)
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(code, forKey: .code)
    try values.encode(name, forKey: .name)
    try values.encode(shortName, forKey: .shortName)
  }
}
