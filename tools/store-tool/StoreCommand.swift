import ArgumentParser
import CoreDataStore
import Foundation
import Logging
import ToolConsole

/// A command of the tool: errors are told on standard error, and end the run with status 2.
protocol StoreCommand: ParsableCommand {
  /// Whether the result is to be JSON, an error too.
  var json: Bool { get }

  /// - Throws: `ExitCode` where the result is a status; any other error has failed the command.
  func perform() throws
}

extension StoreCommand {
  func run() throws {
    Console.ignoreTerminatingSignals()
    LoggingSystem.bootstrap { _ in LogMessages() }
    do {
      try perform()
    } catch let status as ExitCode {
      throw status
    } catch let interruption as Interruption.Requested {
      throw ExitCode(interruption.status)
    } catch {
      let failure = Failure(ofStoreTool: error)
      Console.report(failure.diagnostics)
      // Behind a part of a result it would make nonsense of both.
      if json, !failure.diagnostics.isEmpty, !Console.hasOutput {
        try? Console.write(JSONText.encode(FailureDocument(failure)))
      }
      throw ExitCode(failure.status)
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

extension Failure {
  /// What an error says of itself, and what to do about it on a command line.
  init(ofStoreTool error: any Error) {
    if let failure = error as? Failure {
      self = failure
    } else if let error = error as? StoreError {
      self.init([
        Message(
          severity: .error, file: error.path ?? "store-tool", line: nil, what: onOneLine("the store \(error.problem)"),
          remedy: onOneLine(error.commandLineRemedy))
      ])
    } else {
      self.init(of: "store-tool", error)
    }
  }
}

extension StoreError {
  /// What to do with the tool's own means, where a program has others.
  fileprivate var commandLineRemedy: String {
    switch kind {
    case .missing: "check the path"
    case .noModel: "name the model it was made with: --model"
    case .unreadableModel, .partialModel: "name the model it was made with, as a whole: --model"
    case .locked: "wait until the other program is done, or end it"
    default: remedy
    }
  }
}
