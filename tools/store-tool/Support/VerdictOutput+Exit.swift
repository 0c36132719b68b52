import ArgumentParser
import ToolConsole

extension VerdictOutput {
  /// Ends a command whose status tells what it has found.
  ///
  /// - Throws: `ExitCode` if the status is not 0.
  func end(with status: Int32) throws {
    let status = end(status)
    if status != 0 { throw ExitCode(status) }
  }
}
