import ErrorReporting
import Foundation
import ToolConsole

/// Asks the program `postgresql-model` for the model of a database.
///
/// It is a program of its own, so that packages that generate classes while they are built need no client library of PostgreSQL.
package enum DatabaseReader {
  package static let program = "postgresql-model"

  /// - Throws: ``Failure`` with the database and the host, never with a password.
  package static func read(_ request: DatabaseRequest, for tool: String) throws -> DatabaseReply.Model {
    func failure(_ problem: String, _ remedy: String?) -> Failure {
      Failure([Message(severity: .error, file: tool, line: nil, problem: problem, remedy: remedy)])
    }
    guard let program = place else {
      throw failure(
        "the program \(Self.program), which reads databases, is not beside \(tool)",
        "build it, for example with swift build --product \(Self.program), and install it in the same folder")
    }
    let answer: Data
    do { answer = try run(program, JSONEncoder().encode(request)) } catch {
      throw failure(
        "the program \(quotedPath(program.path)) does not run: \(Failure.reason(error))", "install it again")
    }
    switch try? JSONDecoder().decode(DatabaseReply.self, from: answer) {
    case .model(let model)?: return model
    case .failure(let problem, let remedy)?: throw failure(onOneLine(problem), remedy.map { onOneLine($0) })
    case nil:
      throw failure(
        "the program \(quotedPath(program.path)) gave no answer that can be read",
        "install \(tool) and \(Self.program) of one version")
    }
  }

  /// The program in the folder of the running one; `nil` if it is not there.
  private static var place: URL? {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")).map {
      URL(fileURLWithPath: $0)
    }
    let folder = (own ?? Bundle.main.executableURL?.resolvingSymlinksInPath())?.deletingLastPathComponent()
    let program = folder?.appendingPathComponent(program)
    return program.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : nil }
  }

  private static func run(_ program: URL, _ input: Data) throws -> Data {
    let (process, question, answer) = (Process(), Pipe(), Pipe())
    process.executableURL = program
    process.standardInput = question
    process.standardOutput = answer
    try process.run()
    // A program that ends early closes the pipe; then its answer is empty.
    try? question.fileHandleForWriting.write(contentsOf: input)
    try? question.fileHandleForWriting.close()
    let data = answer.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return data
  }
}
