package import ManagedModel

/// The versions of one model bundle: what the generator turns into source.
package struct ModelVersions: Sendable {
  /// What the generated names begin with: the bundle's file name without its extension.
  package var name: String
  /// The bundle's file name, for headers and comments.
  package var source: String
  /// Oldest first; at least one.
  package var versions: [Version]
  /// The index of the version that the program works with.
  package var currentIndex: Int

  package init(name: String, source: String, versions: [Version], currentIndex: Int? = nil) {
    self.name = name
    self.source = source
    self.versions = versions
    self.currentIndex = currentIndex ?? versions.count - 1
  }

  package struct Version: Sendable {
    /// The version's name as the bundle has it, for example `Library 2`.
    package var name: String
    package var model: ModelDescription

    package init(name: String, model: ModelDescription) {
      self.name = name
      self.model = model
    }
  }
}
