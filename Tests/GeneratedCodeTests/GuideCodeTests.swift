import Foundation
import TestSupport
import Testing

/// The Swift of the guide "From Core Data to SwiftData", compiled with what its commands generate, on the store it names.
@Suite(
  "From Core Data to SwiftData, its Swift", .serialized,
  .enabled(if: Fixtures.areAvailable, "\(Fixtures.explanation)"),
  .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct GuideCodeTests {
  private static let guide = Fixtures.packageRoot.appendingPathComponent(
    "Sources/SwiftData/SwiftData.docc/FromCoreDataToSwiftData.md")

  @Test("The guide's Swift opens the old store and prints its folders") func swift() async throws {
    let products = try #require(BuildProducts.shared)
    let store = try Fixtures.copyOfStore("duckduckgo__BrowserServicesKit__Bookmarks_V3.sqlite")
    let sources = store.folder.appendingPathComponent("Sources", isDirectory: true)
    let generated = try await RunningProgram.run(
      products.generator.path,
      [
        Fixtures.url("models/duckduckgo__BrowserServicesKit/BookmarksModel.xcdatamodeld").path, "--output",
        sources.path,
      ], in: store.folder, mergesErrors: true)
    try #require(generated.status == 0, "\(generated.output)")
    let program = sources.appendingPathComponent("Guide.swift")
    try Data(Self.program().utf8).write(to: program)
    let files = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
    let executable = store.folder.appendingPathComponent("guide")
    try await CompiledModel.compile(files, to: executable, in: store.folder, with: products)
    let result = try await RunningProgram.run(
      executable.path, [store.url.path], in: store.folder, mergesErrors: true)
    #expect(result.status == 0, "\(result.output)")
    // What plain SQL says of the folders.
    #expect(result.output == "3 3\n31 0\nbookmarks_root 5\nfavorites_root 0\n")
  }

  /// The guide's `swift` block as the body of a program whose first argument is the store.
  private static func program() throws -> String {
    var lines: [Substring] = []
    var isSwift = false
    for line in try String(contentsOf: guide, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
    {
      if line.hasPrefix("```") { isSwift = line == "```swift" } else if isSwift { lines.append("    " + line) }
    }
    return """
      import Foundation
      import SwiftData

      @main enum Guide {
        static func main() throws {
          let storeURL = URL(fileURLWithPath: CommandLine.arguments[1])
      \(lines.joined(separator: "\n"))
        }
      }

      """
  }
}
