import Foundation
package import PostgreSQL
import TestSupport

/// A standby of the tests' server, made by `pg_basebackup`: it follows the server and serves reads only. It ends when it is released.
package final class TestStandby: Sendable {
  package let address: String
  private let shell = Process()
  /// The shell reads from it until the standby is released, or the test process ends.
  private let lifeline = ChildProcess.pipe()
  private let output = ChildProcess.pipe()

  private static let script = """
    dir=$1; bin=$2; server=$3
    \(TestServer.dataFolder)
    \(TestServer.withoutRoot)
    cd "$dir"
    $as "$bin/pg_basebackup" -D "$data" -h "$server" -U app -R -X stream -c fast --no-sync >"$dir/log" 2>&1 \
      || { rm -rf "$data"; echo failed; exit 1; }
    $as "$bin/postgres" -D "$data" -k "$dir" -c listen_addresses= -c fsync=off -c max_connections=600 \
      >>"$dir/log" 2>&1 </dev/null &
    pid=$!
    echo started
    read line
    kill -QUIT $pid
    wait $pid
    rm -rf "$dir" "$data"
    """

  package init(of server: TestServer) throws {
    let folder = server.folder.replacing("osd-pg-", with: "osd-ps-") + "-\(UInt16.random(in: 0...UInt16.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    address = "postgresql://app@/postgres?host=\(folder)"
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = ["-c", Self.script, "sh", folder, TestServer.programs ?? "", server.folder]
    shell.standardInput = lifeline
    shell.standardOutput = output
    shell.standardError = FileHandle.nullDevice
    try ChildProcess.run(shell)
    guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("started") else {
      let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
      throw PostgreSQLError(message: "pg_basebackup failed: \(log)", database: folder)
    }
    try TestServer.waitUntilReady(try ServerAddress(address))
  }

  /// Ends the standby now, as a crash would.
  package func end() {
    try? lifeline.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  package func connect() throws -> Connection { try Connection(ServerAddress(address)) }
}
