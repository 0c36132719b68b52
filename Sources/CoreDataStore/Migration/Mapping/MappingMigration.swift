import ErrorReporting
package import Foundation
package import ManagedModel
import SQLite
import StoreRequests

/// A part of a mapping model that needs a program's own code, or that has no form in SQL.
package struct MappingMigrationError: ReportableError, Sendable, Hashable {
  package let problem: String
  package let remedy: String?

  init(_ problem: String, remedy: String) {
    self.problem = problem
    self.remedy = remedy
  }
}

/// The result of a migration by a mapping model.
package struct MappingMigrationReport: Sendable {
  /// Rows that each entity mapping wrote, in the order of the mapping model.
  package internal(set) var rowCounts: [(entityMapping: String, count: Int)] = []
  /// Rows of source entities that no entity mapping takes; they are not in the migrated store.
  package internal(set) var rowsLeftBehind: [String: Int] = [:]
  /// Transactions of the history; they are not in the migrated store.
  package internal(set) var transactionsLeftBehind = 0
  /// Tables that are not Core Data's; they are not in the migrated store.
  package internal(set) var tablesLeftBehind: [String] = []
  /// Policy classes and expressions of policy classes that were left out, in words.
  package internal(set) var omissions: [String] = []
}

extension PersistentStore {
  /// Carries out a mapping model on a store, as Core Data's migration manager does.
  ///
  /// Each entity mapping names rows of the old store. A new store gets them with the values of the mapping's expressions. Then the new store
  /// takes the old store's place.
  ///
  /// The store keeps its identifier and the metadata of applications, and rows keep their keys where they can. History
  /// and tables of other programs are not copied. The numbers of history's transactions continue after a gap of one, so that no token of the
  /// old store can be continued. If anything fails, the store is as it was.
  /// A store that is mirrored to CloudKit is refused.
  /// Cost: the new store is written once beside the old one, and then copied over it. Each entity mapping is one statement. A relationship
  /// takes some more if its keys are not known when the rows are written. Memory is constant but for the names of files.
  /// - Parameters:
  ///   - source: the store's model; by default the mapping model's own copy.
  ///   - destination: the new model; by default the mapping model's own copy.
  ///   - skipsPolicies: whether policy classes are left out; otherwise each of them is an error.
  /// - Throws: ``MappingMigrationError``, `MappingIssue`, ``MigrationError``, ``StoreError``.
  @discardableResult
  package static func migrate(
    at url: URL, by mapping: MappingModel, from source: ModelDescription? = nil,
    to destination: ModelDescription? = nil, skipsPolicies: Bool = false, busyTimeout: Duration = .seconds(5)
  ) throws -> MappingMigrationReport {
    try WorkingCopy.replace(url, busyTimeout: busyTimeout) { store, copy in
      try writeMigrated(store, to: copy, by: mapping, from: source, to: destination, skipsPolicies: skipsPolicies)
    }
  }

  /// Carries out a mapping model on a copy of a store that nobody else uses, as ``migrate(at:by:from:to:skipsPolicies:busyTimeout:)`` does on
  /// the store itself.
  ///
  /// Several mapping models follow one another on one ``WorkingCopy``. If anything fails, the copy is as it was. If the process ends in the last
  /// step, the copy is of no use.
  @discardableResult
  package static func migrateCopy(
    at url: URL, by mapping: MappingModel, from source: ModelDescription? = nil,
    to destination: ModelDescription? = nil, skipsPolicies: Bool = false
  ) throws -> MappingMigrationReport {
    let draft = try MappingDraft(of: url)
    let report = try writeMigrated(
      url, to: draft.url, by: mapping, from: source, to: destination, skipsPolicies: skipsPolicies)
    try draft.publish()
    return report
  }

  /// Writes the store that a mapping model makes of a store to another place, with its files of big values. Only reads the old store.
  ///
  /// - Parameter new: a place without a file. If anything fails, it has an unfinished file.
  package static func writeMigrated(
    _ url: URL, to new: URL, by mapping: MappingModel, from source: ModelDescription? = nil,
    to destination: ModelDescription? = nil, skipsPolicies: Bool = false
  ) throws -> MappingMigrationReport {
    guard let source = source ?? mapping.source.model, let destination = destination ?? mapping.destination.model else {
      throw MappingMigrationError(
        "the mapping model \(quoted(mapping.name)) has no copy of its models", remedy: "name the bundle of the models")
    }
    let resolution = try MappingResolution(mapping, from: source, to: destination)
    let omissions = try Self.omissions(of: resolution, allowed: skipsPolicies)
    var report = try write(resolution, from: url, to: new)
    report.omissions = omissions
    return report
  }

