import Foundation
import Testing

/// What a tool printed, as the one object that JSON text holds.
func JSONObject(_ text: String) throws -> [String: Any] {
  try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}
