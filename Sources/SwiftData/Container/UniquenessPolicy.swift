package import StoreRequests

/// What a save does with a new object whose unique values are taken (`.unique`, `#Unique`).
///
/// Another object has these values already, in the store or among the new objects. Not in Apple's framework.
///
///     context.uniquenessPolicy = .keepExisting
///
/// A successful save gives both objects the same row. `ModelContext.didSave` names this row under
/// `NotificationKey.mergedIdentifiers`. A custom ``DataStore`` keeps unique values unique in its own way.
public enum UniquenessPolicy: Sendable, Hashable {
  /// The row takes all values of the new object. Apple's framework does this.
  case upsert
  /// The row keeps its values, and the new object takes them.
  ///
  /// Objects that refer to the new object refer to the row afterwards. The row's to-many relationships gain the members of the new object.
  case keepExisting
  /// The save writes nothing and throws ``SwiftDataError/modelValidationFailure``, which names the entity and the properties.
  case fail

  /// The policy as engines know it.
  package var duplicates: ChangeSet.DuplicatePolicy {
    switch self {
    case .upsert: .overwrite
    case .keepExisting: .keep
    case .fail: .fail
    }
  }
}
