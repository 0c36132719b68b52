import ArgumentParser
import CoreDataStore
import ErrorReporting
import Foundation
import PropertyLists
import StoreExchange
import ToolConsole

/// `store-tool export STORE --format csv --output PATH`
struct Export: StoreCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a store's data for other programs: CSV, JSON, or SQLite with plain names.",
    discussion: """
      csv     a folder with a file for each entity that is not abstract (RFC 4180, UTF-8): a line of names, then one \
      line per object. A missing value is an empty field, an empty string is "".
      json    one document: the store, and its objects by entity.
      sqlite  a database with a table for each root entity, columns with the names of the properties, declared keys, \
      and a table for each many-to-many relationship. Subentities are views.

      Dates are in ISO 8601, UUIDs are strings, archived values JSON. Each file is written completely or not at all. A \
      name that cannot name a file, table or column is changed; a note reports it. In csv, a name that begins with $ \
      gets one more $.

      A spreadsheet evaluates a string that begins with = + - or @ as a formula. Anybody who writes to the store can put \
      one there: --guard-formulas puts an apostrophe before it, but not before numbers.

      EXAMPLES
        store-tool export Library.sqlite --format csv --output Library
        store-tool export Library.sqlite --format json --output library.json
        store-tool export Library.sqlite --format sqlite --output plain.sqlite

      EXIT CODES
        0  done
        2  the store cannot be read, or the output cannot be written
      """)

  enum Format: String, CaseIterable, ExpressibleByArgument { case csv, json, sqlite }

  @OptionGroup var arguments: StoreArguments
  @Option(name: .shortAndLong, help: "The format to write.") var format: Format
  @Option(name: .shortAndLong, help: ArgumentHelp("The file to write, or the folder for csv.", valueName: "path"))
  var output: String
  @Flag(help: "Replace files that exist.") var force = false
  @Flag(help: "Put an apostrophe before strings that a spreadsheet would evaluate, but not before numbers; csv only.")
  var guardFormulas = false
  @Flag(help: "Print JSON: the files that were written.") var json = false

  func validate() throws {
    if output.isEmpty { throw ValidationError("The path of --output is empty: name a file, or a folder for csv.") }
    if output == "-" {
      throw ValidationError("--output names files: to print objects on standard output, use store-tool dump.")
    }
    if format != .csv, let problem = CommandLineWords.problem(ofFile: output) {
      throw ValidationError("The value '\(onOneLine(output))' is invalid for '--output <path>': \(problem)")
    }
    if guardFormulas, format != .csv { throw ValidationError("--guard-formulas is for csv only: leave it out.") }
  }

  /// The result of the export, for `--json`.
  struct Report: Encodable {
    struct Part: Encodable {
      let name: String
      let file: String?
      let count: Int
    }

    var format: String
    var path: String
    var parts: [Part] = []
    var notes: [String] = []
  }

  func perform() throws {
    let store = try arguments.openForReading()
    defer { store.close() }
    Interruption.shared.observe()
    let report = try Progress.shared.during("exporting \(URL(fileURLWithPath: arguments.store).lastPathComponent)") {
      switch format {
      case .csv: try CSVExport(self).run(store)
      case .json: try writeJSON(store)
      case .sqlite: try writeDatabase(store)
      }
    }
    Console.noteSaved("the data is written to \(output)")
    if json { return try Console.print(json: report) }
    Console.report(
      report.notes.map { Message(severity: .note, file: arguments.store, line: nil, problem: onOneLine($0)) })
    let rows = report.parts.map { [$0.name, "\($0.count)", $0.file ?? ""] }
    let table = TextTable(
      header: [format == .sqlite ? "table" : "entity", "objects", format == .csv ? "file" : ""], rows: rows,
      alignments: [.leading, .trailing])
    try Console.print(
      (table.lines(styled: .output) + ["", "\(onOneLine(output)): written"]).joined(separator: "\n"))
  }

  func makeReport() -> Report { Report(format: format.rawValue, path: output) }

  /// Called for each object.
  func step() throws {
    Progress.shared.advance()
    try Interruption.shared.check()
  }

  /// Refuses to replace an item, unless it is a regular file and `--force` is given.
  func checkPlace(_ url: URL) throws {
    let place = Self.realPath(url)
    // These files belong to the store, even while they do not exist.
    for suffix in ["", "-wal", "-shm", "-journal"]
    where place == Self.realPath(URL(fileURLWithPath: arguments.store)) + suffix {
      let problem =
        suffix.isEmpty ? "it is the store that is read" : "it is the name of a file that belongs to the store"
      throw Failure(url, line: nil, problem, remedy: "name another place")
    }
    guard let type = (try? FileManager.default.attributesOfItem(atPath: url.path))?[.type] as? FileAttributeType else {
      return
    }
    guard type == .typeRegular else {
      throw Failure(
        url, line: nil, "it is no file, but stands where one is to be written", remedy: "name another place")
    }
    if !force { throw Failure(url, line: nil, "the file exists already", remedy: "name another place, or use --force") }
  }

  /// The path with all links resolved; for a file that does not exist, the links of its folder.
  private static func realPath(_ url: URL) -> String {
    let url = url.standardizedFileURL.resolvingSymlinksInPath()
    return url.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(url.lastPathComponent).path
  }

  // MARK: One file

  private func writeDatabase(_ store: PersistentStore) throws -> Report {
    let url = URL(fileURLWithPath: output)
    try checkPlace(url)
    let drafts = try FileDrafts(in: url.deletingLastPathComponent(), for: url)
    let database: ExportDatabase
    do {
      database = try ExportDatabase(writing: drafts.add(url.lastPathComponent), of: store, progress: step)
    } catch let error as ExportDatabaseError {
      throw Failure(url, line: nil, error)
    }
    try drafts.commit()
    var report = makeReport()
    report.parts = database.tables.map { Report.Part(name: $0.name, file: nil, count: $0.rows) }
    report.notes = database.renamings.map { "\($0.what) is called \($0.name)" }
    if database.danglingKeys > 0 {
      report.notes.append("\(database.danglingKeys) relationships lead to no object, and were left out")
    }
    if database.foreignRows > 0 {
      let (amount, isPlural) = (database.foreignRows, database.foreignRows > 1)
      report.notes.append(
        "\(amount) row\(isPlural ? "s are" : " is") of no entity of the model, and \(isPlural ? "were" : "was") left out"
      )
    }
    report.notes += database.repairedTexts.descriptions
    return report
  }

  private func writeJSON(_ store: PersistentStore) throws -> Report {
    let url = URL(fileURLWithPath: output)
    try checkPlace(url)
    let drafts = try FileDrafts(in: url.deletingLastPathComponent(), for: url)
    let stream = try ResultStream(file: drafts.add(url.lastPathComponent), for: url)
    var report = makeReport()
    var text = JSONWriter()
    text.beginObject()
    text.write(key: "formatVersion")
    text.write(number: 1 as Int64)
    text.write(key: "store")
    text.write(text: store.identifier)
    text.write(key: "entities")
    text.beginObject()
    try store.readObjects { reader in
      for root in reader.rootEntities {
        text.startLine()
        text.write(key: root)
        text.beginList()
        let objects = try reader.objects(ObjectRequest(entityName: root))
        var count = 0
        while let object = try objects.next() {
          text.startLine()
          text.write(object)
          try stream.write(text.bytes)
          text.removeAll()
          count += 1
          try step()
        }
        text.endList()
        report.parts.append(Report.Part(name: root, file: nil, count: count))
      }
      report.notes = reader.omissions.descriptions.map { "\($0): left out" } + reader.repairedTexts.descriptions
    }
    text.startLine()
    text.endObject()
    text.endObject()
    text.endDocument()
    try stream.write(text.bytes)
    try stream.flush()
    try drafts.commit()
    return report
  }
}
