/// The version that the tools tell with `--version`.
package enum ToolVersion {
  /// The heading of the newest version in CHANGELOG.md.
  package static let name = "Unreleased"

  package static let text = "OpenSwiftData \(name)"
}