  private static func omissions(of resolution: MappingResolution, allowed: Bool) throws -> [String] {
    var omissions: [String] = []
    for entity in resolution.entities {
      if let policy = entity.mapping.policyClassName {
        omissions.append("the policy class \(quoted(policy)) of the entity mapping \(quoted(entity.mapping.name))")
      }
      for property in entity.properties {
        guard case .unknown(let text) = property.value else { continue }
        omissions.append(
          "the expression of \(quoted(property.property.name)) in the entity mapping \(quoted(entity.mapping.name)): "
            + onOneLine(text, limit: 200))
      }
    }
    if let first = omissions.first, !allowed {
      throw MappingMigrationError(
        "the mapping model \(quoted(resolution.mapping.name)) needs a program's own code: \(first)",
        remedy: "write it in a stage that generate-models makes of the mapping model, or leave it out")
    }
    return omissions
  }

  private static func write(
    _ resolution: MappingResolution, from url: URL, to place: URL
  ) throws -> MappingMigrationReport {
    let hasModel = (try? StoreModel.read(url)) != nil
    let old = try open(
      at: url, options: StoreOptions(isReadOnly: true, createsIfMissing: false),
      model: hasModel ? nil : resolution.source)
    defer { old.close() }
    let differing = old.metadata.hashes.differingEntities(from: try VersionHashes(resolution.source))
    guard differing.isEmpty else {
      throw MappingMigrationError(
        "the store has another version than the source of the mapping model \(quoted(resolution.mapping.name)); "
          + "it differs in \(abbreviatedList(differing.map(quoted)))",
        remedy: "name the mapping model that begins at the store's version")
    }
    return try old.readState { state in
      var options = StoreOptions(createsIfMissing: true)
      if let identifier = UUID(uuidString: old.metadata.identifier) { options.identifier = identifier }
      if let size = try state.connection.integer("PRAGMA page_size") { options.pageSize = size }
      let new = try open(at: place, options: options, model: resolution.destination)
      defer { new.close() }
      let path = try StoreFile(url).resolvedPath
      try new.setUpWriter { connection in
        try MappedFiles(
          old: ExternalDataFolder(storePath: path), new: ExternalDataFolder(storePath: place.path)
        ).register(on: connection)
        // Other programs may write to the old store meanwhile; this connection takes no lock against them.
        try connection.attachReadOnly(path, as: "old")
        // The new file is useless if the process ends. So nothing is written twice, and nothing waits for the disk.
        try connection.setPragma("main.journal_mode", "MEMORY")
        try connection.setPragma("main.synchronous", "OFF")
      }
      var report = try new.write { connection in
        var run = try MappingRun(
          resolution: resolution, old: old, state: state, new: new.layout, connection: connection)
        try run.run()
        let metadata = try StoreMetadata(connection)
        try StoreMetadata(
          identifier: old.metadata.identifier, propertyList: metadata.propertyList(keepingEntriesOf: old.metadata)
        ).write(to: connection)
        return run.report
      }
      report.tablesLeftBehind += try keepSearchIndexes(of: old, in: new, resolution)
      try new.setUpWriter { _ = try $0.setPragma("main.journal_mode", "WAL") }
      return report
    }
  }

  /// Makes the search indexes of the old store in the new one, where entity mappings keep their entities and attributes.
  ///
  /// - Returns: the indexes that the new store does not have.
  private static func keepSearchIndexes(
    of old: PersistentStore, in new: PersistentStore, _ resolution: MappingResolution
  ) throws -> [String] {
    try old.layout.searchIndexes.filter { index in
      let mapped = resolution.entities.first { $0.source?.name == index.entityName && $0.destination != nil }
      guard let name = mapped?.destination?.name, let entity = new.layout.entity(named: name) else { return true }
      let names = index.attributes.map(\.name).filter { (try? new.layout.searchIndex(on: [$0], of: entity)) != nil }
      guard !names.isEmpty else { return true }
      try new.makeSearchIndex(on: names, of: name)
      return names.count < index.attributes.count
    }.map(\.name.name)
  }
}
