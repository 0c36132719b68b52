import CoreDataModel
import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive

/// Models of Xcode 3: the archive `elements` in an `.xcdatamodel`.
@Suite(
  "Models of Xcode 3",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct EditorArchiveTests {
  private static let all: [URL] = ["models", "compiled"].flatMap { folder in
    let walker = FileManager.default.enumerator(at: Fixtures.url(folder), includingPropertiesForKeys: nil)
    return (walker?.compactMap { $0 as? URL } ?? []).filter { $0.lastPathComponent == "elements" }
  }.sorted { $0.path < $1.path }

  @Test("Every elements file is read without a problem, with every entity and property")
  func everyFile() throws {
    #expect(Self.all.count == 22)
    for file in Self.all {
      let parsed = try ModelParser.parse(archive: Data(contentsOf: file), fileName: file.path)
      #expect(!parsed.hasErrors, "\(file.path): \(parsed.diagnostics)")
      #expect(!parsed.model.entities.isEmpty)
      #expect(parsed.model.entities.allSatisfy { !$0.properties.isEmpty || $0.superentityName != nil }, "\(file.path)")
      _ = try VersionHashes(parsed.model)
    }
  }

  @Test(
    "A model of Xcode 3 has the version hashes of the .mom of the same commit",
    arguments: [
      (
        "compiled/RestKit__RestKit/6efa73fa/source/RestKitCoreData.xcdatamodeld/RestKitCoreData.xcdatamodel",
        "compiled/RestKit__RestKit/6efa73fa/RestKitCoreData.momd/RestKitCoreData.mom"
      ),
      (
        "compiled/vestimir__WordPress-iOS/41dcfed2/source/WordPress.xcdatamodel",
        "compiled/vestimir__WordPress-iOS/41dcfed2/WordPress.app/WordPress.mom"
      ),
      (
        "compiled/vestimir__WordPress-iOS/8172e044/source/WordPress.xcdatamodel",
        "compiled/vestimir__WordPress-iOS/8172e044/WordPress.app/WordPress.mom"
      ),
    ])
  func compiledTwin(source: String, compiled: String) throws {
    let model = try #require(ModelBundle.read(at: Fixtures.url(source)).versions.first).model
    let twin = try ModelArchive.decode(Data(contentsOf: Fixtures.url(compiled)))
    #expect(try VersionHashes(model) == VersionHashes(twin))
  }

  @Test("Damaged archives are refused with a message, and none of them ends the program")
  func damage() throws {
    let file = try #require(Self.all.first)
    let bytes = try [UInt8](Data(contentsOf: file))
    var random = SplitMix(seed: 3)
    for _ in 0..<30 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        damaged[Int.random(in: 8..<damaged.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
      }
      do { _ = try ModelParser.parse(archive: Data(damaged), fileName: "elements") } catch {
        #expect(!error.diagnostics.isEmpty)
      }
    }
    for length in stride(from: 0, to: bytes.count, by: 9_973) {
      #expect(throws: ModelReadingError.self) {
        try ModelParser.parse(archive: Data(bytes[..<length]), fileName: "elements")
      }
    }
  }
}
