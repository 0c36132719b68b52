public import Foundation

/// How a configuration's store is migrated. Not in Apple's framework.
///
///     var configuration = ModelConfiguration(url: url)
///     configuration.migration.backup = url.appendingPathExtension("backup")
public struct MigrationOptions: Sendable {
  /// Whether the changes are inferred for a store whose version the plan does not list; `false` by default: opening throws.
  ///
  /// They are always inferred without a plan, and with a plan of one version.
  ///
  /// Even if it is `true`, opening throws if the store has a greater version number than the schema and would lose a property.
  public var infersUnlistedVersions = false
  /// Where the store is copied before a migration, with its files of big values; `nil` by default.
  ///
  /// The copy is never removed, and replaces an earlier store at that place. Two stores in a folder whose names have the same stem, such as
  /// `a.store` and `a.backup`, share one folder of big values. If the copy would share that of another store, opening throws and migrates
  /// nothing.
  ///
  /// A failed migration leaves the store unchanged, even without a backup.
  public var backup: URL?
  /// The treatment of rows that a new uniqueness constraint finds with equal values; `fail` by default, as in Core Data.
  ///
  ///     configuration.migration.uniquenessPolicy = .keepExisting
  ///
  /// - `fail`: opening throws ``SwiftDataError/loadIssueModelContainer``, which names the class, the properties, the number of rows and a value.
  /// - `keepExisting`: the oldest row is kept, with its values.
  /// - `upsert`: the newest row is kept, with its values.
  ///
  /// References to the other rows become references to the kept row, which also gains the members of their to-many relationships. Then
  /// the other rows are deleted by their delete rules. History records the changes, and a warning is logged.
  public var uniquenessPolicy = UniquenessPolicy.fail
  /// Is called before each stage and at the end, on the thread that opens the container.
  public var progress: (@Sendable (MigrationProgress) -> Void)?

  /// The defaults.
  public init() {}
}

/// How far a migration has come. Not in Apple's framework.
public struct MigrationProgress: Sendable, Hashable {
  /// The store's file; for a database, its description as a URL.
  public let store: URL
  /// The number of stages that are done.
  public let completedStages: Int
  /// The number of stages from the store's version to the container's; 1 for a migration without a plan.
  public let stageCount: Int
  /// The stage that begins, such as "TripsV1 to TripsV2"; `nil` at the end.
  public let stage: String?

  /// From 0 to 1.
  public var fractionCompleted: Double { Double(completedStages) / Double(max(1, stageCount)) }
}
