import Foundation
import TestSupport
import Testing

@testable import ToolConsole

@Suite("The system's reasons in messages") struct FailureReasonTests {
  private func reason(_ body: () throws -> Void) -> String {
    do { try body() } catch { return Failure.reason(error) }
    return ""
  }

  @Test("An error of Foundation has the reason of the system call that failed") func underlying() throws {
    let place = try TemporaryStore()
    try Data().write(to: place.url)
    let inFile = place.url.appendingPathComponent("inside")
    #expect(
      reason { try FileManager.default.createDirectory(at: inFile, withIntermediateDirectories: true) }
        == "Not a directory")
    let missing = place.folder.appendingPathComponent("missing/file")
    #expect(reason { try Data().write(to: missing) } == "No such file or directory")
    #expect(reason { _ = try Data(contentsOf: missing) } == "No such file or directory")
  }

  @Test("An error of the system itself has its reason, and any other error its own words") func others() {
    #expect(Failure.reason(POSIXError(.ENOSPC)) == "No space left on device")
    let other = CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: "No words"])
    #expect(Failure.reason(other) == "No words")
  }
}
