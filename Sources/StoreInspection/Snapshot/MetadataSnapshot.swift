import CoreDataStore
import Foundation
import ManagedModel
import SQLite

/// The row of `Z_METADATA`, uninterpreted (CD-1.3).
struct MetadataSnapshot {
  let rowCount: Int64
  let version: Int64?
  let identifier: String?
  let propertyList: Data?
  /// Empty if the property list cannot be read.
  let entries: [String: Any]
  /// The reason why it cannot be read.
  let problem: String?

  init(_ connection: Connection) throws {
    rowCount = try connection.integer("SELECT count(*) FROM Z_METADATA") ?? 0
    let row = try connection.prepare("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA ORDER BY Z_VERSION LIMIT 1")
    guard try row.step() else {
      (version, identifier, propertyList, entries, problem) = (nil, nil, nil, [:], "there is no row")
      return
    }
    version = row.integer(0)
    identifier = row.type(1) == .text ? row.text(1) : nil
    propertyList = row.blob(2)
    guard let propertyList else {
      (entries, problem) = ([:], "Z_PLIST is NULL")
      return
    }
    do {
      (entries, problem) = (try StoreMetadata.entries(of: propertyList), nil)
    } catch {
      (entries, problem) = ([:], "\(error)")
    }
  }

  /// `nil` if their types or sizes are wrong.
  var hashes: VersionHashes? {
    guard let hashes = entries[StoreMetadata.Key.hashes] as? [String: Data],
      hashes.values.allSatisfy({ $0.count == 32 })
    else { return nil }
    return VersionHashes(hashes: hashes)
  }

  /// 0 if it is not stated.
  var frameworkVersion: Int { entries[StoreMetadata.Key.frameworkVersion] as? Int ?? 0 }
  var versionIdentifiers: [String]? { entries[StoreMetadata.Key.versionIdentifiers] as? [String] }
}
