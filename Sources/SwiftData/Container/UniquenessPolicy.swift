internal import StoreRequests

/// What a save does with a new object whose unique values are taken (`.unique`, `#Unique`).
///
/// Another object has these values already, in the store or among the new objects. Not in Apple's framework.
///
///     context.uniquenessPolicy = .keepExisting
///
/// After a successful save, both objects are objects of one row, and `ModelContext.didSave` names the row under
/// `NotificationKey.mergedIdentifiers`. A custom ``DataStore`` keeps unique values unique in its own way.
public enum UniquenessPolicy: Sendable, Hashable {
  /// The row takes all values of the new object. Apple's framework does this.
  case upsert
  /// The row keeps its values, and the new object takes them.
  ///
  /// References to the new object become references to the row. The row's to-many relationships gain the members of the new object.
  case keepExisting
  /// The save writes nothing and throws ``SwiftDataError/modelValidationFailure``, which names the entity and the properties.
  case fail

  var duplicates: ChangeSet.DuplicatePolicy {
    switch self {
    case .upsert: .overwrite
    case .keepExisting: .keep
    case .fail: .fail
    }
  }
}
