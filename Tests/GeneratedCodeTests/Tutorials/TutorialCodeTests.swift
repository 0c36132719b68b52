import Foundation
import TestSupport
import Testing

/// The data layer of tutorials about SwiftData compiles, since people copy it into their programs.
///
/// The tutorials are not part of the repository; the tests read them where they are.
@Suite(
  "Code of tutorials", .enabled(if: Tutorial.areThere, "\(Tutorial.explanation)"),
  .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct TutorialCodeTests {
  private func code(_ tutorial: Tutorial) throws -> [TutorialCode] {
    let name = try FileManager.default.contentsOfDirectory(atPath: Tutorial.folder.path).first {
      $0.hasPrefix(tutorial.number)
    }
    return tutorial.code(
      of: try String(contentsOf: Tutorial.folder.appendingPathComponent(try #require(name)), encoding: .utf8))
  }

  /// The compiler's errors in the samples, in the Swift 5 mode; with code generation, which finds values that nothing initializes.
  private func errors(_ files: [String: String], generatesCode: Bool) async throws -> [Substring] {
    let products = try #require(BuildProducts.shared)
    let store = try TemporaryStore()
    for (name, text) in files { try Data(text.utf8).write(to: store.folder.appendingPathComponent(name)) }
    let mode = generatesCode ? ["-emit-sil", "-wmo", "-o", "/dev/null"] : ["-typecheck", "-wmo"]
    let compiler = try await RunningProgram.run(
      "swiftc",
      mode + ["-swift-version", "5", "-parse-as-library", "-module-name", "Tutorial", "-suppress-warnings"]
        + ["-module-cache-path", products.folder.appendingPathComponent("ModuleCache").path] + products.moduleFlags
        + files.keys.sorted(), in: store.folder, mergesErrors: true)
    let errors = compiler.output.split(separator: "\n").filter { $0.contains(/^\S.*error:/) }
    #expect((compiler.status == 0) == errors.isEmpty, "\(compiler.output.prefix(4000))")
    return errors
  }

  @Test("Samples of the data layer compile in the Swift 5 mode", arguments: Tutorial.all)
  func compile(_ tutorial: Tutorial) async throws {
    let code = try code(tutorial)
    let samples = code.flatMap(\.samples)
    let compiled = samples.filter { tutorial.mustCompile($0) }
    #expect(compiled.count == tutorial.count, "the number of samples that compile, of \(samples.count)")
    #expect(Set(samples.map(\.name)).count == samples.count)
    let errors = try await errors(tutorial.files(code, tutorial.mustCompile), generatesCode: true)
    #expect(errors.isEmpty, "\(errors.joined(separator: "\n"))")
  }

  @Test(
    "Samples that do not compile are refused for the reason in the table",
    .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"), arguments: Tutorial.all)
  func refuse(_ tutorial: Tutorial) async throws {
    let code = try code(tutorial)
    let errors = try await errors(
      tutorial.files(code) { tutorial.mustCompile($0) || tutorial.refused[$0.name] != nil }, generatesCode: false)
    for (name, refusal) in tutorial.refused {
      let file = "Block\(name.prefix { $0 != " " }).swift"
      // An error within an expansion names the macro, not the file.
      let found = errors.contains {
        $0.contains(refusal.error) && ($0.contains(file) || $0.hasPrefix("macro expansion"))
      }
      #expect(found, "\(name): \(refusal.reason): \(errors.filter { $0.contains(file) })")
    }
  }
}
