import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import CoreDataModel

@Suite("Version hashes of models in XML", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct VersionHashOracleTests {
  @Test("VH-1 … VH-11, VH-13, VH-14: hashes of every real model are those of the independent tool")
  func realModels() throws {
    try compare(FixtureModels.parsed())
  }

  @Test("VH-1 … VH-11, VH-13, VH-14: so are those of the sample model")
  func sampleModel() throws {
    let library = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.xcdatamodeld")
    try compare(
      try ModelBundle.read(at: library).versions.map { version in
        let path = version.url.appendingPathComponent("contents").path
        return (path, try ModelParser.parse(try Data(contentsOf: URL(fileURLWithPath: path)), fileName: path))
      })
  }

  @Test("VH-8: a composite of the sample model is hashed by its elements")
  func composite() throws {
    // The independent tool reads composites in another spelling, so it gets a copy in that one.
    let sample = Fixtures.packageRoot.appendingPathComponent(
      "SampleModels/Library.xcdatamodeld/Library 3.xcdatamodel/contents")
    let text = try String(contentsOf: sample, encoding: .utf8)
    let copy = try TemporaryStore(name: "contents")
    let other = text.replacingOccurrences(of: "<composite ", with: "<compositeType ")
      .replacingOccurrences(of: "</composite>", with: "</compositeType>")
      .replacingOccurrences(
        of: #"<attribute (name="[a-z]*" optional="YES") attributeType="Composite" composite="#,
        with: "<composite $1 elementType=", options: .regularExpression)
    #expect(other.contains(#"<composite name="address" optional="YES" elementType="Address"/>"#))
    try other.write(to: copy.url, atomically: true, encoding: .utf8)

    let expected = try #require(try oracleHashes([copy.url.path])[copy.url.path])
    let model = try ModelParser.parse(Data(text.utf8), fileName: "contents").model
    let hashes = try VersionHashes(model)
    #expect(hashes.hashes.mapValues(hexadecimal) == expected.hashes)
    #expect(hashes.digest == expected.digest)
    #expect(hashes.checksum == expected.checksum)
  }

  /// Compares with the independent tool, which computes no composites in Xcode's spelling.
  private func compare(_ models: [(path: String, model: ParsedModel)]) throws {
    #expect(!models.isEmpty)
    let expected = try oracleHashes(models.map(\.path))
    for (path, parsed) in models {
      let hashes = try VersionHashes(parsed.model)
      let oracle = try #require(expected[path], "\(path)")
      let graph = EntityGraph(parsed.model)
      let withComposites = parsed.model.entities.map(\.name).filter { name in
        graph.properties(of: name).contains { property in
          if case .attribute(let attribute) = property { attribute.type == .composite } else { false }
        }
      }
      let computed = hashes.hashes.mapValues(hexadecimal)
      #expect(
        computed.filter { !withComposites.contains($0.key) }
          == oracle.hashes.filter { !withComposites.contains($0.key) }, "\(path)")
      if withComposites.isEmpty {
        #expect(hashes.digest == oracle.digest, "\(path)")
        #expect(hashes.checksum == oracle.checksum, "\(path)")
      }
    }
  }

  private struct OracleHashes {
    var hashes: [String: String] = [:]
    var digest = ""
    var checksum = ""
  }

  /// What the tool prints: a path, then indented lines of a name and a value each.
  private func oracleHashes(_ paths: [String]) throws -> [String: OracleHashes] {
    let report = try Oracle.versionHashes(paths)
    try #require(report.status == 0, "\(report.output)")
    var result: [String: OracleHashes] = [:]
    var path = ""
    for line in report.output.split(separator: "\n") {
      guard line.hasPrefix("  "), let space = line.lastIndex(of: " ") else {
        path = String(line)
        result[path] = OracleHashes()
        continue
      }
      let name = line[..<space].trimmingCharacters(in: .whitespaces)
      let value = String(line[line.index(after: space)...])
      switch name {
      case "digest": result[path]?.digest = value
      case "checksum": result[path]?.checksum = value
      default: result[path]?.hashes[name] = value
      }
    }
    return result
  }
}
