import Foundation
import SQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A store during whose creation a call to the operating system fails is whole, or not there.
@Suite("Creations that are interrupted") struct FaultyCreationTests {
  @Test("Any failing call leaves a whole store or none", arguments: [FaultyFileSystem.Fault.device, .fullDisk])
  func anyCall(_ fault: FaultyFileSystem.Fault) throws {
    let total = try run(fault, at: 0, isPersistent: false)
    #expect(total > 10)
    let step = FullTests.areWanted ? 1 : max(1, total / 12)
    for isPersistent in [false, true] {
      for number in stride(from: 1, through: total, by: step) {
        _ = try run(fault, at: number, isPersistent: isPersistent)
      }
    }
  }

  /// - Returns: the number of calls.
  private func run(_ fault: FaultyFileSystem.Fault, at number: Int, isPersistent: Bool) throws -> Int {
    let place = try TemporaryStore()
    let disk = FaultyFileSystem(place.folder)
    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result { try PersistentStore.open(at: place.url, model: SampleModel.library).close() }
    disk.disarm()
    let comment: Comment = "\(fault) at call \(number) of \(disk.count): \(disk.failures.prefix(3)), \(result)"
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(!names.contains { $0.contains("creating") }, comment)
    if names.contains(place.url.lastPathComponent) {
      let store = try PersistentStore.open(at: place.url)
      #expect(store.layout.entities.map(\.name) == ["Book", "Novel", "Genre", "Shelf"], comment)
      store.close()
    } else if case .success = result {
      Issue.record(comment)
    }
    try PersistentStore.open(at: place.url, model: SampleModel.library).close()
    return disk.count
  }

  @Test("A draft that another connection reads is not finished")
  func busyDraft() throws {
    let place = try TemporaryStore()
    let (writer, reader) = (
      try Connection(path: place.url.path, mode: .create, busyTimeout: .zero),
      try Connection(path: place.url.path, mode: .create)
    )
    try writer.setPragma("journal_mode", "WAL")
    try writer.execute("CREATE TABLE T (A); INSERT INTO T VALUES (1)")
    try reader.execute("BEGIN; SELECT * FROM T")
    try writer.execute("INSERT INTO T VALUES (2)")
    let error = #expect(throws: SQLiteError.self) { try writer.finish() }
    #expect(error?.code == .busy && !writer.isOpen)
    reader.close()
    let next = try Connection(path: place.url.path, mode: .readWrite)
    #expect(try next.integer("SELECT count(*) FROM T") == 2)
    try next.finish()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path) == [place.url.lastPathComponent])
  }

  @Test("A disk without room for the log's index is full")
  func indexWithoutRoom() {
    let error = SQLiteError(extendedCode: 4874, message: "disk I/O error")
    #expect(error.code == .full && error.extendedCode == 4874)
    #expect(StoreError(path: "/a", error).description.contains("the disk is full"))
    #expect(SQLiteError(extendedCode: 10, message: "disk I/O error").code == .ioError)
  }
}
