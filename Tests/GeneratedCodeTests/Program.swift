import Foundation

/// A program run to its end, without holding a thread of the tests meanwhile.
struct Program {
  let status: Int32
  /// What it wrote, errors too.
  let output: String

  /// Runs a program; what it writes goes to a file in the folder, so that no pipe fills up.
  static func run(_ url: URL, _ arguments: [String], in folder: URL) async throws -> Program {
    let log = folder.appendingPathComponent("\(UUID().uuidString).log")
    try Data().write(to: log)
    let handle = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = url
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.standardOutput = handle
    process.standardError = handle
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in continuation.resume() }
      do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    try handle.close()
    return Program(status: process.terminationStatus, output: try String(contentsOf: log, encoding: .utf8))
  }
}

struct ProgramFailure: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ program: Program) {
    description = "\(what): exit code \(program.status)\n\(program.output.prefix(4000))"
  }
}
