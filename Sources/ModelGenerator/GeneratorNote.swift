/// Something of the model that the generated source does not express, or expresses in another way.
public struct GeneratorNote: Sendable, Hashable {
  /// How much it matters.
  public var severity: Severity
  /// The name of the model version, for example `Library 3`.
  public var version: String
  /// The entity, or `nil` for what belongs to the whole model.
  public var entity: String?
  /// The property of the entity, if it is about one.
  public var property: String?
  /// What is not expressed, as a phrase without a full stop.
  public var what: String
  /// What to do about it, as a phrase without a full stop.
  public var remedy: String

  /// A warning changes what the store holds or which hash an entity has; a note does not.
  public enum Severity: String, Sendable, Hashable {
    /// The generated classes differ from the model in what is stored.
    case warning
    /// The generated classes store the same, but do less.
    case note
  }

  /// `Book.isbn: what`, as comments and diagnostics begin.
  public var subject: String {
    switch (entity, property) {
    case (let entity?, let property?): "\(entity).\(property): \(what)"
    case (let entity?, nil): "\(entity): \(what)"
    default: what
    }
  }
}
