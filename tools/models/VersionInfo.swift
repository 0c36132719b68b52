import CoreDataModel
package import Foundation
import ModelArchive

/// What the `VersionInfo.plist` of a `.momd` says: the current version, and every version's hashes.
package struct VersionInfo {
  package static let fileName = "VersionInfo.plist"

  package enum Key {
    package static let currentVersion = "NSManagedObjectModel_CurrentVersionName"
    package static let hashes = "NSManagedObjectModel_VersionHashes"
  }

  /// The current version's name; bundles of one version may leave it out.
  package var currentVersion: String?
  /// Version → entity → hash.
  package var hashes: [String: [String: Data]] = [:]

  /// Reads the list from untrusted bytes, binary or XML; `nil` for bytes that are no such list.
  package init?(_ bytes: Data) {
    let list =
      bytes.starts(with: Data("bplist".utf8)) ? PropertyListValue(binary: bytes) : PropertyListValue(xml: bytes)
    guard case .dictionary(let contents)? = list else { return nil }
    if case .string(let name)? = contents[Key.currentVersion], !name.isEmpty { currentVersion = name }
    guard case .dictionary(let versions)? = contents[Key.hashes] else { return }
    hashes = versions.compactMapValues { version in
      guard case .dictionary(let entities) = version else { return nil }
      return entities.compactMapValues { if case .data(let hash) = $0 { hash } else { nil } }
    }
  }
}

extension PropertyListValue {
  /// Reads a binary property list from untrusted bytes; `nil` for bytes that are none, or one that unfolds too far.
  fileprivate init?(binary bytes: Data) {
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
