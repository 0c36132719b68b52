import DatabaseFiles
import Foundation
import TestSupport
import Testing

@Suite struct KernelFileTests {
  @Test("A list of the kernel is read to its end, however long it is")
  func longList() throws {
    let store = try TemporaryStore(name: "list")
    let path = store.url.path
    // A pipe has no size either, and gives its bytes in pieces.
    try #require(mkfifo(path, 0o600) == 0)
    let lines = (0..<20_000).map { "line \($0)" }
    let text = lines.joined(separator: "\n")
    let writer = Thread {
      guard let pipe = fopen(path, "w") else { return }
      for start in stride(from: 0, to: text.utf8.count, by: 4_000) {
        let piece = Array(text.utf8.dropFirst(start).prefix(4_000))
        fwrite(piece, 1, piece.count, pipe)
        fflush(pipe)
      }
      fclose(pipe)
    }
    writer.start()
    #expect(KernelFile.text(path) == text)
    #expect(KernelFile.text(store.folder.appendingPathComponent("none").path) == nil)
  }

  @Test("The list of mounted file systems has the root") func mounts() throws {
    let text = try #require(KernelFile.text("/proc/self/mountinfo"))
    #expect(text.split(separator: "\n").contains { $0.split(separator: " ").dropFirst(4).first == "/" })
  }
}
