import ArgumentParser
import Foundation
import ToolConsole

/// A command of the tool: errors are told on standard error, and end the run with status 2.
protocol StoreCommand: ParsableCommand {
  /// - Throws: `ExitCode` where the result is a status; any other error has failed the command.
  func perform() throws
}

extension StoreCommand {
  func run() throws {
    // A limit on the size of files is to be an error like a full disk, not the end of the program.
    signal(SIGXFSZ, SIG_IGN)
    do {
      try perform()
    } catch let status as ExitCode {
      throw status
    } catch let failure as Failure {
      Console.report(failure.diagnostics)
      throw ExitCode(2)
    } catch {
      Console.report(Failure(of: "store-tool", error).diagnostics)
      throw ExitCode(2)
    }
  }
}
