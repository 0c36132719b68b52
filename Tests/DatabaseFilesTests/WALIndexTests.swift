import Foundation
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import DatabaseFiles

/// Fills and empties the leaves of a tree of some levels.
private func write(_ round: Int, to connection: Connection) throws {
  try connection.execute(
    """
    DELETE FROM T WHERE A % 3 = \(round % 3);
    WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N LIMIT 300)
      INSERT OR REPLACE INTO T SELECT I * 7 % 901, hex(randomblob(\(20 + round % 50))) FROM N;
    """)
}

@Suite struct WALIndexTests {
  @Test(
    "The pages of a log are those that SQLite moves into the file, whatever follows the last whole transaction",
    arguments: [512, 4096, 65_536])
  func pages(_ pageSize: Int) throws {
    let folder = try TemporaryStore()
    let connection = try Connection(path: folder.url.path, mode: .create)
    try connection.execute(
      """
      PRAGMA page_size = \(pageSize); PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;
      CREATE TABLE T (A INTEGER PRIMARY KEY, B); CREATE INDEX I ON T (B);
      """)
    var compared = 0
    for round in 0..<(FullTests.areWanted ? 6 : 3) {
      // Some logs begin anew, over an older and longer one.
      if round % 3 == 2 { _ = try connection.pragma("wal_checkpoint(RESTART)") }
      for step in 0..<(round % 3 == 2 ? 2 : 8) {
        try connection.execute(
          """
          WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N LIMIT 40)
            INSERT INTO T (B) SELECT zeroblob(I * \(step * 7 + round)) FROM N;
          DELETE FROM T WHERE A % 5 = \(step % 5);
          """)
      }
      let log = try Data(contentsOf: URL(fileURLWithPath: folder.url.path + "-wal"))
      for length in [log.count, log.count - 1, log.count * 2 / 3, 33, 32, 31, 0] {
        compared += try compare(Data(contentsOf: folder.url), log.prefix(length))
      }
      var damaged = log
      damaged[log.count / 2] ^= 1
      compared += try compare(Data(contentsOf: folder.url), damaged)
    }
    connection.close()
    #expect(compared > 50)
  }

  @Test("A log that begins anew while trees are looked at is not taken for damage") func restarts() throws {
    let folder = try TemporaryStore()
    let path = folder.url.path
    let connection = try Connection(path: path, mode: .create)
    try connection.execute(
      """
      PRAGMA page_size = 512; PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
      CREATE TABLE T (A INTEGER PRIMARY KEY, B); CREATE INDEX I ON T (B);
      """)
    try write(0, to: connection)
    // The writer goes on until there were that many looks, and as many rounds.
    let wanted = FullTests.areWanted ? 200 : 20
    let looks = Mutex(0)
    // Not a task: this test may have the only thread there is for them.
    let end = Mutex<Result<Void, any Error>?>(nil)
    Thread.detachNewThread {
      let result = Result {
        let connection = try Connection(path: path, mode: .readWrite)
        defer { connection.close() }
        var round = 0
        while round < wanted || looks.withLock({ $0 < wanted }) {
          try write(round, to: connection)
          _ = try connection.pragma("wal_checkpoint(RESTART)")
          round += 1
        }
      }
      end.withLock { $0 = result }
    }
    while end.withLock({ $0 == nil }) {
      let time = ContinuousClock().measure { #expect(BTreeValidator.damage(ofFileAt: path) == nil) }
      looks.withLock { $0 += 1 }
      // SQLite's writer asks a few times a second whether nobody reads. It would wait for seconds for a moment between two looks.
      Thread.sleep(forTimeInterval: time / .seconds(1))
    }
    try end.withLock { try $0?.get() }
    #expect(looks.withLock { $0 } >= wanted)
    connection.close()
  }

  /// Lets SQLite bring a copy of a file up to date.
  /// - Returns: how many pages were in the log.
  private func compare(_ file: Data, _ log: Data) throws -> Int {
    let folder = try TemporaryStore()
    try file.write(to: folder.url)
    try log.write(to: URL(fileURLWithPath: folder.url.path + "-wal"))
    let pages = try WALIndex(path: folder.url.path + "-wal")
    // Before SQLite empties the log.
    let logged = try (0..<(pages?.pageCount ?? 0)).map { page in
      try pages?.bytes(of: page + 1, at: 0, count: pages?.pageSize ?? 0)
    }
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    _ = try connection.pragma("wal_checkpoint(TRUNCATE)")
    connection.close()
    let result = try Data(contentsOf: folder.url)
    guard let pages else {
      #expect(result == file)
      return 0
    }
    let size = pages.pageSize
    #expect(Int(pages.pageCount) == result.count / size)
    var count = 0
    var wrong: [Int] = []
    for page in 1...Int(pages.pageCount) {
      let expected = result[(page - 1) * size..<page * size]
      if logged[page - 1] != nil { count += 1 }
      // A page that is free is in neither.
      let stored = file.dropFirst((page - 1) * size).prefix(size)
      let found = logged[page - 1] ?? (stored.isEmpty ? Data(count: size) : stored)
      if !found.elementsEqual(expected) { wrong.append(page) }
    }
    #expect(wrong.isEmpty)
    return count
  }
}
