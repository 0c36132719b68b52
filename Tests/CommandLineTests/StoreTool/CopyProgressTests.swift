import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import TestSupport
import Testing

@Suite("Progress of store-tool copy on a terminal", .needsStoreTool)
struct CopyProgressTests {
  /// Runs a program on a terminal, of which it prints all that the program writes.
  private static let onTerminal =
    "import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))"

  private let folder: TemporaryStore
  private let sample = Fixtures.packageRoot.appendingPathComponent("SampleModels/Library.sqlite").path
  private let screen: URL

  init() throws {
    folder = try TemporaryStore()
    screen = folder.folder.appendingPathComponent("screen")
  }

  private func start(_ arguments: [String]) throws -> RunningProgram {
    try Data().write(to: screen)
    let tool = try #require(storeTool.url).path
    return try RunningProgram(
      "env", ["TERM=xterm", "NO_COLOR=1", "python3", "-c", Self.onTerminal, tool, "copy"] + arguments,
      output: FileHandle(forWritingTo: screen))
  }

  private var shown: String { (try? String(contentsOf: screen, encoding: .utf8)) ?? "" }

  @Test(
    "A copy that takes long shows what it copies, and how many objects it has; the line goes before the result",
    TestServer.condition)
  func long() async throws {
    let server = try TestServer.required()
    let schema = folder.databaseSchema
    #expect(try storeTool.run(["copy", sample, server.address, "--schema", schema]).status == 0)
    // All objects are copied, and the copy waits for their pairs, as it would for millions of them.
    let holder = try server.connect()
    try holder.execute("BEGIN")
    try holder.execute("LOCK TABLE \"\(schema)\".author_books IN ACCESS EXCLUSIVE MODE")
    let back = folder.url.path
    let run = try start([server.address, back, "--schema", schema])
    let line = try Regex("\r\u{1B}\\[K" + "copying \(schema) … [1-9][0-9]* \\([1-9] s\\)")
    try await eventually { shown.contains(line) }
    try holder.execute("ROLLBACK")
    let result = try await run.result()
    #expect(result.status == 0, "\(result.errors)\(shown)")
    #expect(shown.contains("\r\u{1B}[K\(back): written, 28 objects, "), "\(shown)")
    #expect(try storeTool.run(["dump", back]).output == storeTool.run(["dump", sample]).output)
  }

  @Test("A copy without a terminal shows nothing of it")
  func plain() async throws {
    let result = try storeTool.run(["copy", sample, folder.url.path])
    #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
  }
}
