import Foundation

extension MappingModel {
  /// How surely a mapping model belongs to two versions.
  package enum Fit: Int, Sendable, Comparable {
    /// The versions have the names that the mapping model records, but other entities than when it was saved.
    case names
    /// The entities have the version hashes that the mapping model records. Core Data asks for these.
    case hashes

    package static func < (left: Fit, right: Fit) -> Bool { left.rawValue < right.rawValue }
  }

  /// How the mapping model fits a step from one version to another; `nil` if it does not.
  package func fit(
    from source: (name: String, model: ModelDescription), to destination: (name: String, model: ModelDescription)
  ) -> Fit? {
    guard let one = self.source.fit(source.name, source.model),
      let other = self.destination.fit(destination.name, destination.model)
    else { return nil }
    return min(one, other)
  }
}

extension MappingModel.Side {
  fileprivate func fit(_ name: String, _ version: ModelDescription) -> MappingModel.Fit? {
    if let hashes = try? VersionHashes(version) {
      if let model, let own = try? VersionHashes(model), own == hashes { return .hashes }
      if !entityHashes.isEmpty, entityHashes.allSatisfy({ hashes[$0.key] == $0.value }) { return .hashes }
    }
    return versionName == name ? .names : nil
  }
}
