import CoreDataStore
import Foundation
import ManagedModel
import SQLite

extension StoreChecker {
  /// CD-1.3: the single row, its keys and their types.
  mutating func checkMetadata() {
    let metadata = store.metadata
    expect(.metadata, metadata.rowCount == 1, "Z_METADATA", "has \(metadata.rowCount) rows instead of one")
    guard metadata.rowCount > 0 else { return }
    expect(.metadata, metadata.version == 1, "Z_VERSION", "is not 1", repair: "Set it to 1.")
    let identifier = metadata.identifier ?? ""
    expect(
      .metadata, UUID(uuidString: identifier)?.uuidString == identifier, "Z_UUID",
      "is no UUID of 36 characters in upper case")
    if let problem = metadata.problem {
      // A real store has none. Stores from before 2013 are those without a model of their own; the list of a later one was lost.
      let isOld = metadata.propertyList == nil && !store.tables.keys.contains("Z_MODELCACHE") && !isStrict
      count(.metadata, checked: 1, failed: isOld ? 0 : 1)
      report(
        .metadata, isOld ? .warning : .error, "Z_PLIST", "\(problem): no program can open the store",
        repair: "Restore the store from a backup.")
      return
    }
    expect(
      .metadata, metadata.propertyList?.starts(with: Data("bplist00".utf8)) == true, "Z_PLIST",
      "is no binary property list", repair: "Write the same dictionary in the binary format.")
    func entry<Value>(_ key: String, _ type: Value.Type) -> Value? { metadata.entries[key] as? Value }
    func check(_ key: String, _ isRight: Bool, _ wanted: String) {
      let problem = metadata.entries[key] == nil ? "is missing" : "is not \(wanted)"
      expect(.metadata, isRight, key, problem)
    }
    typealias Key = StoreMetadata.Key
    check(Key.storeType, entry(Key.storeType, String.self) == "SQLite", "\"SQLite\"")
    check(Key.hashes, metadata.hashes != nil, "a dictionary of 32 bytes for each entity")
    check(
      Key.hashesVersion, entry(Key.hashesVersion, Int.self) == VersionHashes.rulesVersion,
      "\(VersionHashes.rulesVersion)")
    check(Key.versionIdentifiers, metadata.versionIdentifiers != nil, "a list of texts")
    check(Key.frameworkVersion, metadata.frameworkVersion > 0, "a positive number")
    let vacuum = metadata.entries[Key.autoVacuumLevel]
    prefer(
      .metadata, vacuum as? String == "2", isTolerable: vacuum == nil, Key.autoVacuumLevel,
      vacuum == nil ? "is missing" : "is not the text \"2\"")
    // Keys with the first version of the framework that writes them.
    let later: [(key: String, since: Int, hasRightType: Bool)] = [
      (Key.digest, 969, entry(Key.digest, String.self) != nil),
      (Key.checksum, 1321, entry(Key.checksum, String.self) != nil),
      (Key.maximumFrameworkVersion, 1518, entry(Key.maximumFrameworkVersion, Int.self) != nil),
    ]
    for (key, since, hasRightType) in later {
      if metadata.entries[key] != nil {
        check(key, hasRightType, "of the type it has to be")
      } else if metadata.frameworkVersion >= since {
        prefer(.metadata, false, key, "is missing, and version \(since) and later ones of the framework write it")
      }
    }
    checkVersionIdentifiers()
  }

  private mutating func checkVersionIdentifiers() {
    guard let found = store.metadata.versionIdentifiers, let model = store.model.model else { return }
    // A model without an identifier has an empty one, or none.
    let (stored, own) = (Set(found).subtracting([""]), Set(model.versionIdentifiers).subtracting([""]))
    count(.versionIdentifiers, checked: 1)
    guard stored != own else { return }
    func text(_ names: Set<String>) -> String { names.isEmpty ? "none" : names.sorted().joined(separator: ", ") }
    report(
      .versionIdentifiers, .warning, StoreMetadata.Key.versionIdentifiers,
      "the metadata has \(text(stored)), the model \(text(own))")
  }

  /// VH-1, VH-13, VH-14: the model's hashes, and the values computed from them.
  mutating func checkHashes() {
    guard let hashes = store.metadata.hashes else { return }
    if let model = store.model.model, store.model.layout != nil {
      do {
        let computed = try VersionHashes(model)
        for name in Set(hashes.hashes.keys).union(store.model.order).sorted(by: codeUnitOrder) {
          let problem =
            switch (hashes[name], computed[name]) {
            case (_, nil): "is in the metadata, not in the model"
            case (nil, _): "has no hash in the metadata"
            default: "has another hash in the metadata than in the model: the store is of another version"
            }
          expect(.hashes, hashes[name] == computed[name], name, problem)
        }
      } catch {
        expect(.hashes, false, "model", "\(error)")
      }
    }
    if store.model.source != .given {
      for name in store.model.differingEntities {
        expect(.hashes, false, name, "is another entity in the model that was given than in the store")
      }
    }
    if let digest = store.metadata.entries[StoreMetadata.Key.digest] {
      expect(.digest, digest as? String == hashes.digest, StoreMetadata.Key.digest, "is not that of the hashes")
    }
    if let checksum = store.metadata.entries[StoreMetadata.Key.checksum] {
      expect(
        .checksum, checksum as? String == hashes.checksum, StoreMetadata.Key.checksum, "is not that of the hashes")
    }
  }
}
