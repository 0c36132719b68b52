import Foundation
import ManagedModel
import SQLite
import Synchronization
import TestSupport
import Testing

@testable import CoreDataStore

/// Stores that were made to do harm, and what is said of each: word for word, without a trap, a write or a wait.
@Suite(.damagesStores("hostile stores")) struct HostileStoreTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let prepare: @Sendable (StoreDamager) throws -> Void

    init(_ name: String, _ prepare: @escaping @Sendable (StoreDamager) throws -> Void) {
      testDescription = name
      self.prepare = prepare
    }
  }

  private static let golden = HostileStoreGolden("HostileStores", cases)

  static let cases = files + logs + metadata + models + keys + rows + schemas

  @Test("is told in words, and nothing is written", .skipsLockWaits, arguments: cases)
  func hostile(_ hostile: Case) throws {
    let folder = try TemporaryStore()
    try StoreDamager.makeStore(at: folder.url)
    try hostile.prepare(StoreDamager(url: folder.url))
    let before = try FolderState(folder.folder)
    // Opening for writing as well is left to the saves of the other suite, and to the full run.
    for isReadOnly in FullTests.areWanted ? [true, false] : [true] {
      var lines: [String]
      switch try HostileStore.use(folder.url, isReadOnly: isReadOnly) {
      case .refused(let text): lines = ["refused: " + text.replacing(folder.url.path, with: "PATH")]
      case .found(let findings): lines = findings.prefix(20).map { "found: \($0)" }
      case .sound: lines = ["sound"]
      }
      lines = lines.map { $0.replacing("\n", with: "\\n").replacing("\0", with: "\\0") }
      try Self.golden.expect(lines, of: hostile.testDescription)
      // The index of a log is no data, and a log without one whole transaction is SQLite's to remove by the last who writes.
      let ignored = isReadOnly ? ["-shm"] : ["-shm", "-wal"]
      func data(_ state: FolderState) -> [String: Data] {
        state.files.filter { file in !file.value.isEmpty && !ignored.contains { file.key.hasSuffix($0) } }
      }
      #expect(try data(FolderState(folder.folder)) == data(before))
    }
  }

  @Test("the table says something of each case, and of no other")
  func table() throws {
    #expect(Self.cases.count >= 60)
    #expect(Set(try Self.golden.read().keys) == Set(Self.cases.map(\.testDescription)))
  }
}

/// A golden file with the findings of every case.
final class HostileStoreGolden: Sendable {
  private let url: URL
  private let names: [String]
  private let recorded = Mutex<[String: [String]]>([:])
  private let expected = Mutex<[String: [String]]?>(nil)

  init(_ name: String, _ cases: [HostileStoreTests.Case]) {
    url = Golden("CoreDataStoreTests/Faults/Goldens/\(name).txt").url
    names = cases.map(\.testDescription)
  }

  /// The findings of every case, read once.
  func read() throws -> [String: [String]] {
    try expected.withLock { expected in
      let known = try expected ?? parsed()
      expected = known
      return known
    }
  }

  private func parsed() throws -> [String: [String]] {
    var result: [String: [String]] = [:]
    var name = ""
    for line in try String(contentsOf: url, encoding: .utf8).split(separator: "\n") {
      if line.hasPrefix("  ") {
        result[name, default: []].append(String(line.dropFirst(2)))
      } else {
        name = String(line)
      }
    }
    return result
  }

  func expect(_ lines: [String], of name: String) throws {
    guard Golden.isRecording else {
      #expect(try read()[name] == lines)
      return
    }
    try recorded.withLock { all in
      all[name] = lines
      let text = names.compactMap { name in
        all[name].map { ([name] + $0.map { "  " + $0 }).joined(separator: "\n") + "\n" }
      }
      try Data(text.joined().utf8).write(to: url)
    }
    throw Golden.Mismatch.recorded(name)
  }
}
