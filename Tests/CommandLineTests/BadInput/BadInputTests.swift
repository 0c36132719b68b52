import Foundation
import TestSupport
import Testing

/// Whatever is wrong with an input: the message says where, what and what to do, and nothing is written.
@Suite("Bad input of generate-models", .enabled(if: GenerateModelsTool.url != nil, "needs the built generate-models"))
struct BadInputTests {
  static let table =
    BadInput.malformed + BadInput.unsound + BadInput.bundles + BadInput.files + BadInput.archives
    + BadInput.compiledBundles + BadInput.stores

  @Test("The table has sixty rows at least, each with a name of its own")
  func size() {
    #expect(Self.table.count >= 60)
    #expect(Set(Self.table.map(\.testDescription)).count == Self.table.count)
  }

  @Test("Each bad input has its message and exit code, and nothing is written", arguments: table)
  func row(_ row: BadInput) throws {
    let folder = try InputFolder()
    try row.make(folder)
    let before = try folder.snapshot()
    let result = try GenerateModelsTool.run(folder.place(row.input).path, "--output", folder.place("Out").path)
    #expect(result.status == row.status)
    #expect(folder.lines(result.errors) == row.says)
    for line in folder.lines(result.errors) {
      #expect(line.firstMatch(of: /^.+:\d+: (error|warning|note): .+ — .+$/) != nil, "\(line)")
    }
    if row.status != 0 {
      #expect(result.output.isEmpty)
      #expect(try folder.snapshot() == before)
    }
  }
}
