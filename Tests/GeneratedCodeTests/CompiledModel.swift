import Foundation
import TestSupport

/// What `generate-models` makes of a model, compiled as one module together with the runner.
final class CompiledModel: Sendable {
  let summary: CompiledSummary
  let lineCount: Int
  let compileTime: Duration
  private let temporary: TemporaryStore
  private let executable: URL

  /// - Parameter complete: changes the generated files in a folder, as a developer completes them.
  init(_ model: URL, with products: BuildProducts, complete: (URL) throws -> Void = { _ in }) async throws {
    temporary = try TemporaryStore()
    let folder = temporary.folder
    let sources = folder.appendingPathComponent("Sources", isDirectory: true)
    let generated = try await RunningProgram.run(
      products.generator.path, [model.path, "--output", sources.path], in: folder, mergesErrors: true)
    guard generated.status == 0 else { throw ProgramFailure("generate-models", generated) }
    try complete(sources)
    var files = try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }.sorted { $0.path < $1.path }
    let texts = try files.map { try String(contentsOf: $0, encoding: .utf8) }
    lineCount = texts.reduce(0) { $0 + $1.split(separator: "\n", omittingEmptySubsequences: false).count }
    let list = sources.appendingPathComponent("_Generated.swift")
    try Data(Self.list(of: texts).utf8).write(to: list)
    files.append(list)
    for file in Self.runnerFiles {
      // A copy, so that an edit meanwhile breaks no compilation of minutes.
      let copy = sources.appendingPathComponent("_" + file.lastPathComponent)
      try FileManager.default.copyItem(at: file, to: copy)
      files.append(copy)
    }

    executable = folder.appendingPathComponent("runner")
    let clock = ContinuousClock()
    let start = clock.now
    try await Self.compile(files, to: executable, in: folder, with: products)
    compileTime = clock.now - start
    let place = folder.appendingPathComponent("summary.json")
    let program = try await RunningProgram.run(
      executable.path, ["summary", place.path], in: folder, mergesErrors: true)
    guard program.status == 0 else { throw ProgramFailure("summary", program) }
    summary = try JSONDecoder().decode(CompiledSummary.self, from: Data(contentsOf: place))
  }

  /// The versions in the order of their numbers, which is that of the model's.
  var versions: [CompiledVersion] {
    summary.versions.sorted { $0.identifier.lexicographicallyPrecedes($1.identifier) }
  }

  /// Reads a store through the classes of a schema.
  func read(_ store: URL, schema: String) async throws -> ReadStore {
    let place = temporary.folder.appendingPathComponent("\(UUID().uuidString).json")
    let program = try await RunningProgram.run(
      executable.path, ["read", schema, store.path, place.path], in: temporary.folder, mergesErrors: true)
    guard program.status == 0 else { throw ProgramFailure("\(schema) reads \(store.lastPathComponent)", program) }
    return try JSONDecoder().decode(ReadStore.self, from: Data(contentsOf: place))
  }

  /// Migrates a store to the last version of the generated plan.
  func migrate(_ store: URL) async throws {
    let program = try await RunningProgram.run(
      executable.path, ["migrate", store.path], in: temporary.folder, mergesErrors: true)
    guard program.status == 0 else { throw ProgramFailure("migrating \(store.lastPathComponent)", program) }
  }

  // MARK: Compiling

  private static let runnerFiles = ["Runner/Runner.swift", "Runner/StoreReading.swift", "ReadValue.swift"].map {
    Fixtures.packageRoot.appendingPathComponent("Tests/GeneratedCodeTests").appendingPathComponent($0)
  }

  /// What the runner cannot know: the names of the schemas and of the plan, as the files declare them.
  private static func list(of texts: [String]) -> String {
    var schemas: [Substring] = []
    var plan: Substring?
    for line in texts.lazy.flatMap({ $0.split(separator: "\n") }) {
      let words = line.split(separator: " ")
      guard words.count == 4, words[0] == "enum", words[1].last == ":", words[3] == "{" else { continue }
      if words[2] == "VersionedSchema" { schemas.append(words[1].dropLast()) }
      if words[2] == "SchemaMigrationPlan" { plan = words[1].dropLast() }
    }
    return """
      import SwiftData

      enum Generated {
        static var schemas: [any VersionedSchema.Type] { [\(schemas.map { "\($0).self" }.joined(separator: ", "))] }
        static var plan: (any SchemaMigrationPlan.Type)? { \(plan.map { "\($0).self" } ?? "nil") }
      }

      """
  }

  /// Compiles as a package would, with its strictest settings; a warning in the generated source is a failure.
  ///
  /// A compiler process takes a few files at a time, so that memory stays bounded for bundles of a hundred versions.
  static func compile(
    _ files: [URL], to executable: URL, in folder: URL, with products: BuildProducts
  ) async throws {
    let objects = folder.appendingPathComponent("Objects", isDirectory: true)
    try FileManager.default.createDirectory(at: objects, withIntermediateDirectories: true)
    var arguments = ["-module-name", "GeneratedModels", "-package-name", "generated", "-parse-as-library"]
    arguments += ["-swift-version", "6"]
    arguments += ["ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility"].flatMap {
      ["-enable-upcoming-feature", $0]
    }
    arguments += ["-warnings-as-errors", "-Onone", "-gnone", "-enable-batch-mode", "-driver-batch-size-limit", "4"]
    arguments += ["-j", "\(ProcessInfo.processInfo.activeProcessorCount)", "-c"]
    arguments += ["-module-cache-path", products.folder.appendingPathComponent("ModuleCache").path]
    try await swiftc(arguments + products.moduleFlags + files.map(\.path), in: objects)
    let made = try FileManager.default.contentsOfDirectory(atPath: objects.path)
      .filter { $0.hasSuffix(".o") }.map { objects.appendingPathComponent($0).path }
    try await swiftc(["-emit-executable", "-o", executable.path] + made + products.linkFlags, in: folder)
    try FileManager.default.removeItem(at: objects)
  }

  /// Runs the compiler with arguments from a file: they may be more than a command line takes.
  private static func swiftc(_ arguments: [String], in folder: URL) async throws {
    let response = folder.appendingPathComponent("arguments")
    try Data(arguments.map { "\"\($0)\"" }.joined(separator: "\n").utf8).write(to: response)
    let compiler = try await RunningProgram.run(
      "swiftc", ["@\(response.path)"], in: folder, mergesErrors: true)
    guard compiler.status == 0 else { throw ProgramFailure("swiftc", compiler) }
  }
}

/// The compiled models of this run; each is made once.
actor CompiledModels {
  static let shared = CompiledModels()
  private var models: [URL: Task<CompiledModel, any Error>] = [:]

  func model(at url: URL, with products: BuildProducts) async throws -> CompiledModel {
    let task = models[url] ?? Task { try await CompiledModel(url, with: products) }
    models[url] = task
    return try await task.value
  }
}
