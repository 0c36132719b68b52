import ArgumentParser
import CoreDataStore
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
    } catch let interruption as Interruption.Requested {
      throw ExitCode(interruption.status)
    } catch let failure as Failure {
      Console.report(failure.diagnostics)
      throw ExitCode(2)
    } catch {
      Console.report(Failure(of: "store-tool", error).diagnostics)
      throw ExitCode(2)
    }
  }

  /// Tells what reading the objects of a store could not tell.
  func report(_ omissions: ObjectReader.Omissions, of store: String) {
    Console.report(
      omissions.descriptions.map {
        Message(severity: .warning, file: store, line: nil, what: $0, remedy: "left out; see store-tool check")
      })
  }
}
