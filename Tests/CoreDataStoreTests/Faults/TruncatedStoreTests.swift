import Foundation
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Stores that end too early, in the file or in the log.
@Suite(.damagesStores("stores that are cut off")) struct TruncatedStoreTests {
  @Test("a store cut off anywhere is refused, with how much is missing where that is known")
  func file() throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    let whole = try Data(contentsOf: folder.url)
    let few = [
      0, 1, 15, 16, 17, 50, 99, 100, 101, 511, 512, 4095, 4096, 4097, 8191, 8192, whole.count - 4096, whole.count - 1,
    ]
    let lengths = few + stride(from: 5_000, to: whole.count, by: FullTests.areWanted ? 401 : 20_011)
    for length in lengths {
      let cut = whole.prefix(length)
      try cut.write(to: folder.url)
      let expected =
        switch length {
        case 0: "is an empty file — remove the file to have a new store made, or restore it from a backup"
        case ..<100: "is cut off: it has \(length) of 100 bytes — restore it from a backup, together with its -wal file"
        default:
          "is cut off: it has \(length) of \(whole.count) bytes — restore it from a backup, together with its -wal file"
        }
      for isReadOnly in [true, false] {
        let message = failure {
          try PersistentStore.open(at: folder.url, options: StoreOptions(isReadOnly: isReadOnly))
        }
        #expect(message == "the store at “\(folder.url.path)” \(expected)")
      }
      #expect(try Data(contentsOf: folder.url) == cut)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.folder.path).count == 1)
    }
  }

  @Test("of a log cut off anywhere the whole transactions before count, and no other")
  func log() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    try SavingProcess.addShelf(to: store)
    for number in 1...4 { try SavingProcess.save(number, store) }
    let (main, log) = (
      try Data(contentsOf: folder.url), try Data(contentsOf: URL(fileURLWithPath: folder.url.path + "-wal"))
    )
    #expect(log.count > 30_000)
    let copy = try TemporaryStore()
    var counts: Set<Int> = []
    for length in stride(from: 0, through: log.count, by: FullTests.areWanted ? 1_033 : 9_001) + [log.count] {
      try main.write(to: copy.url)
      try log.prefix(length).write(to: URL(fileURLWithPath: copy.url.path + "-wal"))
      let opened = try PersistentStore.open(at: copy.url)
      let shelves = try opened.rows(of: "Shelf", properties: ["label"])
      let books = try opened.count(FetchRequest(entityName: "Book"))
      opened.close()
      // The shelf counts the saves, each of which adds three books.
      var saves = 0
      if case .text(let label)? = shelves.first?.last { saves = Int(label) ?? -1 }
      #expect(books == saves * 3, "\(length) bytes")
      #expect(try StoreChecker.check(copy.url) == [], "\(length) bytes")
      counts.insert(saves)
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy.url.path + suffix) }
    }
    #expect(counts.contains(4) && counts.count > 1)
    store.close()
  }
}
