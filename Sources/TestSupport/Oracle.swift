package import Foundation
package import Testing

/// The independent checkers in `../shared/tools`, in Python.
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
    return try run(
      script: "import check_store, sys; sys.exit(check_store.main())", (fresh ? ["--fresh"] : []) + [url.path])
  }

  /// Expects that `check_store.py` finds nothing wrong with a store. The failure shows what it found.
  package static func expectSound(
    _ url: URL, fresh: Bool = false, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let report = try checkStore(url, fresh: fresh)
    guard report.status != 0 else { return }
    let beginning = comment.map { "\($0.rawValue): " } ?? ""
    Issue.record("\(beginning)\(report.output)", sourceLocation: sourceLocation)
  }

  /// Runs `version_hashes.py` with the arguments.
  /// - Throws: ``Missing`` without the checkers.
  package static func versionHashes(_ arguments: [String]) throws -> Report {
    try run(script: "import sys, version_hashes; sys.exit(version_hashes.main(sys.argv[1:]))", arguments)
  }

  /// Runs a Python script that may import the checkers as modules.
  ///
  /// Scripts share a process: one must not change the interpreter's state, such as the working directory.
  /// - Throws: ``Missing`` without the checkers.
  package static func run(script: String, _ arguments: [String]) throws -> Report {
    guard Fixtures.areAvailable else { throw Missing() }
    let answer = try PythonInterpreter.run(
      script, arguments, modules: Fixtures.shared.appendingPathComponent("tools"))
    return Report(status: answer.status, output: answer.output)
  }
}
