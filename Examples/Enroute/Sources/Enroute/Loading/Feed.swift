import Foundation

/// The JSON files of this example, which stand for a server.
enum Feed: String {
  case airports, airlines
  case flightsAt1800 = "flights-1800"
  case flightsAt2000 = "flights-2000"

  /// Decodes the file's array.
  func decoded<Element: Decodable>(as type: Element.Type = Element.self) throws -> [Element] {
    let file = Bundle.module.bundleURL.appending(path: "Data/\(rawValue).json")
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode([Element].self, from: Data(contentsOf: file))
  }
}
