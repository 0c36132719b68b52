package import Foundation
import Synchronization

/// Starts programs one at a time.
///
/// Foundation learns of a program's end from a socket that closes with it. A program that starts at the same moment may inherit this
/// socket, or a pipe. The first end is then noticed only after the second, and for a server this is never.
package enum ChildProcess {
  private static let start = Mutex(())

  /// Starts a program; throws Foundation's error.
  package static func run(_ process: Process) throws {
    try start.withLock { _ in try process.run() }
  }

  /// A pipe to or from a program.
  package static func pipe() -> Pipe { start.withLock { _ in Pipe() } }
}
