import Foundation
import TestSupport
import Testing

@Suite("store-tool", .needsStoreTool)
struct StoreToolTests {
  static let samples = Fixtures.packageRoot.appendingPathComponent("SampleModels")

  @Test("A sound store has no findings") func sound() throws {
    let store = try TemporaryStore.sampleLibrary()
    let result = try storeTool.run(["check", store.url.path])
    #expect(result.status == 0)
    #expect(result.output == "\(store.url.path): 54 of 66 rules hold, 12 had nothing to look at\n")
    let verbose = try storeTool.run(["check", "--verbose", store.url.path])
    #expect(verbose.output.hasPrefix("\(store.url.path)\nok "))
    #expect(verbose.output.hasSuffix("\n54 of 66 rules hold, 12 had nothing to look at\n"))
  }

  @Test("Inspecting lists the entities with their objects") func inspect() throws {
    let store = try TemporaryStore.sampleLibrary()
    let result = try storeTool.run(["inspect", store.url.path])
    #expect(result.status == 0)
    #expect(result.output.contains("Book"))
    #expect(result.output.contains("ZITEM"))
    let json = try storeTool.run(["inspect", "--json", store.url.path])
    let object = try JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any]
    #expect((object?["entities"] as? [Any])?.count == 10)
  }

  @Test("A file that is no store ends with status 2 and says so") func foreign() throws {
    let store = try TemporaryStore(name: "notes.txt")
    try Data("no store".utf8).write(to: store.url)
    for command in ["check", "inspect"] {
      let result = try storeTool.run([command, store.url.path])
      #expect(result.status == 2)
      #expect(result.errors.contains(store.url.path))
    }
    #expect(try String(contentsOf: store.url, encoding: .utf8) == "no store")
    #expect(try FileManager.default.contentsOfDirectory(atPath: store.folder.path) == ["notes.txt"])
  }

  @Test("The version of a bundle that fits is found for the store") func model() throws {
    let store = try TemporaryStore.sampleLibrary()
    let bundle = Self.samples.appendingPathComponent("Library.xcdatamodeld").path
    #expect(try storeTool.run(["check", "--model", bundle, store.url.path]).status == 0)
    let missing = try storeTool.run(["check", "--model", bundle + "x", store.url.path])
    #expect(missing.status == 2)
    #expect(missing.errors.contains("there is no such file or folder"))
  }

  @Test("A wrong command line ends with status 64") func usage() throws {
    #expect(try storeTool.run(["check"]).status == 64)
    #expect(try storeTool.run(["mend", "x"]).status == 64)
  }
}
