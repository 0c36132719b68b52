import CoreDataModel
package import Foundation
import PropertyLists

/// The content of a `.momd`'s `VersionInfo.plist`: the current version, and every version's hashes.
package struct VersionInfo {
  package static let fileName = "VersionInfo.plist"

  package enum Key {
    package static let currentVersion = "NSManagedObjectModel_CurrentVersionName"
    package static let hashes = "NSManagedObjectModel_VersionHashes"
  }

  /// The current version's name; a bundle of one version may leave it out.
  package var currentVersion: String?
  /// Version → entity → hash.
  package var hashes: [String: [String: Data]] = [:]

  /// Reads the list from untrusted bytes, binary or XML; `nil` if the bytes are not such a list.
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
