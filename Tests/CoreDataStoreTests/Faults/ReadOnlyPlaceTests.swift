import Foundation
import ManagedModel
import SQLite
import StoreInspection
import TestSupport
import Testing

@testable import CoreDataStore

/// Stores in places where nothing may be written, used by a process that file permissions bind.
@Suite(.enabled(if: geteuid() == 0, "needs the superuser, who alone can become somebody else"), .startsProcesses)
struct ReadOnlyPlaceTests {
  /// Makes a store of nine books, three of them in a log, in a folder that is only read from then on.
  private func place(log: Bool, index: Bool = true) throws -> TemporaryStore {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    if log {
      let store = try PersistentStore.open(at: folder.url)
      try SavingProcess.save(4, store)
      // What a process that was killed leaves behind.
      for suffix in ["-wal", "-shm"] {
        try FileManager.default.copyItem(atPath: folder.url.path + suffix, toPath: folder.url.path + suffix + "2")
      }
      let main = try Data(contentsOf: folder.url)
      store.close()
      try main.write(to: folder.url)
      for suffix in ["-wal", "-shm"] {
        try FileManager.default.moveItem(atPath: folder.url.path + suffix + "2", toPath: folder.url.path + suffix)
      }
    }
    if !index { try FileManager.default.removeItem(atPath: folder.url.path + "-shm") }
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.folder.path) {
      chmod(folder.folder.appendingPathComponent(name).path, 0o444)
    }
    chmod(folder.folder.path, 0o555)
    return folder
  }

  @Test("a store without a log is read; writing is refused in words")
  func noLog() async throws {
    let folder = try place(log: false)
    let before = try FolderState(folder.folder)
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      TestProcess.run { try Reader(path: path).expect(books: 9) }
    }
    #expect(try FolderState(folder.folder) == before)
  }

  @Test("a store with a log and its index is read with what waits in it; writing is refused in words")
  func log() async throws {
    let folder = try place(log: true)
    let before = try FolderState(folder.folder)
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      TestProcess.run { try Reader(path: path).expect(books: 12) }
    }
    #expect(try FolderState(folder.folder) == before)
  }

  @Test(
    "a store with a log that has lost its index is read from a copy, which does not stay; writing is refused in words")
  func logWithoutIndex() async throws {
    let folder = try place(log: true, index: false)
    let before = try FolderState(folder.folder)
    let temporary = try TemporaryStore()
    chmod(temporary.folder.path, 0o777)
    await #expect(processExitsWith: .success) {
      [path = folder.url.path as String, temporary = temporary.folder.path as String] in
      setenv("TMPDIR", temporary, 1)
      TestProcess.run { try Reader(path: path).expect(books: 12) }
    }
    #expect(try FolderState(temporary.folder).files.isEmpty, "the copy does not stay")
    #expect(try FolderState(folder.folder) == before)
  }

  @Test("a file that may only be read, in a folder that may be written, is read with what waits in its log")
  func file() async throws {
    for index in [true, false] {
      let folder = try place(log: true, index: index)
      chmod(folder.folder.path, 0o777)
      let before = try Data(contentsOf: folder.url)
      await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
        TestProcess.run { try Reader(path: path).expect(books: 12) }
      }
      #expect(try Data(contentsOf: folder.url) == before)
    }
  }

  @Test("a store that a crash left half changed is read from a copy where that is undone")
  func journal() async throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    try connection.execute(
      "PRAGMA journal_mode = DELETE; PRAGMA cache_size = 1; BEGIN; DELETE FROM ZGENRE; DELETE FROM ZBOOK;"
        + "CREATE TABLE X AS WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N LIMIT 99) SELECT zeroblob(9999) FROM N"
    )
    let copies = try ["", "-journal"].map { try Data(contentsOf: URL(fileURLWithPath: folder.url.path + $0)) }
    connection.close()
    for (suffix, data) in zip(["", "-journal"], copies) {
      try data.write(to: URL(fileURLWithPath: folder.url.path + suffix))
      chmod(folder.url.path + suffix, 0o444)
    }
    chmod(folder.folder.path, 0o555)
    let before = try FolderState(folder.folder)
    await #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      TestProcess.run { try Reader(path: path).expect(books: 9) }
    }
    #expect(try FolderState(folder.folder) == before)
  }

  /// What a process of user 65534 does with a store.
  struct Reader {
    let path: String

    func expect(books: Int) throws {
      guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0, access(path, W_OK) != 0 else {
        throw StoreDamager.Failure(text: "cannot become another user")
      }
      let url = URL(fileURLWithPath: path)
      do {
        let store = try PersistentStore.open(at: url, options: StoreOptions(isReadOnly: true))
        let rows = try store.rows(of: "Book").count
        guard rows == books else { throw StoreDamager.Failure(text: "\(rows) books") }
        guard try StoreChecker.check(url) == [] else { throw StoreDamager.Failure(text: "not sound") }
        store.close()
      } catch { throw StoreDamager.Failure(text: "reading: \(error)") }
      do {
        _ = try PersistentStore.open(at: url)
        throw StoreDamager.Failure(text: "opened for writing")
      } catch let error as StoreError {
        guard error.description.contains(path), error.description.contains("permission") else { throw error }
      }
    }
  }
}
