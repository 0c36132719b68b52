package import Foundation

/// A value of a property list, with the types that a model's files need.
package indirect enum PropertyListValue: Sendable, Hashable {
  case string(String)
  case data(Data)
  case array([PropertyListValue])
  case dictionary([String: PropertyListValue])
  /// A number, a date or a flag.
  case other
}

extension PropertyListValue {
  /// Reads a binary property list from untrusted bytes. Returns `nil` for other bytes, and for a list that unfolds too
  /// far.
  package init?(binary bytes: Data) {
    guard let list = try? BinaryPropertyList(bytes) else { return nil }
    var visitsLeft = 1_000_000
    guard let value = PropertyListValue(list, list.top, depth: 0, &visitsLeft) else { return nil }
    self = value
  }

  private init?(_ list: BinaryPropertyList, _ position: Int, depth: Int, _ visitsLeft: inout Int) {
    visitsLeft -= 1
    guard depth < 32, visitsLeft > 0 else { return nil }
    switch list.objects[position] {
    case .string(let text): self = .string(text)
    case .data(let data): self = .data(data)
    case .array(let positions):
      var items: [PropertyListValue] = []
      for position in positions {
        guard let item = PropertyListValue(list, position, depth: depth + 1, &visitsLeft) else { return nil }
        items.append(item)
      }
      self = .array(items)
    case .dictionary(let keys, let values):
      var contents: [String: PropertyListValue] = [:]
      for (key, value) in zip(keys, values) {
        guard case .string(let name) = list.objects[key],
          let value = PropertyListValue(list, value, depth: depth + 1, &visitsLeft)
        else { return nil }
        contents[name] = value
      }
      self = .dictionary(contents)
    default: self = .other
    }
  }
}
