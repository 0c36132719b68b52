package import ManagedModel

/// The versions of a model bundle: the input of the generator.
package struct ModelVersions: Sendable {
  /// The prefix of generated names: the bundle's file name without its extension.
  package var name: String
  /// The bundle's file name, for headers and comments; or `postgresql://` with further arguments, as a shell takes them.
  package var source: String
  /// Oldest first; at least one.
  package var versions: [Version]
  /// The index of the version that the program uses.
  package var currentIndex: Int
  /// The mapping models between versions, in any order.
  package var mappings: [MappingModel]

  package init(
    name: String, source: String, versions: [Version], currentIndex: Int? = nil, mappings: [MappingModel] = []
  ) {
    self.name = name
    self.source = source
    self.versions = versions
    self.currentIndex = currentIndex ?? versions.count - 1
    self.mappings = mappings
  }

  package struct Version: Sendable {
    /// The version's name in the bundle, for example `Library 2`.
    package var name: String
    package var model: ModelDescription
    /// The version's place in the whole bundle, counted from 1; `nil` if all versions of the bundle are here.
    package var number: Int?

    package init(name: String, model: ModelDescription, number: Int? = nil) {
      self.name = name
      self.model = model
      self.number = number
    }
  }

  /// The number at the end of a version's generated names, counted from 1. It does not depend on the selection of
  /// versions.
  package func number(_ index: Int) -> Int { versions[index].number ?? index + 1 }

  /// Returns a selection of the versions, each with its present number.
  ///
  /// If the current version is not selected, the newest selected version becomes the current one.
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
