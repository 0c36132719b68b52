package import Foundation
package import ManagedModel
import PropertyLists
package import SQLite

/// A store's metadata: its identifier and its property list (CD-1.3).
package struct StoreMetadata: Sendable, Hashable {
  /// `Z_UUID`: 36 characters in upper case. It is part of every object's URI (CD-10).
  package let identifier: String
  /// `NSStoreModelVersionHashes`.
  package let hashes: VersionHashes
  /// `NSStoreModelVersionIdentifiers`. SwiftData writes its schema version only.
  package let versionIdentifiers: [String]
  /// `NSPersistenceFrameworkVersion`: the version of Core Data that last set up the store; 0 if it is not stated.
  package let frameworkVersion: Int
  /// `NSStoreModelVersionHashesDigest`; `nil` if the store has none (VH-13).
  package let digest: String?
  /// `NSStoreModelVersionChecksumKey`; `nil` if the store has none (VH-14).
  package let checksum: String?
  /// `Z_PLIST` as it is stored, including keys of applications.
  package let propertyList: Data

  /// The bound of a property list. Real ones are far smaller.
  private static let largestPropertyList = 16 << 20

  /// The version in a new store: 1518 (macOS 26, iOS 26). It is the first version seen with every key that is written
  /// here, and real stores with it have an equal maximum version (CD-1.3).
  package static let currentFrameworkVersion = 1518

  /// The metadata of a new store.
  ///
  /// - Throws: `VersionHashError`
  package init(model: ModelDescription, entityNames: Set<String>? = nil, identifier: UUID = UUID()) throws {
    var hashes = try VersionHashes(model)
    if let entityNames { hashes = VersionHashes(hashes: hashes.hashes.filter { entityNames.contains($0.key) }) }
    // If two keys hash to one slot, the key that comes first here takes it, as in all real stores.
    let entries: [(String, PropertyListTree)] = [
      (Key.storeType, .string("SQLite")),
      (
        Key.hashes,
        .dictionary(hashes.hashes.sorted { codeUnitOrder($0.key, $1.key) }.map { ($0.key, .data($0.value)) })
      ),
      (Key.hashesVersion, .integer(VersionHashes.rulesVersion)),
      (Key.versionIdentifiers, .array(model.versionIdentifiers.map { .string($0) })),
      (Key.frameworkVersion, .integer(StoreMetadata.currentFrameworkVersion)),
      (Key.maximumFrameworkVersion, .integer(StoreMetadata.currentFrameworkVersion)),
      (Key.autoVacuumLevel, .string("2")),
      (Key.digest, .string(hashes.digest)),
      (Key.checksum, .string(hashes.checksum)),
    ]
    self.identifier = identifier.uuidString
    self.hashes = hashes
    versionIdentifiers = model.versionIdentifiers
    frameworkVersion = StoreMetadata.currentFrameworkVersion
    digest = hashes.digest
    checksum = hashes.checksum
    propertyList = BinaryPropertyList(.dictionary(entries)).encoded()
  }

  /// Reads the metadata of an open store.
  ///
  /// - Throws: ``MetadataError`` for invalid metadata, or `SQLiteError`.
  package init(_ connection: Connection) throws {
    let row = try connection.prepare("SELECT Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard try row.step() else { throw MetadataError.noRow }
    guard let identifier = row.text(0), UUID(uuidString: identifier) != nil else { throw MetadataError.noIdentifier }
    guard let data = row.blob(1) else { throw MetadataError.noPropertyList }
    try self.init(identifier: identifier, propertyList: data)
  }

  init(identifier: String, propertyList data: Data) throws {
    let entries = try StoreMetadata.entries(of: data)
    guard let hashes = entries[Key.hashes] as? [String: Data], hashes.values.allSatisfy({ $0.count == 32 }) else {
      throw MetadataError.noHashes
    }
    if let version = entries[Key.hashesVersion] as? Int, version != VersionHashes.rulesVersion {
      throw MetadataError.unknownHashesVersion(version)
    }
    self.identifier = identifier
    self.hashes = VersionHashes(hashes: hashes)
    versionIdentifiers = entries[Key.versionIdentifiers] as? [String] ?? []
    frameworkVersion = entries[Key.frameworkVersion] as? Int ?? 0
    digest = entries[Key.digest] as? String
    checksum = entries[Key.checksum] as? String
    propertyList = data
  }

  /// The entries of a metadata property list, unchecked. The size is bounded.
  package static func entries(of data: Data) throws(MetadataError) -> [String: Any] {
    guard data.count <= StoreMetadata.largestPropertyList, PropertyListBounds.keeps(data),
      let decoded = try? PropertyListSerialization.propertyList(from: data, format: nil),
      let entries = decoded as? [String: Any]
    else { throw MetadataError.unreadablePropertyList }
    return entries
  }

  /// The property list with these entries changed and all others kept; `nil` removes an entry.
  ///
  /// - Throws: ``MetadataError``
  package func propertyList(setting changes: [String: (any Sendable)?]) throws -> Data {
    guard let decoded = try? PropertyListSerialization.propertyList(from: propertyList, format: nil),
      var entries = decoded as? [String: Any]
    else { throw MetadataError.unreadablePropertyList }
    for (key, value) in changes {
      if let value { entries[key] = value } else { entries[key] = nil }
    }
    return try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
  }

  /// This property list, plus the other store's custom entries that it lacks.
  ///
  /// - Throws: ``MetadataError``
  func propertyList(keepingEntriesOf other: StoreMetadata) throws -> Data {
    var entries = try StoreMetadata.entries(of: propertyList)
    for (key, value) in try StoreMetadata.entries(of: other.propertyList)
    where entries[key] == nil && !key.hasPrefix("NS") {
      entries[key] = value
    }
    return try PropertyListSerialization.data(fromPropertyList: entries, format: .binary, options: 0)
  }

  /// Writes the single row of `Z_METADATA`; call it in a transaction.
  func write(to connection: Connection) throws {
    let statement = try connection.prepare(
      "INSERT OR REPLACE INTO Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST) VALUES (1, ?, ?)")
    try statement.bind(identifier, at: 1)
    try statement.bind(propertyList, at: 2)
    try statement.run()
  }

  /// Keys of the property list.
  package enum Key {
    package static let storeType = "NSStoreType"
    package static let hashes = "NSStoreModelVersionHashes"
    package static let hashesVersion = "NSStoreModelVersionHashesVersion"
    package static let versionIdentifiers = "NSStoreModelVersionIdentifiers"
    package static let frameworkVersion = "NSPersistenceFrameworkVersion"
    package static let maximumFrameworkVersion = "NSPersistenceMaximumFrameworkVersion"
    package static let autoVacuumLevel = "_NSAutoVacuumLevel"
    package static let digest = "NSStoreModelVersionHashesDigest"
    package static let checksum = "NSStoreModelVersionChecksumKey"
  }
}
