/// One version of a program's models. Apple: `VersionedSchema`.
public protocol VersionedSchema: SendableMetatype {
  /// The model classes of this version.
  static var models: [any PersistentModel.Type] { get }
  /// The version's number.
  static var versionIdentifier: Schema.Version { get }
  /// Fetch request templates of this version's model; none by default. Not in Apple's framework.
  static var fetchRequests: [Schema.FetchRequest] { get }
  /// Named sets of this version's entities; none by default. Not in Apple's framework.
  static var configurations: [Schema.Configuration] { get }
}

extension VersionedSchema {
  /// No templates.
  public static var fetchRequests: [Schema.FetchRequest] { [] }
  /// No configurations.
  public static var configurations: [Schema.Configuration] { [] }
}
