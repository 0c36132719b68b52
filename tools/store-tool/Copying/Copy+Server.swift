import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import PostgreSQLStore
import StoreInspection
import StoreTransfer
import ToolConsole

/// Copies between a file and a database.
struct ServerCopy {
  let options: ServerOptions
  let isLenient: Bool
  let json: Bool

  /// The JSON output.
  private struct Document: Encodable {
    let formatVersion = 1
    let path: String
    let schema: String
    let rows: Int
    /// What differs between the store and its copy.
    let differences: [String]
    /// The number of errors; `nil` without `--check`.
    let errorCount: Int?
  }

  /// Copies a file into a schema of a database.
  func send(_ file: String, _ models: CandidateModels, to address: String) throws {
    let place = try ServerStore.description(ofAddress: address)
    let store = try models.open(file, options: StoreOptions(isReadOnly: true))
    defer { store.close() }
    Interruption.shared.observe()
    let report = try Progress.shared.during("copying \(URL(fileURLWithPath: file).lastPathComponent)") {
      try StoreTransfer.copy(store, toServer: address, options: options, isLenient: isLenient, progress: Self.advance)
    }
    warn(report, of: file)
    let target = "schema \(quoted(options.schema)) of \(place)"
    Console.noteSaved("the copy is written to \(target)")
    if json {
      return try Console.print(
        json: Document(
          path: place, schema: options.schema, rows: report.rows, differences: report.differences, errorCount: nil))
    }
    try Console.print("\(onOneLine(target)): written, \(counted(report.rows, "object"))")
  }

  /// Copies a schema of a database into a file.
  func fetch(_ address: String, to file: String, replaces: Bool, check: Bool) throws {
    let source = try ServerStore.description(ofAddress: address)
    let place = URL(fileURLWithPath: file)
    Interruption.shared.observe()
    let result: (report: TransferReport, file: StoreCopy.Report)
    do {
      result = try Progress.shared.during("copying \(options.schema)") {
        try StoreTransfer.copy(
          fromServer: address, options: options, to: place, replaces: replaces, progress: Self.advance)
      }
    } catch let error as StoreCopyError {
      throw Failure(ofCopy: error, suggestsForce: !replaces)
    }
    Console.noteSaved("the copy is written to \(file)")
    let findings =
      try check
      ? Progress.shared.during("checking \(place.lastPathComponent)") { try StoreChecker.report(place).errors } : []
    warn(result.report, of: source)
    var output = VerdictOutput()
    try output.print {
      if json {
        try Console.print(
          json: Document(
            path: place.path, schema: options.schema, rows: result.report.rows, differences: result.report.differences,
            errorCount: check ? findings.count : nil))
      } else {
        let files = result.file.fileCount > 0 ? ", and \(counted(result.file.fileCount, "file")) of big values" : ""
        try Console.print(
          "\(onOneLine(file)): written, \(counted(result.report.rows, "object")), "
            + "\(counted(result.file.byteCount, "byte"))\(files)")
      }
    }
    try Copy.end(output, with: findings, of: file)
  }

  private func warn(_ report: TransferReport, of store: String) {
    Console.report(
      report.differences.map {
        Message(severity: .warning, file: store, line: nil, problem: onOneLine($0), remedy: nil)
      })
  }

  private static func advance() throws {
    Progress.shared.advance()
    try Interruption.shared.check()
  }
}
