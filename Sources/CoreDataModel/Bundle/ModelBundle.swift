package import Foundation
package import ManagedModel

/// A data model with all its versions, as an `.xcdatamodeld` bundle or a single `.xcdatamodel` holds it.
package struct ModelBundle: Sendable {
  /// The bundle's file name without its extension.
  package var name: String
  /// The version named like the bundle, then in natural order of names: `Model 2`, `Model 10`. Versions that could not be read are left out.
  package var versions: [ModelVersion]
  /// The diagnostics of all versions; ``Diagnostic/Severity`` explains the meaning of an error.
  package var diagnostics: [Diagnostic]

  package var current: ModelVersion? { versions.first(where: \.isCurrent) }
  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// One version of a data model.
package struct ModelVersion: Sendable {
  /// The `.xcdatamodel`'s file name without its extension.
  package var name: String
  package var model: ModelDescription
  /// Whether this is the bundle's current version. One version always is, unless it could not be read.
  package var isCurrent: Bool
  /// The `.xcdatamodel` folder.
  package var url: URL
  package var locations: SourceLocations
}
