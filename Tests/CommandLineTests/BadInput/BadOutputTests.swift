import Foundation
import TestSupport
import Testing

/// Places that the output cannot be written to: an error each, and no trace of the attempt.
@Suite("Bad output of generate-models", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct BadOutputTests {
  private let folder: InputFolder

  init() throws {
    folder = try InputFolder()
    try folder.write(BadInput.soundModel, to: "M.xcdatamodel/contents")
  }

  private func path(_ name: String) -> String { folder.place(name).path }

  @Test("Where files must not grow, as on a full disk, nothing is left, not even the folder that was made")
  func fileSizes() throws {
    let before = try folder.snapshot()
    let result = try GenerateModelsTool.run(
      [GenerateModelsTool.library, "--output", path("a/b/Out")], after: "ulimit -f 8; exec 2>\(path("messages"))")
    #expect(result.status == 2 && result.output.isEmpty)
    let messages = folder.lines(try String(contentsOf: folder.place("messages"), encoding: .utf8))
    let last = try #require(messages.last)
    #expect(last.hasPrefix("a/b/Out: error: the files cannot be written: "), "\(messages)")
    #expect(last.hasSuffix(" — make the folder writable and see that the disk has room"), "\(messages)")
    try FileManager.default.removeItem(at: folder.place("messages"))
    #expect(try folder.snapshot() == before)
  }

  @Test("A pipe in the place of a file is written to, and stays a pipe")
  func pipes() throws {
    mkfifo(path("pipe"), 0o600)
    let result = try GenerateModelsTool.run(
      [path("M.xcdatamodel"), "--json", "--output", path("pipe")], after: "{ cat \(path("pipe")) > \(path("got")) & }")
    #expect(result.status == 0, "\(result.errors)")
    let attributes = try FileManager.default.attributesOfItem(atPath: path("pipe"))
    #expect(attributes[.type] as? FileAttributeType != .typeRegular)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == ["M.xcdatamodel", "got", "pipe"])
  }

  @Test("Standard output and standard error on a full disk end the program without a crash")
  func fullStreams() throws {
    let output = try GenerateModelsTool.run([path("M.xcdatamodel"), "--json"], after: "exec >/dev/full")
    #expect(output.status == 2)
    #expect(output.errors.contains("the output cannot be written: "), "\(output.errors)")
    let errors = try GenerateModelsTool.run(
      [GenerateModelsTool.library, "--output", path("Out")], after: "exec 2>/dev/full")
    #expect(errors.status == 0 && errors.output.contains("files, "))
  }

  @Test(
    "A run whose summary cannot be written says what it has written",
    arguments: [
      ([], "the files are written to Out"), (["--format", "mom"], "the model is written to Out/Library.momd"),
    ])
  func summary(_ options: [String], _ saved: String) throws {
    let result = try GenerateModelsTool.run(
      [GenerateModelsTool.library, "--output", path("Out")] + options, after: "exec >/dev/full")
    #expect(result.status == 2)
    #expect(
      folder.lines(result.errors).last
        == "standard output: error: the output cannot be written: No space left on device, "
        + "but \(saved) — do not repeat the run: only what it prints is missing")
  }

  @Test(
    "Nothing is written over the model that is read, or into it",
    arguments: [
      "", " --check", " --check --json", " --prune", " --dry-run", " --format mom", " --diagram svg", " --json",
      " --diff V1 V2",
    ])
  func inputs(_ flags: String) throws {
    try FileManager.default.copyItem(atPath: GenerateModelsTool.library, toPath: path("L.xcdatamodeld"))
    try folder.link("link", to: "L.xcdatamodeld")
    try folder.link("Deep/link", to: "../L.xcdatamodeld/Library 2.xcdatamodel")
    let before = try folder.snapshot()
    let version = "L.xcdatamodeld/Library 3.xcdatamodel"
    var cases = [
      ("L.xcdatamodeld", "L.xcdatamodeld", "is"), ("link", "L.xcdatamodeld", "is"), ("L.xcdatamodeld", "link", "is"),
      ("L.xcdatamodeld", "L.xcdatamodeld/new", "lies in"), ("L.xcdatamodeld", "link/a/../b/c", "lies in"),
      ("link", "none/../L.xcdatamodeld/new", "lies in"), ("L.xcdatamodeld", "Deep/link/x", "lies in"),
    ]
    if !flags.contains("V1") { cases += [(version, "L.xcdatamodeld", "is"), (version, "link/new", "lies in")] }
    for (input, output, relation) in cases {
      let words = flags.split(separator: " ").map(String.init)
      let result = try RunningProgram.run(
        try #require(GenerateModelsTool.url).path, [input, "--output", output] + words, in: folder.url)
      #expect(result.status == 2, "\(input) \(output)")
      #expect(
        folder.lines(result.errors).last?.hasSuffix(
          ": error: it \(relation) the model that is read — choose another place for the output") == true,
        "\(input) \(output): \(result.errors)")
      #expect(try folder.snapshot() == before)
    }
  }

  @Test("No document is written over a store that is read, or a side of a comparison") func stores() throws {
    let store = try TemporaryStore.sampleLibrary()
    let bytes = try Data(contentsOf: store.url)
    let link = store.folder.appendingPathComponent("link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "Library.sqlite")
    for place in [store.url.path, link] {
      for arguments in [
        [place, "--diagram", "svg"], [place, "--json"], ["--diff", GenerateModelsTool.library, place],
      ] {
        let result = try GenerateModelsTool.run(arguments + ["--output", store.url.path])
        #expect(
          result.status == 2 && result.errors.contains("error: it is the model that is read — choose"), "\(place)")
        #expect(try Data(contentsOf: store.url) == bytes)
      }
    }
    let linked = try GenerateModelsTool.run([store.url.path, "--diagram", "svg", "--output", link])
    #expect(linked.status == 2)
    #expect(try Data(contentsOf: store.url) == bytes)
  }

  @Test("An output beside the model is no place in it, and a missing model is told as missing") func neighbours() throws
  {
    try folder.makeFolder("M.xcdatamodel2")
    for output in ["M.xcdatamodel2", ".", "M.xcdatamodel/../Out"] {
      let result = try RunningProgram.run(
        try #require(GenerateModelsTool.url).path, ["M.xcdatamodel", "--output", output], in: folder.url)
      #expect(result.status == 0, "\(output): \(result.errors)")
    }
    let missing = try GenerateModelsTool.run(path("none.xcdatamodeld"), "--output", path("none.xcdatamodeld/x"))
    #expect(missing.status == 2 && missing.errors.contains("there is no such file or folder"), "\(missing.errors)")
    let diff = try RunningProgram.run(
      try #require(GenerateModelsTool.url).path, ["--diff", "M.xcdatamodel", "M.xcdatamodel", "--output", "diff.txt"],
      in: folder.url)
    #expect(diff.status == 0, "\(diff.errors)")
  }

  @Test("A link in the place of a generated file is not followed")
  func links() throws {
    try folder.write("mine", to: "mine.swift")
    try folder.link("Out/MModels.swift", to: path("mine.swift"))
    let result = try GenerateModelsTool.run(path("M.xcdatamodel"), "--output", path("Out"))
    #expect(result.status == 2)
    #expect(
      folder.lines(result.errors) == [
        "Out/MModels.swift:1: error: it is not a file, but stands where one is to be generated — "
          + "move it away or choose another output folder"
      ])
    #expect(try String(contentsOf: folder.place("mine.swift"), encoding: .utf8) == "mine")
    #expect(try FileManager.default.contentsOfDirectory(atPath: path("Out")) == ["MModels.swift"])
  }

  @Test("Names that look like paths stay names", arguments: ["../../evil", "/tmp/evil", "a/b", "..", "a\\b", "CON"])
  func names(_ name: String) throws {
    try folder.write(
      "<model><entity name=\"\(name)\"/></model>", to: "\(name.filter(\.isLetter))x.xcdatamodel/contents")
    let before = try folder.snapshot()
    let result = try GenerateModelsTool.run(
      path("\(name.filter(\.isLetter))x.xcdatamodel"), "--output", path("Out"))
    let after = try folder.snapshot().keys.filter { before[$0] == nil }
    #expect(result.status == 0, "\(result.errors)")
    #expect(after.allSatisfy { $0 == "Out" || $0.hasPrefix("Out/") && $0.hasSuffix(".swift") }, "\(after)")
  }
}
