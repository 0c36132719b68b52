package import Foundation
package import ManagedModel

/// A data model with all its versions, as an `.xcdatamodeld` bundle or a single `.xcdatamodel` holds it.
package struct ModelBundle: Sendable {
  /// The bundle's file name without its extension.
  package var name: String
  /// The version named like the bundle, then in natural order of names: `Model 2`, `Model 10`. Versions that could not be read are left out.
  package var versions: [ModelVersion]
  /// The names of all versions, also of those that were not read or could not be read.
  package var versionNames: [String] = []
  /// The versions that cannot be used: their files cannot be read, or have errors.
  package var failures: [Failure] = []
  /// The diagnostics of all versions; ``Diagnostic/Severity`` explains the meaning of an error.
  package var diagnostics: [Diagnostic]

  package var current: ModelVersion? { versions.first(where: \.isCurrent) }
  /// A version that cannot be used.
  package struct Failure: Sendable {
    package var name: String
    package var isCurrent: Bool
    /// At least one of them is an error.
    package var diagnostics: [Diagnostic]
  }

  package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
}

/// One version of a data model.
package struct ModelVersion: Sendable {
  /// The `.xcdatamodel`'s file name without its extension.
  package var name: String
  package var model: ModelDescription
  /// The version's place among all versions of the bundle, counted from 0.
  package var position: Int
  /// Whether this is the bundle's current version. One version always is, unless it could not be read.
  package var isCurrent: Bool
  /// The `.xcdatamodel` folder.
  package var url: URL
  package var locations: SourceLocations
}
