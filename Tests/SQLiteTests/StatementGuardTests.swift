import Foundation
import SQLite
import TestSupport
import Testing

/// Statements that take longer than they should.
@Suite struct StatementGuardTests {
  @Test("a count that outlasts its allowance is interrupted, and runs again where the file's trees are sound")
  func interruptedCount() throws {
    let folder = try TemporaryStore()
    let connection = try Connection(path: folder.url.path, mode: .create)
    defer { connection.close() }
    try connection.execute("CREATE TABLE T (A); INSERT INTO T VALUES (1), (2)")
    let statementGuard = StatementGuard(fileSize: 0, countAllowance: .zero) { nil }
    try connection.watch(statementGuard)
    // The count has no end of its own until the trees are validated, even if the interruption comes before its first row.
    try connection.registerFunction("start", argumentCount: 0, isDeterministic: false) { _ in
      .integer(statementGuard.isValidated ? 2 : 1)
    }
    let statement = try connection.prepare(
      """
      WITH F(RUN) AS MATERIALIZED (SELECT start()),
      N(I, RUN) AS (SELECT 1, RUN FROM F UNION ALL SELECT I + 1, RUN FROM N WHERE RUN = 1 OR I < 10)
      SELECT count(*) FROM N
      """)
    #expect(try connection.step(counting: statement))
    #expect(statement.integer(0) == 10)
    #expect(connection.statementGuard?.isValidated == true && connection.statementGuard?.damage == nil)
  }

  @Test("a count that has come to an end is not interrupted later")
  func finishedCount() throws {
    let folder = try TemporaryStore()
    let connection = try Connection(path: folder.url.path, mode: .create)
    defer { connection.close() }
    try connection.execute("CREATE TABLE T (A); INSERT INTO T VALUES (1), (2)")
    try connection.watch(StatementGuard(fileSize: 0, countAllowance: .milliseconds(50)) { nil })
    let statement = try connection.prepare("SELECT count(*) FROM T")
    #expect(try connection.step(counting: statement))
    statement.reset()
    // Longer than the allowance.
    let sum = try connection.integer(
      "WITH N(I) AS (SELECT 1 UNION ALL SELECT I + 1 FROM N LIMIT 1000000) SELECT max(I) FROM N")
    #expect(sum == 1_000_000)
  }
}
