import Foundation
import TestSupport
import Testing

/// The shapes of model classes in the table of `SwiftDataMacrosTests`, compiled as a client's code and run: all of them with the
/// strictest settings, and with the other settings a part of them, or all in the full run.
@Suite(.enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct ModelShapeProgramTests {
  /// The settings of a client's target.
  struct Settings: Sendable, CustomTestStringConvertible {
    let languageMode: Int
    /// Whether the quick run compiles all shapes, or every twelfth.
    var isWhole = FullTests.areWanted
    var flags: [String] = []
    var testDescription: String { (["-swift-version \(languageMode)"] + flags).joined(separator: " ") }

    static let all = [
      Settings(languageMode: 5),
      Settings(
        languageMode: 6, isWhole: true,
        flags: [
          "-warnings-as-errors", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature",
          "MemberImportVisibility", "-enable-upcoming-feature", "InternalImportsByDefault",
        ]),
      Settings(languageMode: 6, flags: ["-default-isolation", "MainActor"]),
    ]
  }

  @Test(arguments: Settings.all) func `Shapes that are accepted, and fixed ones, compile and keep their values`(
    _ settings: Settings
  ) async throws {
    let temporary = try TemporaryStore()
    let executable = temporary.folder.appendingPathComponent("shapes")
    let source = ModelShape.program(inSwift5Mode: settings.languageMode == 5, step: settings.isWhole ? 1 : 12)
    let products = try #require(BuildProducts.shared)
    let compiler = try await compile(
      source, settings, ["-emit-executable", "-o", executable.path] + products.linkFlags, in: temporary.folder)
    try #require(compiler.status == 0, "\(compiler.output.prefix(8000))")
    let program = try await RunningProgram.run(executable.path, in: temporary.folder, mergesErrors: true)
    #expect(program.status == 0 && program.output == "all shapes work\n", "\(program.output)")
  }

  @Test func `The compiler explains the shapes that the macro cannot judge, at the declaration`() async throws {
    let temporary = try TemporaryStore()
    let output = try await compile(
      ModelShape.programOfShapesLeftToCompiler, Settings(languageMode: 6), ["-typecheck"], in: temporary.folder
    ).output.split(separator: "\n")
    for shape in ModelShape.table {
      guard case .leftToCompiler(let message) = shape.outcome else { continue }
      // An error in an expansion is followed by the source of the property that it belongs to.
      #expect(
        output.indices.contains { index in
          output[index].contains("error: \(message)")
            && output[index...].prefix(5).contains { $0.contains(shape.name) }
        }, "\(shape.name)")
    }
  }

  private func compile(
    _ source: String, _ settings: Settings, _ action: [String], in folder: URL
  ) async throws -> RunningProgram.Result {
    let products = try #require(BuildProducts.shared)
    let file = folder.appendingPathComponent("Shapes.swift")
    try Data(source.utf8).write(to: file)
    let arguments =
      ["-parse-as-library", "-module-name", "Shapes", "-package-name", "shapes", "-swift-version"]
      + ["\(settings.languageMode)"] + settings.flags + ["-Onone", "-gnone"]
      + ["-module-cache-path", products.folder.appendingPathComponent("ModuleCache").path]
      + products.moduleFlags + action + [file.path]
    let response = folder.appendingPathComponent("arguments")
    try Data(arguments.map { "\"\($0)\"" }.joined(separator: "\n").utf8).write(to: response)
    return try await RunningProgram.run("swiftc", ["@\(response.path)"], in: folder, mergesErrors: true)
  }
}
