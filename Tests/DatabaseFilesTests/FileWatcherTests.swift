import DatabaseFiles
import Foundation
import Synchronization
import TestSupport
import Testing

/// Watching files through the kernel.
@Suite struct FileWatcherTests {
  private let watcher = FileWatcher()
  private let store: TemporaryStore
  private let calls = Calls()

  private final class Calls: Sendable {
    private let value = Mutex(0)
    var count: Int { value.withLock { $0 } }
    func add() { value.withLock { $0 += 1 } }
  }

  init() throws { store = try TemporaryStore() }

  private func watch(_ names: String...) -> FileWatcher.Registration? {
    watcher.watch(Set(names), in: store.folder.path) { [calls] in calls.add() }
  }

  private func write(_ text: String, to name: String) throws {
    let url = store.folder.appendingPathComponent(name)
    if let file = FileHandle(forWritingAtPath: url.path) {
      try file.seekToEnd()
      try file.write(contentsOf: Data(text.utf8))
      try file.close()
    } else {
      try Data(text.utf8).write(to: url)
    }
  }

  /// Makes a change, and waits until it leads to a call.
  private func expectCall(
    sourceLocation: SourceLocation = #_sourceLocation, _ change: () throws -> Void
  ) async throws {
    let before = calls.count
    try change()
    try await eventually(sourceLocation: sourceLocation) { calls.count > before }
  }

  @Test func `A watch notices writes, a file that appears, is deleted and appears again, and a file moved over it`()
    async throws
  {
    let registration = watch("a", "b")
    try #require(registration != nil)
    try await expectCall { try write("1", to: "a") }
    try await expectCall { try write("2", to: "a") }
    try FileManager.default.removeItem(at: store.folder.appendingPathComponent("a"))
    try await expectCall { try write("3", to: "a") }
    try await expectCall { try write("4", to: "a") }
    try write("5", to: "other")
    try await expectCall {
      let (from, to) = ("\(store.folder.path)/other", "\(store.folder.path)/b")
      #expect(rename(from, to) == 0)
    }
    try await expectCall { try write("6", to: "b") }
    withExtendedLifetime(registration) {}
  }

  @Test func `Other files of the folder are not watched, and nothing is watched after the last registration`()
    async throws
  {
    try write("1", to: "a")
    try write("1", to: "b")
    var first = watch("a")
    var second = watch("a", "b")
    // The folder and both files; two registrations of one file share a watch.
    #expect(watcher.kernelWatchCount == 3)
    for number in 0..<10 { try write("\(number)", to: "unwatched") }
    try await expectCall { try write("2", to: "b") }
    #expect(calls.count == 1, "the writes to other files led to no call")
    second = nil
    #expect(watcher.kernelWatchCount == 2)
    try await expectCall { try write("3", to: "a") }
    first = nil
    #expect(watcher.kernelWatchCount == 0)
    _ = (first, second)
  }

  @Test func `A folder that does not exist, or is on no file system that tells, cannot be watched`() {
    #expect(watcher.watch(["a"], in: "/nonexistent/folder") {} == nil)
    #expect(watcher.kernelWatchCount == 0)
  }
}
