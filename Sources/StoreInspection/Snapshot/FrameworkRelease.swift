import CoreDataStore

/// The operating systems that a version of the framework came with (CD-1.3).
package enum FrameworkRelease {
  /// The first version seen of each release; versions in between belong to the release before.
  private static let firsts: [(version: Int, name: String)] = [
    (1509, "macOS 26, iOS 26"), (1403, "macOS 15, iOS 18"), (1321, "macOS 14, iOS 17"), (1216, "macOS 13, iOS 16"),
    (1124, "macOS 12, iOS 15"), (1030, "macOS 11, iOS 14"), (973, "macOS 10.15, iOS 13"), (866, "macOS 10.14, iOS 12"),
    (851, "macOS 10.13, iOS 11"),
  ]

  /// For example `macOS 14, iOS 17`; `nil` if the release is not known.
  package static func name(of version: Int) -> String? {
    version > 0 && version < 1700 ? firsts.first { version >= $0.version }?.name : nil
  }
}
