public import Foundation

/// How a configuration's store is migrated. Not in Apple's framework.
///
///     var configuration = ModelConfiguration(url: url)
///     configuration.migration.backup = url.appendingPathExtension("backup")
public struct MigrationOptions: Sendable {
  /// Whether the changes are inferred for a store whose version the plan does not list; `false` by default: opening throws.
  public var infersUnlistedVersions = false
  /// Where the store as it was is copied before a migration, with its files of big values; `nil` by default.
  ///
  /// The copy stays. It replaces an earlier store at that place. Its name must differ from the names of other stores in the folder in more
  /// than the extension, because such stores have one folder of big values; opening throws otherwise, and migrates nothing.
  ///
  /// A migration that fails leaves the store as it was also without a backup.
  public var backup: URL?
  /// The treatment of rows that a new uniqueness constraint finds with equal values; `fail` by default, as in Core Data.
  ///
  ///     configuration.migration.uniquenessPolicy = .keepExisting
  ///
  /// - `fail`: opening throws ``SwiftDataError/loadIssueModelContainer``, which names the class, the properties, the number of rows and a value.
  /// - `keepExisting`: the oldest row stays, with its values.
  /// - `upsert`: the newest row stays, with its values.
  ///
  /// The row that stays stands for the others: objects that lead to them lead to it, and it gains the members of their to-many
  /// relationships. Then the others are deleted by their delete rules. History records the changes, and a warning is logged. A database
  /// server's configuration takes `fail` only.
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
