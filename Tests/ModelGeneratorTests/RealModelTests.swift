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
      let output = ModelGenerator().render(bundle.translation)
      rendered += 1
      #expect(output.files.count >= 3)
      do {
        let names = try ModelFolder(url: bundle.url).generatedFileNames().sorted()
        #expect(names == PluginTests.namesToExpect(of: output.files), "\(bundle.url.path)")
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

  /// A bundle without errors, and what is generated for it.
  struct Bundle: Sendable {
    let url: URL
    let versions: ModelVersions
    let translation: Translation
  }

  /// The bundles without errors, read and translated once for all tests.
  static func bundles() throws -> [Bundle] { try sound.get() }

  private static let sound = Result {
    let root = Fixtures.url("models")
    return try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
      .flatMap { try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil) }
      .filter { ["xcdatamodeld", "xcdatamodel"].contains($0.pathExtension) }
      .compactMap { url -> Bundle? in
        guard let bundle = try? ModelBundle.read(at: url), !bundle.hasErrors else { return nil }
        let versions = ModelVersions(bundle, source: url.lastPathComponent)
        return Bundle(url: url, versions: versions, translation: try ModelGenerator().translate(versions))
      }
      .sorted { $0.url.path < $1.url.path }
  }
}
