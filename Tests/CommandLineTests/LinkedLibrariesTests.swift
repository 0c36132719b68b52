import Foundation
import TestSupport
import Testing

/// A program that keeps no rows on a server runs where no client of one is installed.
@Suite("Libraries that programs link")
struct LinkedLibrariesTests {
  private static let readelf: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    return folders.map { $0 + "/readelf" }.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()
  private static let libraryDemo = BuiltTool("library-demo", variable: "LIBRARY_DEMO")

  /// The shared libraries that a program names.
  private func libraries(of program: URL?) throws -> [String] {
    let program = try #require(program).path
    let result = try RunningProgram.run(try #require(Self.readelf), ["--wide", "--dynamic", program])
    #expect(result.status == 0, "\(result.errors)")
    return result.output.split(separator: "\n").filter { $0.contains("(NEEDED)") }.map(String.init)
  }

  private static func linksClient(_ libraries: [String]) -> Bool { libraries.contains { $0.contains("[libpq.") } }

  @Test(
    "A program with SwiftData alone links SQLite, and no libpq",
    .enabled(if: readelf != nil, "needs readelf: apt-get install binutils"),
    .enabled(if: libraryDemo.url != nil, "needs the built library-demo"))
  func client() throws {
    let libraries = try libraries(of: Self.libraryDemo.url)
    #expect(libraries.contains { $0.contains("[libsqlite3.") } && !Self.linksClient(libraries), "\(libraries)")
  }

  @Test(
    "generate-models, which the plug-ins run, links no libpq; store-tool does",
    .enabled(if: readelf != nil, "needs readelf: apt-get install binutils"),
    .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"), .needsStoreTool)
  func tools() throws {
    let libraries = try libraries(of: GenerateModelsTool.url)
    #expect(!Self.linksClient(libraries), "\(libraries)")
    #expect(Self.linksClient(try self.libraries(of: storeTool.url)))
  }
}
