import CoreDataModel
import Dispatch
import Foundation
import ManagedModel
import Synchronization
import TestSupport
import Testing

@testable import ModelArchive

@Suite(
  "Models in XML through archives",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct SourceModelTests {
  /// With `OPENSWIFTDATA_FULL_TESTS` set, all of them (half a minute of computing); otherwise a few from every family.
  @Test("Every model in XML is what it was after its archive in either form, with its hashes")
  func identity() throws {
    let all = Self.contents()
    #expect(all.count > 400)
    let paths = FullTests.areWanted ? all : all.enumerated().filter { $0.offset.isMultiple(of: 18) }.map(\.element)
    let failures = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: paths.count) { index in
      do {
        if let problem = try Self.problem(of: paths[index]) { failures.withLock { $0.append(problem) } }
      } catch {
        failures.withLock { $0.append("\(paths[index]): \(error)") }
      }
    }
    #expect(failures.withLock { $0 } == [])
  }

  private static func problem(of path: String) throws -> String? {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let model = try ModelParser.parse(bytes, fileName: path).model
    let part = ModelArchive.archivablePart(of: model)
    guard try VersionHashes(part) == VersionHashes(model) else { return "\(path): other hashes" }
    guard try ModelArchive.omissions(from: model) == [] else { return "\(path): omissions" }
    for form in [ModelArchive.Form.compiledModel, .modelCache] {
      let decoded = try ModelArchive.decode(ModelArchive.encode(model, as: form))
      if decoded == part { continue }
      let properties = zip(decoded.entities.flatMap(\.properties), part.entities.flatMap(\.properties))
      let first = properties.first { $0 != $1 }.map { "\($0)\n\($1)" }
      return "\(path): \(form): \(first ?? "not in a property")"
    }
    return nil
  }

  private static func contents() -> [String] {
    ["models", "compiled"].flatMap { folder in
      let walker = FileManager.default.enumerator(at: Fixtures.url(folder), includingPropertiesForKeys: nil)
      return (walker?.compactMap { $0 as? URL } ?? []).filter { $0.lastPathComponent == "contents" }.map(\.path)
    }.sorted()
  }
}

@Suite(
  "Sources and what Apple's compiler made of them",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct CompiledSourceTests {
  @Test("VH-15: a model read from its source is the one that the real .mom of the same commit holds")
  func sources() throws {
    let pairs = [
      ("SwiftGen__SwiftGen/e0d58459", "Model.momd/Model 2.mom", "Model.xcdatamodeld/Model 2.xcdatamodel"),
      ("SwiftGen__SwiftGen/e0d58459", "Model.momd/Model.mom", "Model.xcdatamodeld/Model.xcdatamodel"),
      (
        "alemar11__CoreDataPlus/HEAD_SampleModel", "SampleModel.momd/SampleModel2.mom",
        "SampleModel.xcdatamodeld/SampleModel2.xcdatamodel"
      ),
      (
        "alemar11__CoreDataPlus/HEAD_SampleModel", "SampleModel.momd/SampleModel3.mom",
        "SampleModel.xcdatamodeld/SampleModel3.xcdatamodel"
      ),
      (
        "bloominstituteoftechnology__ios-journal-coredata/fffaf867", "Entries.momd/Entries.mom",
        "Entries.xcdatamodeld/Entries.xcdatamodel"
      ),
    ]
    for (folder, compiled, source) in pairs {
      let url = Fixtures.url("compiled/\(folder)")
      let real = try ModelArchive.decode(Data(contentsOf: url.appendingPathComponent(compiled)))
      let contents = url.appendingPathComponent("source/\(source)/contents")
      let model = try ModelParser.parse(Data(contentsOf: contents), fileName: source).model
      let part = ModelArchive.archivablePart(of: model)
      for (one, other) in zip(real.entities, part.entities) where one != other {
        for (left, right) in zip(one.properties, other.properties) { #expect(left == right, "\(one.name)") }
        var rest = other
        rest.properties = one.properties
        #expect(one == rest)
      }
      #expect(real.fetchRequestTemplates == part.fetchRequestTemplates)
      #expect(real.configurations == part.configurations)
      // The compiler writes an empty identifier where the source states none.
      #expect(real.versionIdentifiers.filter { !$0.isEmpty } == part.versionIdentifiers)
      #expect(real.entities.count == part.entities.count)
    }
  }
}
