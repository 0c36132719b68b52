import Foundation
import PostgreSQL
import Synchronization
import TestSupport
package import Testing

/// PgBouncer before the tests' server, in its transaction mode: each transaction of a client gets another session of the server.
///
/// It starts with the first test that needs it, and ends with the test process, as ``TestServer`` does.
package final class TestPooler: Sendable {
  /// `nil` where PgBouncer or PostgreSQL is not installed. A pooler that does not start ends the tests with the reason.
  package static let shared: TestPooler? = program.flatMap { program in
    TestServer.shared.map { server in
      do { return try TestPooler(program, before: server) } catch {
        fatalError("The tests' PgBouncer does not start: \(error)")
      }
    }
  }

  /// For suites that need the pooler.
  package static let condition: ConditionTrait = .enabled(
    if: program != nil, "needs PgBouncer: apt-get install pgbouncer")

  package let address: String

  private static let program: String? = {
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    return (["/usr/sbin"] + folders).map { $0 + "/pgbouncer" }.first {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }()

  private static let script = """
    dir=$1; program=$2
    \(TestServer.withoutRoot)
    cd "$dir"
    $as "$program" "$dir/pgbouncer.ini" >>"$dir/log" 2>&1 </dev/null &
    pid=$!
    echo started
    read line
    kill -INT $pid
    wait $pid
    rm -rf "$dir"
    """

  /// Leaves a prepared statement in all sessions, as clients do that take them for their own.
  package func leavePreparedStatements() throws {
    // Two callers at once could each hold a part of the sessions, and wait for the rest.
    try oneCaller.withLock { _ in try leaveStatementsInAllSessions() }
  }

  private func leaveStatementsInAllSessions() throws {
    let connections = try (0..<8).map { _ in try Connection(ServerAddress(address)) }
    // Connections in transactions have different sessions.
    for connection in connections { try connection.execute("BEGIN") }
    for connection in connections {
      for _ in 0..<2 { _ = try? connection.run("SELECT 1") }
      try connection.execute("ROLLBACK")
    }
  }

  private let oneCaller = Mutex(())
  private let shell = Process()
  /// The shell reads from it until the test process ends.
  private let lifeline = ChildProcess.pipe()

  private init(_ program: String, before server: TestServer) throws {
    let folder = server.folder.replacing("osd-pg-", with: "osd-pb-")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    let settings = """
      [databases]
      * = host=\(server.folder) user=app
      [pgbouncer]
      pool_mode = transaction
      server_round_robin = 1
      default_pool_size = 8
      min_pool_size = 3
      max_client_conn = 500
      auth_type = any
      listen_addr =
      listen_port = 5432
      unix_socket_dir = \(folder)
      """
    try settings.write(toFile: folder + "/pgbouncer.ini", atomically: false, encoding: .utf8)
    address = "postgresql://app@/postgres?host=\(folder)"
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", Self.script, "sh", folder, program]
    shell.standardInput = lifeline
    shell.standardOutput = FileHandle.nullDevice
    shell.standardError = FileHandle.nullDevice
    try ChildProcess.run(shell)
    try TestServer.waitUntilReady(try ServerAddress(address))
  }
}
