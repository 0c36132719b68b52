import Crypto
package import Foundation

/// The version hashes of a model's entities. Core Data compares them to decide whether a store belongs to a model.
///
/// A store opens without migration only if the number of entities and every hash are equal (VH-18). So two values are
/// equal exactly when their models are compatible.
package struct VersionHashes: Sendable, Hashable {
  /// Entity name → SHA-256, 32 bytes: `NSStoreModelVersionHashes` (VH-12).
  package let hashes: [String: Data]

  /// `NSStoreModelVersionHashesVersion`: the edition of the rules that this module implements (VH-12).
  package static let rulesVersion = 3

  /// Computes the hashes of a model's entities (VH-1 … VH-9).
  ///
  /// Cost: time linear in the number of properties of all entities, with inherited properties counted for each.
  /// - Throws: ``VersionHashError`` if the model is ambiguous, or uses a feature that the rules do not cover.
  package init(_ model: ModelDescription) throws(VersionHashError) {
    var hasher = try EntityHasher(model)
    hashes = try hasher.hashAllEntities()
  }

  /// Takes hashes that were computed before, for example from a store's metadata.
  package init(hashes: [String: Data]) {
    self.hashes = hashes
  }

  package subscript(entityName: String) -> Data? { hashes[entityName] }

  /// `NSStoreModelVersionHashesDigest`: base64 of the SHA-512 of names and hashes in order of names (VH-13).
  package var digest: String {
    var function = SHA512()
    for (name, hash) in sorted {
      function.update(data: Data(name.utf8))
      function.update(data: hash)
    }
    return Data(function.finalize()).base64EncodedString()
  }

  /// `NSStoreModelVersionChecksumKey`: base64 of the SHA-256 of the hashes in order of names (VH-14).
  package var checksum: String {
    var function = SHA256()
    for (_, hash) in sorted { function.update(data: hash) }
    return Data(function.finalize()).base64EncodedString()
  }

  /// Names of the entities that only one side has, or whose hashes differ, in code-unit order.
  package func differingEntities(from other: VersionHashes) -> [String] {
    Set(hashes.keys).union(other.hashes.keys).filter { hashes[$0] != other.hashes[$0] }.sorted(by: codeUnitOrder)
  }

  private var sorted: [(key: String, value: Data)] {
    hashes.sorted { codeUnitOrder($0.key, $1.key) }
  }
}
