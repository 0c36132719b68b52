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
    #expect(try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).count == 5)
    drafts = nil
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == [])
  }

  @Test("Drafts of a killed run go with the next run; those of a run that goes on stay, and files of others")
  func abandoned() throws {
    let place = try TemporaryStore()
    func names() throws -> Set<String> { Set(try FileManager.default.contentsOfDirectory(atPath: place.folder.path)) }
    let going = try FileDrafts(in: place.folder)
    let draft = going.add("a")
    try Data([1]).write(to: draft)
    let own = draft.deletingLastPathComponent().lastPathComponent
    let left = place.folder.appendingPathComponent(own.dropLast(36) + UUID().uuidString)
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
    try Data([2]).write(to: left.appendingPathComponent("0"))
    try Data([3]).write(to: place.folder.appendingPathComponent(".0.1.partial"))
    // A folder of the user's whose name begins as that of drafts does.
    let notes = own.dropLast(36) + "notes"
    try FileManager.default.createDirectory(
      at: place.folder.appendingPathComponent(String(notes)), withIntermediateDirectories: false)
    try Data([5]).write(to: place.folder.appendingPathComponent(String(notes) + "/note"))
    #expect(try names() == [own, left.lastPathComponent, ".0.1.partial", String(notes)])
    let next = try FileDrafts(in: place.folder)
    try Data([4]).write(to: next.add("b"))
    try next.commit()
    #expect(try names() == [own, ".0.1.partial", String(notes), "b"])
    try going.commit()
    #expect(try names() == [".0.1.partial", String(notes), "a", "b"])
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
    try Data([2]).write(to: left.appendingPathComponent("0"))
    FileDrafts.removeAbandoned(in: place.folder)
    #expect(try names() == [".0.1.partial", String(notes), "a", "b"])
  }

  @Test("A folder takes the place of a folder with files") func folders() throws {
    let place = try TemporaryStore()
    for name in ["1", "2"] {
      let drafts = try FileDrafts(in: place.folder)
      let draft = drafts.add("bundle")
      try FileManager.default.createDirectory(at: draft, withIntermediateDirectories: false)
      try Data(name.utf8).write(to: draft.appendingPathComponent(name))
      try drafts.commit()
      #expect(
        try FileManager.default.subpathsOfDirectory(atPath: place.folder.path).sorted() == ["bundle", "bundle/\(name)"])
    }
  }
}
