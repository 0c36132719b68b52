import Foundation
import TestSupport
import Testing

@testable import ToolConsole

@Suite("Drafts of files") struct FileDraftsTests {
  @Test("A draft that is given up leaves nothing, also not what a database keeps beside it")
  func discarded() throws {
    let place = try TemporaryStore()
    var drafts: FileDrafts? = try FileDrafts(in: place.folder)
    let draft = try #require(drafts?.add("a.sqlite"))
    for suffix in ["", "-journal", "-wal", "-shm"] { try Data([1]).write(to: URL(filePath: draft.path + suffix)) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).count == 4)
    drafts = nil
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == [])
  }
}
