import CoreDataStore
import DatabaseFiles
import Foundation
import SQLite
import StoreInspection
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

/// What opening leaves of the locks that this process holds on a store (https://www.sqlite.org/howtocorrupt.html, 2.2).
@Suite(.startsProcesses) struct OpenStoreLockTests {
  @Test("Opening a store a second time, or failing to, keeps the locks of the first: nobody else takes the log away")
  func locksStay() throws {
    let folder = try TemporaryStore()
    let first = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    _ = try first.rows(of: "Book")
    let locks = try locks(on: folder.url)
    try #require(locks > 0)
    do { _ = try PersistentStore.open(at: folder.url) }
    #expect(try self.locks(on: folder.url) > 0)
    #expect(throws: StoreError.self) { try PersistentStore.open(at: folder.url, model: SampleModel.twoIslands) }
    #expect(try self.locks(on: folder.url) > 0)
    // With what the first has saved waiting in a log, and without.
    for _ in 0..<2 {
      _ = try StoreModel.read(folder.url)
      #expect(try self.locks(on: folder.url) > 0)
      _ = try StoreChecker.report(folder.url)
      #expect(try self.locks(on: folder.url) > 0)
      _ = try StoreSummary.read(folder.url)
      #expect(try self.locks(on: folder.url) > 0)
      try first.write { try $0.execute("CREATE TABLE IF NOT EXISTS X (A)") }
      #expect(try first.count(FetchRequest(entityName: "Book")) == 0)
      #expect(try self.locks(on: folder.url) > 0)
    }
    // What must not be done, to show that it would be seen.
    try FileHandle(forReadingFrom: folder.url).close()
    #expect(try self.locks(on: folder.url) == 0)
    withExtendedLifetime(first) {}
  }

  @Test("A store with a log without an index opens although another process begins to use it at the same moment")
  func processThatBegins() async throws {
    let folder = try TemporaryStore()
    _ = try PersistentStore.open(at: folder.url, model: SampleModel.library)
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    try connection.keepWriteAheadLogOnClose()
    try connection.execute("CREATE TABLE X (A)")
    connection.close()
    try FileManager.default.removeItem(atPath: folder.url.path + "-shm")
    let (begun, over) = (folder.url.path + ".begun", folder.url.path + ".over")
    async let process: ExitTest.Result? = #expect(processExitsWith: .success) { [path = folder.url.path as String] in
      TestProcess.run { try BeginningProcess(path: path).run() }
    }
    defer { try? Data().write(to: URL(fileURLWithPath: over)) }
    try await eventually { access(begun, F_OK) == 0 }
    do {
      try Data().write(to: URL(fileURLWithPath: folder.url.path + ".opening"))
      let store = try PersistentStore.open(at: folder.url)
      #expect(try store.count(FetchRequest(entityName: "Book")) == 0)
    }
    try Data().write(to: URL(fileURLWithPath: over))
    _ = await process
  }

  /// How many locks this process has on a file, as the system lists them.
  ///
  /// The list is read in pieces. A line is missing if other tests take and release locks between two pieces, so that one reading without
  /// the file's locks proves nothing.
  private func locks(on url: URL) throws -> Int {
    var status = stat()
    try #require(stat(url.path, &status) == 0)
    for _ in 0..<100 {
      let count = try #require(KernelFile.text("/proc/locks")).split(separator: "\n").count { line in
        let fields = line.split(separator: " ")
        return fields.contains("\(getpid())") && fields.contains { $0.hasSuffix(":\(status.st_ino)") }
      }
      if count > 0 { return count }
    }
    return 0
  }
}

/// A process that begins to use a store: it takes a reader's lock, makes the log's index later, and keeps the store open.
private struct BeginningProcess {
  let path: String

  func run() throws {
    let descriptor = open(path, O_RDWR)
    // The bytes that a reader locks (https://www.sqlite.org/src/doc/trunk/src/os.h, SHARED_FIRST and SHARED_SIZE).
    var lock = flock()
    (lock.l_type, lock.l_whence, lock.l_start, lock.l_len) = (Int16(F_RDLCK), Int16(SEEK_SET), 0x4000_0002, 510)
    #expect(fcntl(descriptor, F_SETLK, &lock) == 0)
    try Data().write(to: URL(fileURLWithPath: path + ".begun"))
    wait(for: ".opening")
    Thread.sleep(forTimeInterval: 0.3)
    let connection = try Connection(path: path, mode: .readWrite)
    #expect(try connection.integer("SELECT COUNT(*) FROM X") == 0)
    wait(for: ".over")
    withExtendedLifetime((descriptor, connection)) {}
  }

  /// Waits for a file of the test, but not for ever: the test's process may have been killed.
  private func wait(for suffix: String) {
    for _ in 0..<6_000 where access(path + suffix, F_OK) != 0 { Thread.sleep(forTimeInterval: 0.01) }
  }
}
