import Foundation
package import PostgreSQL
package import TestSupport
package import Testing

/// A private PostgreSQL server of the tests: a cluster in a temporary folder, reached by a Unix socket only.
///
/// It starts with the first test that needs it. A shell waits for the end of the test process, whatever ends it, stops the server and
/// removes the folder.
package final class TestServer: Sendable {
  /// `nil` where PostgreSQL is not installed. A server that does not start ends the tests with the reason.
  package static let shared: TestServer? = programs.map { folder in
    do { return try TestServer(folder) } catch { fatalError("The tests' PostgreSQL server does not start: \(error)") }
  }

  /// The server that standbys follow. Each is a copy of it, so it is one of its own, without the rows of all other tests.
  package static let followed: TestServer? = programs.map { folder in
    // The log stays for standbys, which are copied and follow while other tests write.
    let settings = ["wal_level=replica", "max_wal_senders=10", "wal_keep_size=1GB"].flatMap { ["-c", $0] }
    do { return try TestServer(folder, cluster: shared?.freshCluster) { _ in settings } } catch {
      fatalError("The server that standbys follow does not start: \(error)")
    }
  }

  /// The server; where PostgreSQL is not installed, the test that asks is skipped, visibly.
  package static func required() throws -> TestServer {
    guard let shared else { try Test.cancel("needs a PostgreSQL server's programs: apt-get install postgresql") }
    return shared
  }

  /// For suites that need the server.
  package static let condition: ConditionTrait = .enabled(
    if: programs != nil, "needs a PostgreSQL server's programs: apt-get install postgresql")

  package let address: String
  /// The folder of the server's socket.
  package let folder: String

  /// The folder of `initdb` and `postgres`: that of the environment, or that of the newest installed version.
  static let programs: String? = {
    let wanted = ProcessInfo.processInfo.environment["OPENSWIFTDATA_POSTGRESQL"]
    let fixed = ["/usr/lib/postgresql"].flatMap { folder in
      let versions = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(folder)/\($0)/bin" }
    }
    let paths = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":").map(String.init) ?? []
    return ([wanted].compactMap(\.self) + fixed + paths).first { folder in
      ["initdb", "postgres"].allSatisfy { FileManager.default.isExecutableFile(atPath: "\(folder)/\($0)") }
    }
  }()

  /// Shell: gives `$dir` to a user with fewer rights, and sets `as` to the command that runs a program as this user. PostgreSQL's programs
  /// refuse to run as root.
  static let withoutRoot = """
    as=
    if [ "$(id -u)" = 0 ]; then
      user=postgres; id $user >/dev/null 2>&1 || user=nobody
      chown -R $user "$dir" ${data:+"$data"}
      as="setpriv --reuid=$user --regid=$(id -g $user) --clear-groups"
    fi
    """

  /// Shell: makes `$data`, the folder of the server's files, in memory where that has room. Each test makes tables, and each table is some
  /// files; a file system on a disk takes a seventh of the server's time to make them.
  static let dataFolder = """
    data="$dir/data"
    room=$(df -Pk /dev/shm 2>/dev/null | awk 'NR == 2 { print $4 }')
    if [ "${room:-0}" -gt 4000000 ] && [ -w /dev/shm ]; then data="/dev/shm/${dir##*/}"; fi
    mkdir -m 700 "$data"
    """

  private static let script = """
    dir=$1; bin=$2; limit=$3; cluster=$4; disk=$5
    shift 5
    \(dataFolder)
    \(withoutRoot)
    cd "$dir"
    if [ -n "$cluster" ]; then
      cp -Rp "$cluster/." "$data"
    else
      $as "$bin/initdb" -D "$data" -U app -A trust -E UTF8 --locale=C --no-sync && cp -Rp "$data" "$dir/fresh"
    fi >"$dir/log" 2>&1 || { rm -rf "$data"; echo failed; exit 1; }
    # The tables alone are on the small disk: a server that cannot write its log ends.
    if [ -n "$disk" ]; then
      mkdir "$dir/base" && mount -t tmpfs -o "size=$disk,mode=777" tmpfs "$dir/base" && cp -Rp "$data/base/." "$dir/base" \
        && rm -rf "$data/base" && ln -s "$dir/base" "$data/base" || { rm -rf "$data"; echo failed; exit 1; }
    fi
    start() {
      (
        # In blocks of 512 bytes: a longer file cannot be written.
        if [ -n "$limit" ]; then ulimit -f "$limit"; fi
        # A server of minutes needs no protection from a loss of power, no maintenance beside the tests, and no standby. The buffers are
        # looked through for each table that is dropped.
        exec $as "$bin/postgres" -D "$data" -k "$dir" -c listen_addresses= -c max_connections=600 -c fsync=off \
          -c full_page_writes=off -c wal_level=minimal -c max_wal_senders=0 -c autovacuum=off -c checkpoint_timeout=1h \
          -c max_wal_size=1GB -c shared_buffers=32MB -c jit=off "$@"
      ) >>"$dir/log" 2>&1 </dev/null &
      pid=$!
    }
    start "$@"
    echo started
    while read line; do
      kill -QUIT $pid
      wait $pid
      start "$@"
      echo started
    done
    kill -INT $pid
    wait $pid
    if [ -n "$disk" ]; then umount "$dir/base"; fi
    rm -rf "$dir" "$data"
    """

  private let shell = Process()
  /// The shell reads from it until the test process ends.
  private let lifeline = ChildProcess.pipe()
  private let output = ChildProcess.pipe()

  /// Another server, for a test that crashes or limits it. It ends when it is released.
  ///
  /// - Parameter fileLimit: the size in bytes after which a file of the server is full; more than 16 MB, the size of a file of its log.
  /// - Parameter diskSize: the size in bytes of the disk of its tables, of which an empty database takes some 25 MB. Needs
  ///   ``smallDisks``.
  package static func another(fileLimit: Int? = nil, diskSize: Int? = nil) throws -> TestServer? {
    try programs.map {
      try TestServer($0, fileLimit: fileLimit, diskSize: diskSize, cluster: shared?.freshCluster)
    }
  }

  /// For tests whose server has a disk of its own.
  package static let smallDisks: ConditionTrait = .enabled(
    if: programs != nil && canMount,
    "needs a PostgreSQL server's programs, and the right to mount a disk in a namespace (unshare -m), as root has it")

  private static let unshare = "/usr/bin/unshare"

  private static let canMount: Bool = {
    let mount = [unshare, "-m", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/mnt"]
    return (try? RunningProgram.run("/usr/bin/env", mount))?.status == 0
  }()

  /// The files of a server without any database of a test. To copy them takes less time than to make them.
  var freshCluster: String { folder + "/fresh" }

  /// - Parameters:
  ///   - port: the number in the name of the server's socket.
  ///   - cluster: the files that the server begins with; by default they are made.
  ///   - prepare: writes files into the server's folder; gives further arguments of the server.
  init(
    _ programs: String, fileLimit: Int? = nil, diskSize: Int? = nil, port: UInt16 = 5432, cluster: String? = nil,
    prepare: (_ folder: String) throws -> [String] = { _ in [] }
  ) throws {
    // A socket's path has at most 107 bytes.
    folder = "/tmp/osd-pg-\(ProcessInfo.processInfo.processIdentifier)-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    address = "postgresql://app@/postgres?host=\(folder)" + (port == 5432 ? "" : "&port=\(port)")
    let further = try prepare(folder)
    let script = [
      "/bin/sh", "-c", Self.script, "sh", folder, programs, fileLimit.map { "\($0 / 512)" } ?? "", cluster ?? "",
      diskSize.map { "\($0)" } ?? "",
    ]
    // A mount in a namespace goes with the last process there.
    let command = (diskSize == nil ? [] : [Self.unshare, "-m"]) + script + further
    shell.executableURL = URL(fileURLWithPath: command[0])
    shell.arguments = Array(command.dropFirst())
    shell.standardInput = lifeline
    shell.standardOutput = output
    shell.standardError = FileHandle.nullDevice
    try ChildProcess.run(shell)
    guard String(decoding: output.fileHandleForReading.availableData, as: UTF8.self).hasPrefix("started") else {
      let log = (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? ""
      throw PostgreSQLError(message: "initdb failed: \(log)", database: folder)
    }
    try waitUntilReady()
  }

  /// Ends the server at once, without a checkpoint, and starts it again. Returns when it accepts connections.
  package func crash() throws {
    try lifeline.fileHandleForWriting.write(contentsOf: Data("crash\n".utf8))
    _ = output.fileHandleForReading.availableData
    try waitUntilReady()
  }

  private func waitUntilReady() throws { try Self.waitUntilReady(try ServerAddress(address)) }

  /// Returns when a server accepts connections.
  static func waitUntilReady(_ server: ServerAddress) throws {
    var attempts = 0
    while true {
      do {
        _ = try Connection(server, deadline: 5)
        return
      } catch {
        attempts += 1
        guard attempts < 600 else { throw error }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  /// A connection to the tests' database.
  package func connect() throws -> Connection { try Connection(ServerAddress(address)) }
}

extension TemporaryStore {
  /// A name for a schema of the database, the same for the same folder.
  package var databaseSchema: String {
    "s_" + folder.lastPathComponent.suffix(12).lowercased().replacing("-", with: "_")
  }
}
