import Foundation
import Synchronization

/// A Python process that runs one script after another. Starting Python takes longer than most checks of a store.
///
/// It ends with the process of the tests, which closes its input.
final class PythonInterpreter: @unchecked Sendable {  // a caller takes it out of `idle`, and so has it alone
  private struct Request: Encodable {
    let script: String
    let arguments: [String]
  }

  struct Answer: Decodable {
    let status: Int32
    /// The standard output and the standard error.
    let output: String
  }

  private static let idle = Mutex<[PythonInterpreter]>([])
  private let process = Process()
  private let input = ChildProcess.pipe()
  private let output = ChildProcess.pipe()

  /// Runs a script in an idle interpreter, or in a new one.
  ///
  /// - Parameters:
  ///   - modules: a folder of modules that the script may import; the same for all calls.
  ///   - arguments: `sys.argv[1:]` of the script.
  static func run(_ script: String, _ arguments: [String], modules: URL) throws -> Answer {
    let interpreter = try idle.withLock { $0.popLast() } ?? PythonInterpreter(modules: modules)
    let answer = try interpreter.answer(to: Request(script: script, arguments: arguments))
    idle.withLock { $0.append(interpreter) }
    return answer
  }

  private init(modules: URL) throws {
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", Self.loop, modules.path]
    process.standardInput = input
    process.standardOutput = output
    try ChildProcess.run(process)
  }

  private func answer(to request: Request) throws -> Answer {
    try input.fileHandleForWriting.write(contentsOf: JSONEncoder().encode(request) + Data("\n".utf8))
    var line = Data()
    while line.last != UInt8(ascii: "\n") {
      let part = output.fileHandleForReading.availableData
      guard !part.isEmpty else { throw Ended() }
      line += part
    }
    return try JSONDecoder().decode(Answer.self, from: line)
  }

  private struct Ended: Error, CustomStringConvertible {
    let description = "the Python process ended before it answered"
  }

  /// Reads a request a line, and writes an answer a line.
  private static let loop = """
    import contextlib, io, json, sys, traceback
    sys.path.insert(0, sys.argv[1])
    requests, answers = sys.stdin, sys.stdout
    for line in requests:
        request, status, output = json.loads(line), 0, io.BytesIO()
        text = io.TextIOWrapper(output, encoding='utf-8', errors='backslashreplace', write_through=True)
        sys.argv[1:] = request['arguments']
        with contextlib.redirect_stdout(text), contextlib.redirect_stderr(text):
            try:
                exec(request['script'], {'__name__': '__main__', 'sys': sys})
            except SystemExit as end:
                status = end.code if isinstance(end.code, int) else int(end.code is not None)
            except BaseException:
                status = 1
                traceback.print_exc()
        answers.write(json.dumps({'status': status, 'output': output.getvalue().decode('utf-8', 'replace')}) + '\\n')
        answers.flush()
    """
}
