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
    /// The version's place in its whole bundle, from 1; `nil` where all of the bundle's versions are here.
    package var number: Int?

    package init(name: String, model: ModelDescription, number: Int? = nil) {
      self.name = name
      self.model = model
      self.number = number
    }
  }

  /// The number that a version's generated names end with, from 1; the same for every choice of versions.
  package func number(_ index: Int) -> Int { versions[index].number ?? index + 1 }

  /// Some of the versions, each with the number that it has here.
  ///
  /// The current version stays so if it is chosen; otherwise the newest of the chosen takes its place.
  /// - Parameter indices: positions in ``versions``, ascending, at least one.
  package func selecting(_ indices: [Int]) -> ModelVersions {
    var selection = self
    selection.versions = indices.map { index in
      Version(name: versions[index].name, model: versions[index].model, number: number(index))
    }
    selection.currentIndex = indices.firstIndex(of: currentIndex) ?? max(0, indices.count - 1)
    return selection
  }
}
