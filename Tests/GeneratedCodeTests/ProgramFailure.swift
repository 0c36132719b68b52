import TestSupport

struct ProgramFailure: Error, CustomStringConvertible {
  let description: String

  init(_ what: String, _ program: RunningProgram.Result) {
    description = "\(what): exit code \(program.status)\n\(program.output.prefix(4000))"
  }
}
