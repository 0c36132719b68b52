import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataModel

@Suite("Real models", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct FixtureModelTests {
  @Test("Every model in XML is read without an error, and nothing in it is unknown")
  func allAreRead() throws {
    let models = try FixtureModels.parsed()
    #expect(models.count >= 400)
    for (path, parsed) in models {
      #expect(!parsed.hasErrors, "\(path): \(parsed.diagnostics.filter { $0.severity == .error })")
      #expect(!parsed.diagnostics.contains { $0.problem.contains("not known") }, "\(path)")
      #expect(parsed.diagnostics.allSatisfy { $0.file == path && $0.line >= 1 })
    }
  }

  @Test("The parts of every model are as many as the tags in its text")
  func counts() throws {
    for model in FixtureModels.all {
      let tags = countOfTags(model.bytes)
      let counts = countOfParts(try model.parsed.get().model)
      for (tag, count) in counts {
        #expect(count == tags[tag, default: 0], "\(model.path): <\(tag)>")
      }
    }
  }

  @Test("Every bundle is read with all its versions, one of them current, those of Xcode 3 among them")
  func bundles() throws {
    #expect(FixtureModels.bundles.count >= 80)
    for (path, read) in FixtureModels.bundles {
      let folders = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".xcdatamodel") }
      let readable = folders.filter { folder in
        ["contents", "elements"].contains { FileManager.default.fileExists(atPath: "\(path)/\(folder)/\($0)") }
      }
      guard !readable.isEmpty else {
        #expect(throws: ModelReadingError.self) { try read.get() }
        continue
      }
      let bundle = try read.get()
      #expect(bundle.versions.map { $0.url.lastPathComponent }.sorted() == readable.sorted())
      #expect(bundle.versions.filter(\.isCurrent).count == 1, "\(path)")
    }
  }

  @Test("The EXACT pairs: a store's hashes are those of the model that wrote it")
  func exactPairs() throws {
    let pairs = try pairsInReadme()
    #expect(pairs.count >= 20)
    let stores = try storeHashes(pairs.map { Fixtures.url("stores").appendingPathComponent($0.store).path })
    for pair in pairs {
      let candidates = FixtureModels.all.filter { pair.contents.contains($0.path) }
      let hashes = try candidates.map { try VersionHashes($0.parsed.get().model).hashes.mapValues(hexadecimal) }
      #expect(hashes.contains { $0 == stores[pair.store] }, "\(pair)")
    }
  }

  /// The table of the fixtures' README: a store, and after EXACT the model in the bundles of the same repository, or two
  /// names of which one is meant.
  private func pairsInReadme() throws -> [(store: String, contents: [String])] {
    let table = try String(contentsOf: Fixtures.url("README.md"), encoding: .utf8)
    return table.split(separator: "\n").compactMap { row -> (store: String, contents: [String])? in
      let columns = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard let store = columns.first, let last = columns.last, last.hasPrefix("EXACT ") else { return nil }
      let names = last.dropFirst("EXACT ".count).components(separatedBy: " ;")[0].components(separatedBy: " = ")
      let repository = store.components(separatedBy: "__").prefix(2).joined(separator: "__")
      let paths = FixtureModels.all.map(\.path).filter { path in
        path.contains("/models/\(repository)/") && names.contains { path.hasSuffix("/\($0)/contents") }
      }
      return paths.isEmpty ? nil : (store, paths)
    }
  }

  /// `NSStoreModelVersionHashes` of stores, read by Python so that this target needs no SQLite.
  private func storeHashes(_ paths: [String]) throws -> [String: [String: String]] {
    let script = """
      import json, os, plistlib, sqlite3, sys
      def hashes(path):
          store = sqlite3.connect(f'file:{path}?mode=ro&immutable=1', uri=True)
          metadata = plistlib.loads(store.execute('SELECT Z_PLIST FROM Z_METADATA').fetchone()[0])
          return {k: v.hex() for k, v in metadata['NSStoreModelVersionHashes'].items()}
      print(json.dumps({os.path.basename(p): hashes(p) for p in sys.argv[1:]}))
      """
    let program = try RunningProgram.run("python3", ["-c", script] + paths)
    return try JSONDecoder().decode([String: [String: String]].self, from: Data(program.output.utf8))
  }
}

func hexadecimal(_ data: Data) -> String {
  data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}

/// How often each tag is opened: a scan of the bytes that knows nothing of XML but `<`.
private func countOfTags(_ bytes: Data) -> [String: Int] {
  var counts: [String: Int] = [:]
  for tag in bytes.split(separator: UInt8(ascii: "<")) {
    let name = tag.prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 }
    if !name.isEmpty { counts[String(decoding: name, as: UTF8.self), default: 0] += 1 }
  }
  return counts
}

private func countOfParts(_ model: ModelDescription) -> [String: Int] {
  let entities = model.entities
  let attributes = entities.flatMap(\.attributes)
  let relationships = entities.flatMap(\.relationships)
  let fetched = entities.flatMap(\.fetchedProperties)
  let elements = model.composites.flatMap(\.elements)
  let userInfo =
    entities.map(\.userInfo) + attributes.map(\.userInfo) + relationships.map(\.userInfo) + fetched.map(\.userInfo)
    + elements.map(\.userInfo)
  return [
    "entity": entities.count, "attribute": attributes.count + elements.count, "relationship": relationships.count,
    "fetchedProperty": fetched.count, "fetchRequest": model.fetchRequestTemplates.count + fetched.count,
    "fetchIndex": entities.flatMap(\.fetchIndexes).count,
    "fetchIndexElement": entities.flatMap(\.fetchIndexes).flatMap(\.elements).count,
    "uniquenessConstraint": entities.flatMap(\.uniquenessConstraints).count,
    "constraint": entities.flatMap(\.uniquenessConstraints).flatMap(\.self).count,
    "compoundIndex": entities.flatMap(\.compoundIndexes).count,
    "index": entities.flatMap(\.compoundIndexes).flatMap(\.self).count,
    "configuration": model.configurations.count,
    "memberEntity": model.configurations.flatMap(\.entityNames).count,
    "composite": model.composites.count, "entry": userInfo.map(\.count).reduce(0, +),
  ]
}
