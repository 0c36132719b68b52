import CoreDataModel
package import Foundation
import PropertyLists

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
