import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import DatabaseFiles

/// Copies of a database's files, made while programs write it.
@Suite struct DatabaseCopyTests {
  @Test(
    "a copy of a database that is written all the time is one state",
    // After a checkpoint of each save, each save begins the WAL anew.
    arguments: [("wal", 1000), ("wal", 1), ("delete", 0)])
  func steadyWriter(journal: String, autocheckpoint: Int) throws {
    let folder = try TemporaryStore()
    let path = folder.url.path
    let first = try Connection(path: path, mode: .create)
    defer { first.close() }
    try first.setPragma("journal_mode", journal)
    // Both tables have one number in all of their rows, on many pages.
    try first.execute(
      """
      CREATE TABLE A (N INTEGER, FILL BLOB); CREATE TABLE B (N INTEGER, FILL BLOB);
      WITH RECURSIVE i(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM i WHERE k < 300) INSERT INTO A SELECT 0, zeroblob(900) FROM i;
      INSERT INTO B SELECT * FROM A
      """)
    let writer = SteadyWriter(path: path, autocheckpoint: autocheckpoint)
    defer { writer.stop() }
    for _ in 0..<5 {
      let copy = try DatabaseCopy(of: path)
      let connection = try Connection(path: copy.path, mode: .readWrite)
      defer { connection.close() }
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      #expect(try connection.integer("SELECT count(DISTINCT N) FROM (SELECT N FROM A UNION ALL SELECT N FROM B)") == 1)
    }
  }

  @Test("a full temporary folder is told with what to do, and no other error is taken for it")
  func fullFolder() {
    let folder = URL(fileURLWithPath: "/folder")
    let posix = NSError(domain: NSPOSIXErrorDomain, code: Int(ENOSPC))
    let errors: [any Error] = [
      CocoaError(.fileWriteOutOfSpace), posix,
      NSError(domain: CocoaError.errorDomain, code: 512, userInfo: [NSUnderlyingErrorKey: posix]),
    ]
    for error in errors {
      let failure = DatabaseCopy.Failure(copyingTo: folder, error)
      #expect(failure.problem == "it cannot be copied to /folder: there is no space left" && !failure.isBusy)
      #expect(failure.remedy?.hasSuffix("TMPDIR=FOLDER") == true)
    }
    #expect(DatabaseCopy.Failure(copyingTo: folder, CocoaError(.fileWriteUnknown)).remedy == nil)
  }
}

/// A thread that saves without a pause, through a connection of its own.
private final class SteadyWriter: Sendable {
  private let isStopped = Atomic(false)
  private let saves = Atomic(0)
  private let ended = DispatchSemaphore(value: 0)

  /// Returns after the first saves.
  init(path: String, autocheckpoint: Int) {
    Thread.detachNewThread { [self] in
      defer { ended.signal() }
      guard let connection = try? Connection(path: path, mode: .readWrite, busyTimeout: .seconds(10)) else { return }
      defer { connection.close() }
      _ = try? connection.setPragma("wal_autocheckpoint", "\(autocheckpoint)")
      while !isStopped.load(ordering: .relaxed) {
        // A save that waits for a copy too long is no failure of the copy.
        try? connection.execute("BEGIN IMMEDIATE; UPDATE A SET N = N + 1; UPDATE B SET N = N + 1; COMMIT")
        saves.add(1, ordering: .relaxed)
      }
    }
    while saves.load(ordering: .relaxed) < 3 { Thread.sleep(forTimeInterval: 0.001) }
  }

  func stop() {
    isStopped.store(true, ordering: .relaxed)
    ended.wait()
  }
}
