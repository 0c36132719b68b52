import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import Synchronization
import Testing

@testable import PostgreSQLStore

@Suite("The log of statements over a server", TestServer.condition)
struct StatementLogTests {
  @Test("Statements are logged with their time, bound values only from level 3 on", arguments: 0...4)
  func statements(level: Int) throws {
    let connection = try #require(TestServer.shared).connect()
    let lines = Mutex<[String]>([])
    connection.onStatementEnd = ServerLog.onStatementEnd(level: level) { line in lines.withLock { $0.append(line) } }
    try connection.run(
      "SELECT $1::text, $2::bigint[], $3::boolean", [.text("it's"), .integers([1, 2]), .boolean(true)])
    try connection.execute("SELECT 2")
    let texts = lines.withLock { $0 }.map { $0.replacing(/\(\d\.\d{4} s\)/, with: "(time)") }
    let first = "sql: SELECT $1::text, $2::bigint[], $3::boolean"
    switch level {
    case 0: #expect(texts.isEmpty)
    case 1, 2: #expect(texts == ["\(first) (time)", "sql: SELECT 2 (time)"])
    default: #expect(texts == ["\(first) [$1 = 'it''s', $2 = {1, 2}, $3 = true] (time)", "sql: SELECT 2 (time)"])
    }
  }

  @Test("Values are logged as the server has them")
  func values() {
    let uuid = UUID()
    for (parameter, text) in [
      (Parameter.integer(-5), "-5"), (.text(nil), "NULL"), (.double(1.5), "1.5"), (.boolean(false), "false"),
      (.uuid(uuid), "'\(uuid.uuidString)'"), (.bytes(Data([1, 255])), "'\\x01ff'"),
      (.texts(["a", nil]), "{'a', NULL}"),
      (.integers([]), "{}"), (.moment(Date(timeIntervalSinceReferenceDate: 0.5)), "'2001-01-01T00:00:00.500'"),
      (
        .text(String(repeating: "\u{301}", count: 1_001)),
        "'\(String(repeating: "\u{301}", count: 1_000))\u{2026}' (2002 bytes)"
      ), (.text(String(repeating: "a", count: 1_000)), "'\(String(repeating: "a", count: 1_000))'"),
      (.integers(Array(0..<100)), "{\((0..<20).map { "\($0)" }.joined(separator: ", ")), … (100 elements)}"),
    ] { #expect("\(parameter)" == text) }
  }

  @Test("A server that takes no changes, and a statement that takes too long, have their own remedies")
  func remedies() throws {
    let connection = try #require(TestServer.shared).connect()
    try connection.execute("SET default_transaction_read_only = on")
    let refused = #expect(throws: PostgreSQLError.self) { try connection.execute("CREATE TABLE t (a int)") }
    #expect(refused?.state == .readOnlyTransaction && refused?.remedy?.contains("primary") == true)
    try connection.execute("SET statement_timeout = 20")
    let late = #expect(throws: PostgreSQLError.self) { try connection.execute("SELECT pg_sleep(5)") }
    #expect(late?.state == .queryCanceled && late?.remedy?.contains("statement_timeout") == true)
  }
}
