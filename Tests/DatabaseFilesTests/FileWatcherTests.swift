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

  @Test func `A folder that does not exist cannot be watched`() {
    #expect(watcher.watch(["a"], in: "/nonexistent/folder") {} == nil)
    #expect(watcher.kernelWatchCount == 0)
  }

  @Test(arguments: [
    ("/mnt/data", false), ("/mnt/share", true), ("/mnt/share/stores", true), ("/mnt/shared", false),
    ("/mnt/My Share/a", true), ("/mnt/back\\slash", true), ("/mnt/again", false), ("/home/user/cloud", true),
  ])
  func `A folder on a file system that other machines write is told by the table of mounts`(
    _ folder: String, _ isRemote: Bool
  ) {
    // The kernel writes a blank as \040 and a backslash as \134. Of two mounts on one place the later one is seen.
    let mounts = #"""
      22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
      40 22 0:50 / /mnt/share rw,relatime shared:20 - nfs4 server:/a rw
      41 22 0:51 / /mnt/My\040Share rw,relatime shared:21 - cifs //server/b rw
      42 22 0:52 / /mnt/back\134slash rw,relatime - 9p c rw
      43 22 0:53 / /mnt/again rw,relatime - nfs server:/d rw
      44 43 254:2 / /mnt/again rw,relatime - ext4 /dev/vdb rw
      45 22 0:54 / /home/user/cloud rw - fuse.sshfs server:/e rw
      """#
    #expect(FileSystem.isRemote(folder, mounts: mounts) == isRemote)
  }
}
