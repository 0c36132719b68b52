package import Foundation

/// The independent checkers in `../shared/tools`, run as programs.
package enum Oracle {
  package struct Report: Sendable {
    package let status: Int32
    package let output: String
  }

  /// The checkers are not on this machine; a test that needs them is to be enabled by ``Fixtures/areAvailable`` only.
  package struct Missing: Error, CustomStringConvertible {
    package let description: String = Fixtures.explanation
  }

  /// Runs `check_store.py` on a store; `fresh` withdraws every tolerance.
  ///
  /// Without the checkers it accepts every store, so that a test which has its store checked at the end runs everywhere.
  package static func checkStore(_ url: URL, fresh: Bool = false) throws -> Report {
    guard Fixtures.areAvailable else { return Report(status: 0, output: Fixtures.explanation) }
    return try run("check_store.py", (fresh ? ["--fresh"] : []) + [url.path])
  }

  /// Runs `version_hashes.py` with the arguments.
  /// - Throws: ``Missing`` without the checkers.
  package static func versionHashes(_ arguments: [String]) throws -> Report {
    try run("version_hashes.py", arguments)
  }

  /// Runs a program that is written with the checkers' own modules, which tells more than they print.
  /// - Throws: ``Missing`` without the checkers.
  package static func run(script: String, _ arguments: [String]) throws -> Report {
    try python(["-c", "import sys; sys.path.insert(0, sys.argv.pop(1))\n" + script, tools.path] + arguments)
  }

  private static let tools = Fixtures.shared.appendingPathComponent("tools")

  private static func run(_ tool: String, _ arguments: [String]) throws -> Report {
    try python([tools.appendingPathComponent(tool).path] + arguments)
  }

  private static func python(_ arguments: [String]) throws -> Report {
    guard Fixtures.areAvailable else { throw Missing() }
    let program = try RunningProgram.run("python3", arguments, mergesErrors: true)
    return Report(status: program.status, output: program.output)
  }
}
