import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import PostgreSQLStore
import StoreInspection
import ToolConsole

/// `store-tool copy STORE TARGET`
struct Copy: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Copies a store that is in use, with the saves in its log and its files of big values; to PostgreSQL and back, too.",
    discussion: """
      The copy has the store's rows after some save, with the saves that wait in the log. It is one file without a log. \
      The files of big values that its rows name are copied into a folder beside it: .NAME_SUPPORT, where NAME is the \
      copy's name without the extension. The store is only read, and needs no model.

      Other programs can save meanwhile if the store has a write-ahead log, as Core Data's stores have. Saves to a store \
      with another journal wait until it is copied, or fail if they cannot wait that long.

      The copy takes its place when it is complete. If the run fails, or is interrupted or killed, the target is as it \
      was. A target is refused if another store keeps its big values in the same folder.

      One of the two can be a PostgreSQL database, as postgresql://user@host/database. All objects go there, or to a new \
      store, with the model, the store's identifier and the objects' own. The schema (--schema) must have no tables, or \
      not be there yet; all is written in one transaction. Its tables and columns have names such as published_on; with \
      --naming as-spelled they have the model's, such as publishedOn, and a program opens the store with naming: .asSpelled. \
      PGPASSWORD or ~/.pgpass gives the password.

      A copy to or from a database leaves out history, metadata of programs and tables of no entity, and values of missing \
      files; it rounds dates to microseconds; derived attributes become stored ones. Warnings tell all of it. It is refused \
      if a text has a NUL character, and, without --lenient, if a required value is missing (its column then allows NULL), \
      or if a date is beyond the years 4713 BC to 294276 (it then becomes infinite).

      EXAMPLES
        store-tool copy Library.sqlite Backups/Library.sqlite
        store-tool copy Library.sqlite Backups/Library.sqlite --force --check
        store-tool copy Library.sqlite postgresql://app@db.example/library \\
          --schema library
        store-tool copy postgresql://app@db.example/library Fetched.sqlite \\
          --schema library

      EXIT CODES
        0    done
        1    with --check: the copy has errors, as the store has
        2    the store cannot be read, or the copy cannot be written; or only the
             summary of a copy without errors cannot be written: the error says
             that the copy is
        130  interrupted
      """)

  @Argument(help: "The store's file, or a database.", transform: parsePath) var store: String
  @Argument(help: "The file of the copy, or a database.", transform: parseFilePath) var target: String
  @Flag(help: "Replace a store that exists, and whose pages have the size of this store's; for a copy in a file.")
  var force = false
  @Flag(help: "Check the copy, as store-tool check does.") var check = false
  @Option(help: ArgumentHelp("The schema of the database; public by default.", valueName: "name")) var schema: String?
  @Option(
    help: ArgumentHelp(
      "The names of tables and columns in a database: snake-case or as-spelled; snake-case by default.",
      valueName: "rule"))
  var naming: Naming?
  @Flag(help: "Also copy objects without a required value, or with a date that the database cannot hold.")
  var lenient = false
  @OptionGroup var candidates: ModelArguments
  @Flag(help: "Print JSON.") var json = false

  func validate() throws {
    let places = [store, target].map(DatabaseAddress.isAddress)
    guard places.contains(true) else {
      for (option, isGiven) in [
        ("--schema", schema != nil), ("--naming", naming != nil), ("--lenient", lenient),
        ("--model", candidates.model != nil),
      ]
      where isGiven { throw ValidationError("\(option) is for copies to or from a database: leave it out.") }
      return
    }
    if places == [true, true] {
      throw ValidationError("Both places are databases: name a file for one of them, or use pg_dump.")
    }
    let isTarget = places[1]
    for (option, isGiven) in [("--force", force), ("--check", check)] where isGiven && isTarget {
      throw ValidationError("\(option) is for copies in files: leave it out.")
    }
    for (option, isGiven) in [
      ("--naming", naming != nil), ("--lenient", lenient), ("--model", candidates.model != nil),
    ]
    where isGiven && !isTarget {
      throw ValidationError("\(option) is for copies to a database: leave it out.")
    }
  }

  /// `--naming`, in the words of `PostgreSQLConfiguration.Naming`.
  enum Naming: String, ExpressibleByArgument, CaseIterable {
    case snakeCase = "snake-case"
    case asSpelled = "as-spelled"

    var rule: NamingRule {
      switch self {
      case .snakeCase: .snakeCase
      case .asSpelled: .asSpelled
      }
    }
  }

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
    if DatabaseAddress.isAddress(store) || DatabaseAddress.isAddress(target) { return try copyWithServer() }
    let source = URL(fileURLWithPath: store)
    let place = URL(fileURLWithPath: target)
    Interruption.shared.observe()
    let report: StoreCopy.Report
    do {
      report = try StoreCopy.copyShowingProgress(from: source, to: place, replaces: force)
    } catch let error as StoreCopyError {
      throw Failure(ofCopy: error, suggestsForce: !force)
    }
    Console.noteSaved("the copy is written to \(target)")
    let findings =
      try check
      ? Progress.shared.during("checking \(place.lastPathComponent)") { try StoreChecker.report(place).errors } : []
    if !report.missingFiles.isEmpty {
      let names = report.missingFiles.prefix(3).joined(separator: ", ")
      Console.report([
        Message(
          severity: .warning, file: store, line: nil,
          problem:
            "\(counted(report.missingFiles.count, "file")) of big values that rows name are not there: \(names)",
          remedy: "the copy lacks them too; see store-tool check")
      ])
    }
    var output = VerdictOutput()
    try output.print {
      if json {
        try Console.print(
          json: Document(
            path: place.path, bytes: report.byteCount, files: report.fileCount, fileBytes: report.fileByteCount,
            missingFiles: report.missingFiles, errorCount: check ? findings.count : nil))
      } else {
        let files = report.fileCount > 0 ? ", and \(counted(report.fileCount, "file")) of big values" : ""
        try Console.print("\(onOneLine(target)): written, \(counted(report.byteCount, "byte"))\(files)")
      }
    }
    try Self.end(output, with: findings, of: target)
  }

  private func copyWithServer() throws {
    var options = ServerOptions()
    if let schema { options.schema = schema }
    if let naming { options.naming = naming.rule }
    let copy = ServerCopy(options: options, isLenient: lenient, json: json)
    if DatabaseAddress.isAddress(target) {
      try copy.send(store, candidates.read(), to: target)
    } else {
      try copy.fetch(store, to: target, replaces: force, check: check)
    }
  }

  /// - Throws: `ExitCode` if the copy has errors, or the output could not be written.
  static func end(
    _ output: VerdictOutput, with findings: [some CustomStringConvertible], of target: String
  ) throws {
    Console.report(findings.map { Message(severity: .error, file: target, line: nil, problem: onOneLine("\($0)")) })
    try output.end(with: findings.isEmpty ? 0 : 1)
  }
}
