/// A collection of models that is the value of a to-many relationship: an array, or an optional one.
///
/// A set of models is no relationship. Apple: `RelationshipCollection`.
public protocol RelationshipCollection {
  /// The class of the members.
  associatedtype PersistentElement: PersistentModel
}

extension Array: RelationshipCollection where Element: PersistentModel {
  /// The class of the members.
  public typealias PersistentElement = Element
}

extension Optional: RelationshipCollection where Wrapped: Sequence, Wrapped.Element: PersistentModel {
  /// The class of the members.
  public typealias PersistentElement = Wrapped.Element
}
