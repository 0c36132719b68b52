import Foundation
import TestSupport
import Testing

/// The public names of this module beside those of Apple's.
@Suite("Public names", .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct PublicSurfaceTests {
  private struct SymbolGraph: Decodable {
    struct Symbol: Decodable { let pathComponents: [String] }
    let symbols: [Symbol]
  }

  /// `Type.member`, without arguments, of everything that the built module makes public.
  private func symbols() async throws -> Set<String> {
    let products = try #require(BuildProducts.shared)
    let output = try TemporaryStore()
    #if arch(arm64)
      let target = "aarch64-unknown-linux-gnu"
    #else
      let target = "x86_64-unknown-linux-gnu"
    #endif
    let flags = products.moduleFlags.prefix { $0 != "-load-plugin-executable" }
    let result = try await RunningProgram.run(
      "swift",
      ["symbolgraph-extract", "-module-name", "SwiftData", "-target", target, "-output-dir", output.folder.path]
        + flags,
      mergesErrors: true)
    try #require(result.status == 0, "\(result.output)")
    var names: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: output.folder, includingPropertiesForKeys: nil)
    where file.pathExtension == "json" {
      for symbol in try JSONDecoder().decode(SymbolGraph.self, from: Data(contentsOf: file)).symbols {
        names.insert(symbol.pathComponents.map { String($0.prefix { $0 != "(" }) }.joined(separator: "."))
      }
    }
    return names
  }

  /// The wanted names: each line a type and its members; a line that begins with a blank goes on.
  private var wanted: [String] {
    var names: [String] = []
    var type = ""
    for line in PublicNames.list.split(separator: "\n") {
      var words = line.split(separator: " ").map(String.init)
      if line.first != " ", let first = words.first, first.hasSuffix(":") {
        type = String(first.dropLast())
        words.removeFirst()
        names.append(type)
      }
      names += words.map { "\(type).\($0)" }
    }
    return names
  }

  @Test("Every public name of Apple's SwiftData is a public name of this module") func nothingIsMissing() async throws {
    let ours = try await symbols()
    #expect(wanted.count > 350)
    // Members of a protocol that a type inherits, and the types of other modules, are listed with their members only.
    let missing = wanted.filter { name in
      !ours.contains(name) && !(ours.contains { $0.hasPrefix(name + ".") })
    }
    #expect(missing == [])
  }
}
