import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import StoreInspection
import ToolConsole

/// `store-tool copy STORE TARGET`
struct Copy: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Copies a store that is in use, with its log and its files of big values.",
    discussion: """
      The copy has the store's rows after some save, with the saves that wait in the log. It is one file without a log. \
      The files of big values that its rows name are copied into a folder beside it: .NAME_SUPPORT, where NAME is the \
      copy's name without the extension. The store is only read, and needs no model.

      Other programs can save meanwhile if the store has a write-ahead log, as Core Data's stores have. Saves to a store \
      with another journal wait until it is copied, or fail if they cannot wait that long.

      The copy takes its place when it is complete. If the run fails, or is interrupted or killed, the target is as it \
      was. A target is refused if another store keeps its big values in the same folder.

      EXAMPLES
        store-tool copy Library.sqlite Backups/Library.sqlite
        store-tool copy Library.sqlite Backups/Library.sqlite --force --check

      EXIT CODES
        0    done
        1    with --check: the copy has errors, as the store has
        2    the store cannot be read, or the copy cannot be written
        130  interrupted
      """)

  @Argument(help: "The store's file.", transform: parsePath) var store: String
  @Argument(help: "The file of the copy.", transform: parsePath) var target: String
  @Flag(help: "Replace a store that exists.") var force = false
  @Flag(help: "Check the copy, as store-tool check does.") var check = false
  @Flag(help: "Print JSON.") var json = false

  /// The JSON output.
  private struct Document: Encodable {
    let formatVersion = 1
    let path: String
    let bytes: Int64
    let files: Int
    let fileBytes: Int64
    let missingFiles: [String]
    /// The number of errors; `nil` without `--check`.
    let errorCount: Int?
  }

  func perform() throws {
    let source = URL(fileURLWithPath: store)
    let place = URL(fileURLWithPath: target)
    Interruption.shared.observe()
    let report: StoreCopy.Report
    do {
      report = try StoreCopy.copyShowingProgress(from: source, to: place, replaces: force)
    } catch let error as StoreCopyError {
      throw Failure([Self.message(error, force: force)])
    }
    let findings =
      try check
      ? Progress.shared.during("checking \(place.lastPathComponent)") { try StoreChecker.report(place).errors } : []
    if !report.missingFiles.isEmpty {
      let names = report.missingFiles.prefix(3).joined(separator: ", ")
      Console.report([
        Message(
          severity: .warning, file: store, line: nil,
          problem:
            "\(Self.amount(report.missingFiles.count, "file")) of big values that rows name are not there: \(names)",
          remedy: "the copy lacks them too; see store-tool check")
      ])
    }
    if json {
      try Console.print(
        json: Document(
          path: place.path, bytes: report.byteCount, files: report.fileCount, fileBytes: report.fileByteCount,
          missingFiles: report.missingFiles, errorCount: check ? findings.count : nil))
    } else {
      let files = report.fileCount > 0 ? ", and \(Self.amount(report.fileCount, "file")) of big values" : ""
      try Console.print("\(onOneLine(target)): written, \(Self.amount(Int(report.byteCount), "byte"))\(files)")
    }
    guard findings.isEmpty else {
      Console.report(
        findings.map { Message(severity: .error, file: target, line: nil, problem: onOneLine("\($0)")) })
      throw ExitCode(1)
    }
  }

  private static func amount(_ count: Int, _ noun: String) -> String { "\(count) \(noun)\(count == 1 ? "" : "s")" }

  static func message(_ error: StoreCopyError, force: Bool) -> Message {
    var message = Message(file: error.path, error)
    if error.kind == .exists, !force { message.remedy = "name another place, or use --force" }
    return message
  }
}
