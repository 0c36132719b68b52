import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import Logging
import StoreExchange
import StoreRequests
import ToolConsole

/// A command of the tool. It reports errors on standard error and then ends with status 2.
protocol StoreCommand: ParsableCommand {
  /// Whether the command prints JSON, also for an error.
  var json: Bool { get }

  /// - Throws: `ExitCode` if the result is a status; any other error means that the command failed.
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
      // After a part of the result, an error document would make the output unreadable.
      if json, !failure.diagnostics.isEmpty, !Console.hasOutput {
        try? Console.write(JSONText.encode(FailureDocument(failure)))
      }
      throw ExitCode(failure.status)
    }
  }

  /// Reports the values that could not be read from the store's objects.
  func report(_ omissions: ObjectReader.Omissions, of store: String) {
    Console.report(
      omissions.descriptions.map {
        Message(severity: .warning, file: store, line: nil, problem: $0, remedy: "left out; see store-tool check")
      })
  }

  /// Reports the texts that were not printed as they are stored.
  func report(_ repaired: RepairedTexts, of store: String) {
    Console.report(
      repaired.descriptions.map {
        Message(severity: .warning, file: store, line: nil, problem: onOneLine($0), remedy: "see store-tool check")
      })
  }
}

extension Failure {
  /// The error's message, with a remedy for the command line.
  init(ofStoreTool error: any Error) {
    if let error = error as? StoreError {
      var message = Message(file: error.path ?? "store-tool", error)
      if let remedy = error.commandLineRemedy { message.remedy = remedy }
      self.init([message])
    } else if let error = error as? QueryError {
      var message = Message(file: "store-tool", error)
      message.remedy = message.remedy ?? error.commandLineRemedy
      self.init([message])
    } else {
      self.init(of: "store-tool", error)
    }
  }
}

extension QueryError {
  /// The remedy for a name that the user has written; `nil` for other errors.
  fileprivate var commandLineRemedy: String? {
    switch self {
    case .unknownEntity: "store-tool inspect lists the entities"
    case .unknownProperty(_, let entity, _):
      "store-tool inspect --entity \(onOneLine(entity)) lists its properties"
    default: nil
    }
  }
}

extension StoreError {
  /// The remedy in terms of the tool; `nil` if the library's remedy does not address a program.
  fileprivate var commandLineRemedy: String? {
    switch kind {
    case .missing: "check the path"
    case .noModel: "name the model it was made with: --model"
    case .unreadableModel, .partialModel: "name the model it was made with, as a whole: --model"
    case .empty: "name another store, or restore this one from a backup"
    case .fileNotWritable: "change the file's permissions, or work on a copy: store-tool copy"
    case .folderNotWritable:
      "change the folder's permissions, as files are written beside the store; or work on a copy in another folder: "
        + "store-tool copy"
    case .locked: "wait until the other program is done, or end it"
    case .sqlite where isDamage:
      (hasLog ? "move away its -wal file if that belongs to another store; else " : "")
        + "restore it from a backup, together with its -wal file; without one, store-tool inspect shows a number for each "
        + "entity that can be read, and store-tool dump --entity prints its objects"
    default: nil
    }
  }

  /// Whether a log with data lies beside the file. SQLite takes any log for the file's own.
  private var hasLog: Bool {
    guard let path, let log = try? FileManager.default.attributesOfItem(atPath: path + "-wal") else { return false }
    return (log[.size] as? NSNumber)?.int64Value ?? 0 > 0
  }
}
