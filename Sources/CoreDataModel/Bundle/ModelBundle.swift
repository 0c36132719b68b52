package import Foundation
package import ManagedModel

/// A data model with all its versions, as an `.xcdatamodeld` bundle or a single `.xcdatamodel` holds it.
package struct ModelBundle: Sendable {
  /// The bundle's file name without its extension.
  package var name: String
  /// In natural order of names: `Model`, `Model 2`, `Model 10`. Versions that could not be read are left out.
  package var versions: [ModelVersion]
  /// Of all versions; see ``Diagnostic`` for what an error among them means.
  package var diagnostics: [Diagnostic]

  package var current: ModelVersion? { versions.first(where: \.isCurrent) }
  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// One version of a data model.
package struct ModelVersion: Sendable {
  /// The `.xcdatamodel`'s file name without its extension.
  package var name: String
  package var model: ModelDescription
  /// Whether `.xccurrentversion` names it; one version of a bundle always is, unless that one could not be read.
  package var isCurrent: Bool
  /// The `.xcdatamodel` folder.
  package var url: URL
  package var locations: SourceLocations
}
