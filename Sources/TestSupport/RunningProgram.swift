import Dispatch
package import Foundation

/// A program that a test has started.
///
/// Its output goes to files, and its input comes from one. So neither the program nor the test waits for the other,
/// however much it writes.
package final class RunningProgram {
  /// A program that has ended.
  package struct Result: Sendable {
    /// The exit code, or the number of the signal that ended the program.
    package let status: Int32
    package let endedBySignal: Bool
    package let output: String
    /// The text of the standard error; empty if ``output`` includes it.
    package let errors: String
  }

  private let process = Process()
  private let folder: TemporaryStore
  private let ended = DispatchGroup()

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - program: a path, or a name that is looked up in `PATH`.
  ///   - directory: the program's working directory; by default the test's own.
  ///   - input: the text of its standard input; empty by default.
  ///   - output: a file that takes the standard output instead of ``Result/output``.
  ///   - mergesErrors: whether ``Result/output`` includes the standard error, in the order of writing.
  /// - Throws: an error of Foundation if the program cannot be started.
  package init(
    _ program: String, _ arguments: [String] = [], in directory: URL? = nil, input: String = "",
    output: FileHandle? = nil, mergesErrors: Bool = false
  ) throws {
    folder = try TemporaryStore()
    let isPath = program.contains("/")
    process.executableURL = URL(fileURLWithPath: isPath ? program : "/usr/bin/env")
    process.arguments = (isPath ? [] : [program]) + arguments
    process.currentDirectoryURL = directory
    let inputFile = folder.folder.appendingPathComponent("input")
    try Data(input.utf8).write(to: inputFile)
    let input = try FileHandle(forReadingFrom: inputFile)
    process.standardInput = input
    let outputFile = try Self.makeFile(folder.folder, "output")
    process.standardOutput = output ?? outputFile
    let errorFile = try Self.makeFile(folder.folder, "errors")
    process.standardError = mergesErrors ? output ?? outputFile : errorFile
    // The program has its own copies, and Foundation keeps each process with its files.
    defer { for file in [input, outputFile, errorFile] { try? file.close() } }
    ended.enter()
    process.terminationHandler = { [ended] _ in ended.leave() }
    do { try ChildProcess.run(process) } catch {
      ended.leave()
      throw error
    }
  }

  /// Sends the interrupt signal, as Ctrl-C does.
  package func interrupt() { process.interrupt() }

  /// Waits for the end, and blocks the thread meanwhile.
  package func result() throws -> Result {
    // `waitUntilExit` notices the end of a short program some 35 ms late.
    ended.wait()
    return try read()
  }

  /// Waits for the end without holding a thread: for programs that take seconds.
  package func result() async throws -> Result {
    await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    return try read()
  }

  /// Runs a program to its end; see ``init(_:_:in:input:output:mergesErrors:)``.
  package static func run(
    _ program: String, _ arguments: [String] = [], in directory: URL? = nil, input: String = "",
    output: FileHandle? = nil, mergesErrors: Bool = false
  ) throws -> Result {
    try RunningProgram(
      program, arguments, in: directory, input: input, output: output, mergesErrors: mergesErrors
    ).result()
  }

  /// Runs a program to its end without holding a thread.
  package static func run(
    _ program: String, _ arguments: [String] = [], in directory: URL? = nil, input: String = "",
    output: FileHandle? = nil, mergesErrors: Bool = false
  ) async throws -> Result {
    try await RunningProgram(
      program, arguments, in: directory, input: input, output: output, mergesErrors: mergesErrors
    ).result()
  }

  private func read() throws -> Result {
    func text(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: folder.folder.appendingPathComponent(name)), as: UTF8.self)
    }
    return Result(
      status: process.terminationStatus, endedBySignal: process.terminationReason == .uncaughtSignal,
      output: try text("output"), errors: try text("errors"))
  }

  private static func makeFile(_ folder: URL, _ name: String) throws -> FileHandle {
    let file = folder.appendingPathComponent(name)
    try Data().write(to: file)
    return try FileHandle(forWritingTo: file)
  }
}
