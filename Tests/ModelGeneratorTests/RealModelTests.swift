import CoreDataModel
import Foundation
import TestSupport
import Testing

@testable import ModelGenerator

@Suite("Real models", .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"))
struct RealModelTests {
  @Test("Every real bundle of XML models renders to the files that the plug-in names, and the compiler parses a part")
  func allBundles() throws {
    let temporary = try TemporaryStore()
    var rendered = 0
    var accepted = 0
    var parsed: [String] = []
    for bundle in try Self.bundles() {
      let output = try ModelGenerator().generate(ModelVersions.reading(bundle))
      rendered += 1
      #expect(output.files.count >= 3)
      do {
        let names = try ModelFolder(url: bundle).generatedFileNames().sorted()
        #expect(names == PluginTests.namesToExpect(of: output.files), "\(bundle.path)")
        accepted += 1
      } catch let refusal as PluginError {
        #expect(refusal.description.contains("name"))
      }
      guard rendered.isMultiple(of: 8), let file = output.files.first else { continue }
      let place = temporary.folder.appendingPathComponent("\(rendered).swift")
      try Data(file.contents.utf8).write(to: place)
      parsed.append(place.path)
    }
    #expect(rendered >= 70)
    #expect(accepted >= 70)
    let result = try RunningProgram.run("swiftc", ["-frontend", "-parse"] + parsed, mergesErrors: true)
    withExtendedLifetime(temporary) { #expect(result.status == 0, "\(result.output)") }
  }

  static func bundles() throws -> [URL] {
    let root = Fixtures.url("models")
    return try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
      .flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
      .filter { ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension) }
      .filter { url in (try? ModelBundle.read(at: url))?.hasErrors == false }
      .sorted { $0.path < $1.path }
  }
}
