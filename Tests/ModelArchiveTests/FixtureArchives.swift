import Foundation
import ManagedModel
import Synchronization
import TestSupport

@testable import ModelArchive

/// The archives among the real files, with the independent checker's word on each.
enum FixtureArchives {
  struct Archive: Sendable {
    let name: String
    /// The archive, inflated.
    let data: Data
    /// Entity name → hash: what Core Data wrote in a store's metadata, or what the checker computes from a `.mom` file.
    let hashes: [String: Data]
    /// The archive as it stands in a store.
    var deflated: Data?

    /// The model in the archive, decoded once for all tests.
    func model() throws -> ModelDescription {
      if let known = FixtureArchives.models.withLock({ $0[name] }) { return known }
      let model = try ModelArchive.decode(data)
      FixtureArchives.models.withLock { $0[name] = model }
      return model
    }
  }

  /// Every `.mom` file, and the cached model of every store that has one.
  static func all() throws -> [Archive] { try loaded.get() }

  /// All archives in the full run, otherwise every third.
  static func sample() throws -> [Archive] {
    let all = try all()
    return FullTests.areWanted ? all : all.enumerated().filter { $0.offset.isMultiple(of: 3) }.map(\.element)
  }

  fileprivate static let models = Mutex<[String: ModelDescription]>([:])
  private static let loaded = Result { try compiled() + stores() }

  private static func compiled() throws -> [Archive] {
    let folder = Fixtures.url("compiled")
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? []
    let models = files.compactMap { $0 as? URL }.filter { $0.pathExtension == "mom" }.sorted { $0.path < $1.path }
    return try zip(models, checkerHashes(models)).map { url, hashes in
      Archive(
        name: url.path.replacingOccurrences(of: folder.path, with: ""), data: try Data(contentsOf: url), hashes: hashes)
    }
  }

  /// Read by Python's `sqlite3` from copies of the stores.
  private static func stores() throws -> [Archive] {
    let names = try FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
      .filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
    let copies = try names.map { try Fixtures.copyOfStore($0) }
    try python(["-c", extraction] + copies.map(\.url.path))
    return try zip(names, copies).compactMap { name, store in
      let cache = try Data(contentsOf: store.folder.appendingPathComponent("cache"))
      if cache.isEmpty { return nil }
      let metadata = try PropertyListSerialization.propertyList(
        from: Data(contentsOf: store.folder.appendingPathComponent("metadata")), format: nil)
      let hashes = (metadata as? [String: Any])?["NSStoreModelVersionHashes"] as? [String: Data]
      return Archive(
        name: name, data: try RawDeflate.inflate(cache, limit: 64 << 20), hashes: hashes ?? [:], deflated: cache)
    }
  }

  private static let extraction = """
    import os, sqlite3, sys
    for path in sys.argv[1:]:
        db = sqlite3.connect(path)
        one = lambda query: (db.execute(query).fetchone() or [None])[0]
        table = one("select 1 from sqlite_master where name = 'Z_MODELCACHE'")
        for name, query in (('cache', 'select Z_CONTENT from Z_MODELCACHE' if table else 'select null'),
                            ('metadata', 'select Z_PLIST from Z_METADATA')):
            open(os.path.join(os.path.dirname(path), name), 'wb').write(one(query) or b'')
    """

  /// The hashes that the independent checker computes from models' files, in the files' order.
  static func checkerHashes(_ urls: [URL]) throws -> [[String: Data]] {
    let report = try Oracle.versionHashes(urls.map(\.path))
    guard report.status == 0 else { throw CheckerFailure(output: report.output) }
    var models: [[String: Data]] = []
    for line in report.output.split(separator: "\n") {
      guard line.hasPrefix("  "), let space = line.lastIndex(of: " ") else {
        models.append([:])
        continue
      }
      let name = String(line[..<space].dropFirst(2))
      let digits = Array(line[line.index(after: space)...])
      guard digits.count == 64, !models.isEmpty else { continue }
      models[models.count - 1][name] = Data(
        stride(from: 0, to: 64, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) })
    }
    return models
  }

  private static func python(_ arguments: [String]) throws {
    let program = try RunningProgram.run("python3", arguments)
    guard program.status == 0 else { throw CheckerFailure(output: program.errors) }
  }
}

struct CheckerFailure: Error {
  let output: String
}
