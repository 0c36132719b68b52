import CSQLiteBare
import Foundation

/// The statements that a piece of work was heard to run, with the values they had, to be run again on a twin of its database.
struct RecordedStatements {
  private let runs: [(text: String, values: [String])]

  /// Listens to the connections of what is opened, while the work runs.
  init<Subject>(opening open: () throws -> Subject, of work: (Subject) throws -> Void) throws {
    sqlite3_auto_extension(unsafeBitCast(TraceCallback.attach, to: (@convention(c) () -> Void).self))
    defer { sqlite3_reset_auto_extension() }
    let subject = try open()
    TraceCallback.runs = []
    try work(subject)
    runs = try TraceCallback.runs.map { ($0.text, try Self.values(in: $0.expanded, of: $0.text)) }
    TraceCallback.runs = []
  }

  /// Runs all of it, each text prepared once.
  func replay(on database: BareDatabase) throws {
    var prepared: [String: OpaquePointer?] = [:]
    defer { for statement in prepared.values { sqlite3_finalize(statement) } }
    for run in runs {
      if prepared[run.text] == nil { prepared[run.text] = try database.prepare(run.text) }
      guard let statement = prepared[run.text] else { continue }
      for (index, value) in run.values.enumerated() { Self.bind(value, to: statement, at: Int32(index + 1)) }
      try database.run(statement)
    }
  }

  /// The literals that stand in a filled text where the text has placeholders, in the order of the placeholders' numbers.
  private static func values(in expanded: String, of text: String) throws -> [String] {
    var values: [Int: String] = [:]
    var (filled, open) = (expanded[...], text[...])
    while let placeholder = open.firstMatch(of: /\?([0-9]*)/) {
      let before = open[..<placeholder.range.lowerBound]
      guard filled.hasPrefix(before) else { throw BareDatabase.Failure(message: "\(expanded) is not \(text), filled") }
      filled = filled.dropFirst(before.count)
      let end = literalEnd(in: filled)
      values[Int(placeholder.1) ?? (values.keys.max() ?? 0) + 1] = String(filled[..<end])
      filled = filled[end...]
      open = open[placeholder.range.upperBound...]
    }
    return values.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func literalEnd(in text: Substring) -> Substring.Index {
    guard let quote = text.firstIndex(of: "'"), quote == text.startIndex || text.hasPrefix("x'") else {
      return text.firstIndex { ",) \n".contains($0) } ?? text.endIndex
    }
    // The samples have no quotes in them.
    let end = text[text.index(after: quote)...].firstIndex(of: "'") ?? quote
    return text.index(after: end)
  }

  private static func bind(_ literal: String, to statement: OpaquePointer?, at index: Int32) {
    if literal == "NULL" {
      sqlite3_bind_null(statement, index)
    } else if literal.hasPrefix("x'") {
      let digits = Array(literal.dropFirst(2).dropLast())
      let bytes = stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 }
      sqlite3_bind_blob(
        statement, index, bytes, Int32(bytes.count), unsafeBitCast(-1, to: sqlite3_destructor_type.self))
    } else if literal.hasPrefix("'") {
      benchmarks.bind(String(literal.dropFirst().dropLast()), to: statement, at: index)
    } else if let number = Int64(literal) {
      sqlite3_bind_int64(statement, index, number)
    } else {
      sqlite3_bind_double(statement, index, Double(literal) ?? 0)
    }
  }
}

/// What SQLite calls back while statements are recorded; on one thread only.
private enum TraceCallback {
  struct Run {
    let text: String
    let expanded: String
  }

  nonisolated(unsafe) static var runs: [Run] = []

  static let attach:
    @convention(c) (OpaquePointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, UnsafeRawPointer?) -> Int32 = {
      database, _, _ in
      sqlite3_trace_v2(database, UInt32(SQLITE_TRACE_STMT), note, nil)
    }

  private static let note:
    @convention(c) (UInt32, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Int32 = {
      _, _, statement, text in
      let statement = OpaquePointer(statement)
      // Triggers and savepoints of SQLite's own tell themselves as comments.
      guard let sql = sqlite3_sql(statement), let text,
        strncmp(text.assumingMemoryBound(to: CChar.self), "--", 2) != 0,
        // A setting is its connection's: one that only reads says so, and the twin has one connection for all.
        sqlite3_strnicmp(sql, "PRAGMA", 6) != 0
      else { return 0 }
      let expanded = sqlite3_expanded_sql(statement)
      runs.append(Run(text: String(cString: sql), expanded: expanded.map { String(cString: $0) } ?? ""))
      sqlite3_free(expanded)
      return 0
    }
}
