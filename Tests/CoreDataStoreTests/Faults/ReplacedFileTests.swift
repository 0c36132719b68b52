import Foundation
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Files that somebody takes away, exchanges or cuts off while a store is open
/// (https://www.sqlite.org/howtocorrupt.html, 1.1, 2.4 and 4).
@Suite(.damagesStores("files that are replaced while stores are open")) struct ReplacedFileTests {
  /// An open store of nine books, which has read, and perhaps written, and another store to put in its place.
  private final class Place {
    let folder: TemporaryStore
    let other: TemporaryStore
    let store: PersistentStore
    let books: Int
    var url: URL { folder.url }

    init(hasWritten: Bool) throws {
      folder = try TemporaryStore()
      try StoreDamager.makeStore(at: folder.url)
      store = try PersistentStore.open(at: folder.url, options: StoreOptions(busyTimeout: .zero))
      if hasWritten { try SavingProcess.save(4, store) }
      books = hasWritten ? 12 : 9
      #expect(try store.count(FetchRequest(entityName: "Book")) == books)
      other = try TemporaryStore()
      let new = try PersistentStore.open(at: other.url, model: SampleModel.library)
      try SavingProcess.addShelf(to: new)
      try SavingProcess.save(1, new)
      new.close()
    }

    /// Reading gives the rows of the file that was opened, or an error that says what has happened; writing gives the error.
    func expectRefusal() throws {
      for _ in 0..<2 {
        // Two readers at a time: one of them has a connection that was open before.
        let cursors = (0..<2).map { _ in Result { try store.fetch(FetchRequest(entityName: "Book")) } }
        for cursor in cursors {
          do {
            let cursor = try cursor.get()
            var count = 0
            while try cursor.next() { count += 1 }
            #expect(count == books)
          } catch let error as StoreError {
            #expect(error.isReplaced, "\(error)")
          }
        }
        let error = try #require(throws: StoreError.self) { try SavingProcess.save(5, store) }
        #expect(error.isReplaced && error.description.contains(url.path), "\(error)")
      }
    }
  }

  @Test("A removed file is not made again, and nothing is written", arguments: [false, true])
  func removed(hasWritten: Bool) throws {
    let place = try Place(hasWritten: hasWritten)
    try FileManager.default.removeItem(at: place.url)
    try place.expectRefusal()
    #expect(!FileManager.default.fileExists(atPath: place.url.path))
    place.store.close()
    #expect(!FileManager.default.fileExists(atPath: place.url.path))
  }

  @Test(
    "A store that took the place of another, with or without the other's log, is left as it is",
    arguments: [false, true], [false, true])
  func exchanged(hasWritten: Bool, keepsLog: Bool) throws {
    let place = try Place(hasWritten: hasWritten)
    if !keepsLog {
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: place.url.path + suffix) }
    }
    try FileManager.default.removeItem(at: place.url)
    try FileManager.default.copyItem(at: place.other.url, to: place.url)
    let new = try Data(contentsOf: place.url)
    try place.expectRefusal()
    place.store.close()
    #expect(try Data(contentsOf: place.url) == new)
  }

  @Test("A store that was moved and another that was opened at its old path do not mix", arguments: [false, true])
  func reopened(hasWritten: Bool) throws {
    let place = try Place(hasWritten: hasWritten)
    for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: place.url.path + suffix) {
      try FileManager.default.moveItem(atPath: place.url.path + suffix, toPath: place.url.path + "2" + suffix)
    }
    let new = try PersistentStore.open(at: place.url, model: SampleModel.library)
    try SavingProcess.addShelf(to: new)
    try SavingProcess.save(1, new)
    try place.expectRefusal()
    place.store.close()
    try SavingProcess.save(2, new)
    #expect(try new.rows(of: "Book").count == 6)
    new.close()
    #expect(try StoreChecker.check(place.url) == [])
    // Nothing that was saved before is lost.
    #expect(try StoreChecker.check(URL(fileURLWithPath: place.url.path + "2")) == [])
    let moved = try PersistentStore.open(at: URL(fileURLWithPath: place.url.path + "2"))
    #expect(try moved.rows(of: "Book").count == place.books)
    moved.close()
  }

  @Test("A log that was removed takes no saves that nobody else would see")
  func logRemoved() throws {
    let place = try Place(hasWritten: true)
    try FileManager.default.removeItem(atPath: place.url.path + "-wal")
    let error = try #require(throws: StoreError.self) { try SavingProcess.save(5, place.store) }
    #expect(error.isReplaced, "\(error)")
    #expect(try place.store.rows(of: "Book").count == place.books)
    // What it held is moved to the store's file when that is closed.
    place.store.close()
    let again = try PersistentStore.open(at: place.url)
    #expect(try again.rows(of: "Book").count == place.books)
    again.close()
    #expect(try StoreChecker.check(place.url) == [])
  }

  @Test(
    "A file that is cut off or overwritten gives rows or an error, and shows what was saved after that, or an error",
    arguments: ["", "half", "other", "text"], [false, true])
  func changed(into what: String, hasWritten: Bool) throws {
    let place = try Place(hasWritten: hasWritten)
    let file = open(place.url.path, O_WRONLY)
    let size = Int(lseek(file, 0, SEEK_END))
    let new: Data =
      switch what {
      case "half": try Data(contentsOf: place.url).prefix(size / 2)
      case "other": try Data(contentsOf: place.other.url)
      default: Data(what.utf8)
      }
    ftruncate(file, 0)
    _ = new.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    for number in 5...7 {
      let count = Result { try place.store.rows(of: "Book").count }
      expectKnown(count, at: place.url)
      let save = Result { try SavingProcess.save(number, place.store) }
      expectKnown(save, at: place.url)
      guard (try? save.get()) != nil, let before = try? count.get() else { continue }
      let after = Result { try place.store.rows(of: "Book").count }
      expectKnown(after, at: place.url)
      if let after = try? after.get() { #expect(after == before + 3) }
    }
    place.store.close()
  }

  private func expectKnown<Value>(_ result: Result<Value, any Error>, at url: URL) {
    guard case .failure(let error) = result else { return }
    #expect(error is StoreError || error is SaveError || error is SQLiteError)
    #expect(error is SaveError || "\(error)".contains(url.path), "\(error)")
  }
}

extension StoreError {
  fileprivate var isReplaced: Bool { if case .replaced = kind { true } else { false } }
}
