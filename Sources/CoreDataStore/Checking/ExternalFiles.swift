import Foundation
import ManagedModel
import SQLite

/// The files of a store's external storage, and what refers to them (CD-5).
package struct ExternalFiles: Sendable, Hashable {
  /// Where they are, whether the folder exists or not.
  package let folder: String
  /// How many values are kept in files.
  package internal(set) var references = 0
  /// Names that values refer to and that are no UUIDs: never looked for.
  package internal(set) var foreignNames: [String] = []
  /// Files that values refer to and that are not there, sorted.
  package internal(set) var missing: [String] = []
  /// Files that no value refers to, sorted.
  package internal(set) var unreferenced: [String] = []
  package internal(set) var fileCount = 0
  package internal(set) var byteCount: Int64 = 0

  /// Reads the references of all columns that have any, and the folder. Cost: a scan of each such table.
  init(_ store: StoreEvidence, _ layout: StoreLayout, folder: URL) throws {
    self.folder = folder.path
    var names: Set<String> = []
    for (table, column) in layout.externalColumns where store.has(table, column) {
      let values = try store.connection.prepare(
        """
        SELECT substr(\(column), 2, 36) FROM \(table) WHERE typeof(\(column)) = 'blob' \
        AND substr(\(column), 1, 1) = x'02' AND length(\(column)) = 38
        """)
      while try values.step() {
        references += 1
        let name = values.withBlobBytes(0) { String(decoding: $0, as: UTF8.self) }
        if UUID(uuidString: name)?.uuidString == name { names.insert(name) } else { foreignNames.append(name) }
      }
    }
    let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in found {
      let attributes = try? FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(name).path)
      guard attributes?[.type] as? FileAttributeType == .typeRegular else { continue }
      fileCount += 1
      byteCount += (attributes?[.size] as? Int).map(Int64.init) ?? 0
      if !names.contains(name) { unreferenced.append(name) }
    }
    unreferenced.sort()
    missing = names.subtracting(found).sorted()
  }
}

extension StoreLayout {
  /// Columns whose values may be kept in files.
  var externalColumns: [(table: Identifier, column: Identifier)] {
    entities.flatMap { entity in
      entity.properties.flatMap { property -> [(table: Identifier, column: Identifier)] in
        guard case .attribute(let attribute) = property, attribute.declaringEntityName == entity.name else { return [] }
        return attribute.columns.filter { $0.column.type == .binary && $0.attribute.allowsExternalBinaryDataStorage }
          .map { (entity.table, $0.name) }
      }
    }
  }
}

extension StoreChecker {
  /// CD-5: files that values refer to are there, and no others.
  mutating func checkExternalFiles(_ layout: StoreLayout) throws {
    guard let url = store.url, !layout.externalColumns.isEmpty else { return }
    let files = try ExternalFiles(store, layout, folder: PersistentStore.externalDataFolder(of: url))
    count(.externalFiles, checked: files.references + files.unreferenced.count)
    for name in files.foreignNames {
      count(.externalReferences, checked: 1, failed: 1)
      report(.externalReferences, .error, name, "the name of a file is no UUID in upper case")
    }
    if !files.missing.isEmpty {
      report(
        .externalFiles, .warning, files.folder,
        "\(files.missing.count) files are missing: \(StoreChecker.listed(files.missing, limit: 3))",
        repair: "Copy the folder to its place beside the store; without it the values are read as nil.")
    }
    if !files.unreferenced.isEmpty {
      report(
        .externalFiles, .warning, files.folder,
        "\(files.unreferenced.count) files that nothing refers to: \(StoreChecker.listed(files.unreferenced, limit: 3))",
        repair: "Delete them, if no program is writing the store at the moment.")
    }
  }
}
