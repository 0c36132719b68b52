import Foundation
import TestSupport
import Testing

/// Random schemas, compiled as a client's classes: random fetches select and sort as Foundation's evaluation and
/// Swift's sorting of all objects do, among saved objects and among changes.
@Suite(
  .enabled(if: FullTests.areWanted || FullTests.setting("SCHEMA_COUNT") != nil, "\(FullTests.explanation)"),
  .enabled(if: BuildProducts.shared != nil, "\(BuildProducts.explanation)"))
struct RandomSchemaTests {
  /// The number of schemas is `SCHEMA_COUNT`, that of each one's fetches `SCHEMA_CASES`; `SCHEMA_SEED` changes the seed.
  private static let firstSeed = UInt64(FullTests.setting("SCHEMA_SEED") ?? 20_261_125)
  private static let schemaCount = FullTests.setting("SCHEMA_COUNT") ?? 20
  private static let caseCount = FullTests.setting("SCHEMA_CASES") ?? 5_000

  @Test func `Random fetches over random schemas select what Foundation evaluates, and sort as Swift does`()
    async throws
  {
    let products = try #require(BuildProducts.shared)
    let temporary = try TemporaryStore()
    let schemas = (0..<Self.schemaCount).map { number in
      var random = SplitMix(seed: Self.firstSeed &+ UInt64(number))
      return RandomSchema("Schema\(number)", &random)
    }
    let sources = temporary.folder.appendingPathComponent("Sources", isDirectory: true)
    try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
    let runner = Fixtures.packageRoot.appendingPathComponent("Tests/GeneratedCodeTests/Runner/RandomSchemas")
    var files = try FileManager.default.contentsOfDirectory(at: runner, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }
    files.append(Fixtures.packageRoot.appendingPathComponent("Sources/TestSupport/SplitMix.swift"))
    func write(_ text: String, to name: String) throws {
      let file = sources.appendingPathComponent("\(name).swift")
      try Data(text.utf8).write(to: file)
      files.append(file)
    }
    try write(RandomSchema.program(of: schemas), to: "RandomSchemas")
    for schema in schemas {
      try write("import Foundation\nimport SwiftData\n\n\(schema.source)\n", to: schema.name)
    }
    let executable = temporary.folder.appendingPathComponent("random-schemas")
    try await CompiledModel.compile(files, to: executable, in: temporary.folder, with: products)
    let program = try await RunningProgram.run(
      executable.path, [temporary.folder.path, "\(Self.firstSeed)", "\(Self.caseCount)"], in: temporary.folder,
      mergesErrors: true)
    let lines = program.output.split(separator: "\n")
    #expect(program.status == 0, "seed \(Self.firstSeed): \(program.output.suffix(4000))")
    let agreeing = lines.filter { $0.hasSuffix(": \(Self.caseCount) cases, 0 differences") }
    #expect(agreeing.count == Self.schemaCount, "seed \(Self.firstSeed): \(program.output.prefix(20_000))")
  }
}
