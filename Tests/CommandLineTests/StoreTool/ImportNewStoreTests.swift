import CoreDataStore
import Foundation
import TestSupport
import Testing

/// An import makes a whole new store, or none.
@Suite("store-tool import into a new store", .needsStoreTool)
struct ImportNewStoreTests {
  private static let samples = Fixtures.packageRoot.appendingPathComponent("SampleModels")
  private static let bundle = samples.appendingPathComponent("Library.xcdatamodeld").path
  private static let good = #"{"$entity":"Category","name":"x","shelfOrder":1}"#
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func path(_ name: String) -> String { place.folder.appendingPathComponent(name).path }
  private var names: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: place.folder.path).sorted() }
  }
  private func file(_ name: String, _ text: String) throws -> String {
    try Data(text.utf8).write(to: place.folder.appendingPathComponent(name))
    return path(name)
  }

  /// Runs a line of a shell in the folder. `$0` is the tool, `$1` the model.
  private func shell(_ line: String) async throws -> BuiltTool.Result {
    try await RunningProgram.run(
      "/bin/sh", ["-c", line, storeTool.url?.path ?? "", Self.bundle], in: place.folder)
  }

  @Test("A killed import leaves no store, and the next import removes its draft") func killed() async throws {
    let lines = (0..<60_000).map { #"{"$entity":"Category","name":"\#($0)","shelfOrder":1}"# }
    _ = try file("lines", lines.joined(separator: "\n"))
    let result = try await shell(
      """
      "$0" import New.sqlite lines --model "$1" > /dev/null & tool=$!
      n=0; while [ $n -lt 1000 ] && [ -z "$(find . -name New.sqlite)" ]; do n=$((n + 1)); sleep 0.01; done
      kill -9 $tool; wait $tool 2> /dev/null; echo $?
      """)
    #expect(result.output == "137\n", "\(result.errors)")
    #expect(try !names.contains("New.sqlite"))
    let next = try storeTool.run(["import", path("New.sqlite"), file("line", Self.good), "--model", Self.bundle])
    #expect(next.status == 0, "\(next.errors)")
    #expect(try names.filter { $0.contains("New") } == ["New.sqlite"])
    #expect(try storeTool.run(["sql", path("New.sqlite"), "SELECT name FROM Category"]).output == "name\n----\nx\n")
  }

  @Test("A store that another program makes meanwhile stays when the import fails") func overtaken() async throws {
    _ = try file("good", Self.good)
    let result = try await shell(
      """
      mkfifo more
      "$0" import New.sqlite - --model "$1" < more & tool=$!
      exec 3> more; sleep 0.5
      "$0" import New.sqlite good --model "$1" > /dev/null || echo failed
      echo '[]' >&3; exec 3>&-; wait $tool; echo $?
      """)
    #expect(result.output == "2\n", "\(result.errors)")
    #expect(try storeTool.run(["sql", path("New.sqlite"), "SELECT name FROM Category"]).output == "name\n----\nx\n")
  }

  @Test("The folder of a new store is made with it, and goes with it") func folder() throws {
    let store = path("a/b/New.sqlite")
    let wrong = try storeTool.run(["import", store, file("wrong", "[]"), "--model", Self.bundle])
    #expect(wrong.status == 2)
    #expect(wrong.errors.hasPrefix("\(path("wrong")):1:1: error: "), "\(wrong.errors)")
    #expect(try names == ["wrong"])
    let done = try storeTool.run(["import", store, file("good", Self.good), "--model", Self.bundle])
    #expect(done.status == 0, "\(done.errors)")
    #expect(done.output == "\(store): 1 added, in a new store\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: path("a/b")) == ["New.sqlite"])
  }

  @Test("Big values come with a new store, and go with one that fails") func bigValues() throws {
    let bytes = Data(repeating: 7, count: 300_000).base64EncodedString()
    let cover = #"{"$entity":"Book","title":"x","coverImage":"\#(bytes)"}"#
    let wrong = try file("wrong", cover + "\n[]")
    #expect(
      try storeTool.run(["import", path("New.sqlite"), wrong, "--model", Self.bundle, "--lenient"]).status == 2)
    #expect(try names == ["wrong"])
    let line = try file("line", cover)
    let done = try storeTool.run(["import", path("New.sqlite"), line, "--model", Self.bundle, "--lenient"])
    #expect(done.status == 0, "\(done.errors)")
    #expect(try storeTool.run(["dump", path("New.sqlite")]).output.contains(bytes))
    #expect(try FileManager.default.contentsOfDirectory(atPath: path(".New_SUPPORT/_EXTERNAL_DATA")).count == 1)
    #expect(try names == [".New_SUPPORT", "New.sqlite", "line", "wrong"])
  }
}
