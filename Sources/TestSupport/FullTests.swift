import Foundation

/// The longer test runs of `make test-full`.
package enum FullTests {
  /// Whether to run every case, for minutes (`OPENSWIFTDATA_FULL_TESTS` is set), or a sample of them.
  package static let areWanted: Bool = ProcessInfo.processInfo.environment["OPENSWIFTDATA_FULL_TESTS"] != nil

  package static let explanation: String = "takes minutes: needs OPENSWIFTDATA_FULL_TESTS"

  /// A number that an environment variable gives in place of a test's own, such as a seed; `nil` if it is not set.
  package static func setting(_ name: String) -> Int? {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
  }
}
