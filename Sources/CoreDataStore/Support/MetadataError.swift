import ErrorReporting
import ManagedModel

/// The reason why a store's metadata cannot be used.
package enum MetadataError: ReportableError, Sendable, Hashable {
  case noRow
  case noIdentifier
  case noPropertyList
  case unreadablePropertyList
  case noHashes
  /// The list has no hash of an entity. Another entity has a relationship to it.
  ///
  /// Without a hash, an entity is no part of the store.
  case noHash(entity: String, origin: String)
  case unknownHashesVersion(Int)
}

extension MetadataError {
  package var remedy: String? { nil }

  package var problem: String {
    switch self {
    case .noRow: "Z_METADATA has no row"
    case .noIdentifier: "Z_UUID is no UUID"
    case .noPropertyList: "Z_PLIST is empty"
    case .unreadablePropertyList: "Z_PLIST is no property list with keys"
    case .noHashes: "Z_PLIST has no version hashes of entities"
    case .noHash(let entity, let origin):
      "Z_PLIST has no version hash of entity \(quoted(entity)), to which \(quoted(origin)) leads"
    case .unknownHashesVersion(let version):
      "the version hashes are of edition \(version), and only edition \(VersionHashes.rulesVersion) is known"
    }
  }
}
