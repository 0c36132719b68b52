import Foundation
import TestSupport
import Testing

@testable import ModelGenerator

/// Generated files that stand beside the tests; `RECORD_GOLDEN=1` writes them anew, and then the test fails.
struct GoldenFiles {
  let folder: URL

  init(_ name: String) {
    folder = Fixtures.packageRoot.appendingPathComponent("Tests/ModelGeneratorTests/Goldens/\(name)")
  }

  func expectEqual(to files: [GeneratedFile]) throws {
    if ProcessInfo.processInfo.environment["RECORD_GOLDEN"] != nil { return try record(files) }
    let stored = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }
    #expect(stored.sorted() == files.map(\.name).sorted())
    for file in files {
      let golden = folder.appendingPathComponent(file.name)
      guard let expected = try? String(contentsOf: golden, encoding: .utf8) else { continue }
      if expected != file.contents {
        Issue.record("\(file.name) differs from its golden file:\n\(try difference(golden, file))")
      }
    }
  }

  private func record(_ files: [GeneratedFile]) throws {
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in files {
      try Data(file.contents.utf8).write(to: folder.appendingPathComponent(file.name))
    }
    Issue.record("golden files were recorded: look at the change, then run without RECORD_GOLDEN")
  }

  private func difference(_ golden: URL, _ file: GeneratedFile) throws -> String {
    let store = try TemporaryStore(name: file.name)
    try Data(file.contents.utf8).write(to: store.url)
    return try withExtendedLifetime(store) {
      try run("/usr/bin/env", ["diff", "-u", golden.path, store.url.path]).output
    }
  }
}

/// Runs a program and returns its status and what it printed, both streams together.
func run(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: program)
  process.arguments = arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let data = try pipe.fileHandleForReading.readToEnd() ?? Data()
  process.waitUntilExit()
  return (process.terminationStatus, String(decoding: data, as: UTF8.self))
}
