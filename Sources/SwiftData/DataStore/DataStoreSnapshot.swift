/// A value that a snapshot may hold. Apple: `DataStoreSnapshotValue`.
public typealias DataStoreSnapshotValue = Codable & Sendable

/// The values of one object at one moment, for a custom store to keep.
///
/// SwiftData reads a snapshot through its coding: `encode(to:)` writes a keyed container of ``DataStoreSnapshotCodingKey``
/// with the identifier and the values of the properties, each under the property's Swift name. A to-one relationship is a
/// ``PersistentIdentifier``, a to-many one an array of them. A property that the snapshot leaves out has no value; a to-many
/// relationship that it leaves out is found through its to-one inverse. Apple: `DataStoreSnapshot`.
public protocol DataStoreSnapshot: Codable, Sendable {
  /// The identifier of the object.
  var persistentIdentifier: PersistentIdentifier { get }

  /// Takes the values of an object that a save writes.
  ///
  /// - Parameters:
  ///   - backingData: the object's values.
  ///   - relatedBackingDatas: the backing data of new objects to which relationships lead; add such objects.
  init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData])

  /// The same values under another identifier.
  ///
  /// - Parameters:
  ///   - persistentIdentifier: the new identifier of the object.
  ///   - remappedIdentifiers: replaces identifiers in relationships, usually temporary ones by permanent ones.
  func copy(
    persistentIdentifier: PersistentIdentifier, remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]?
  ) -> Self
}

/// The keys of a coded snapshot. Apple: `DataStoreSnapshotCodingKey`.
public enum DataStoreSnapshotCodingKey: CodingKey, Hashable, Sendable {
  /// The object's identifier.
  case persistentIdentifier
  /// A property by its Swift name.
  case modeledProperty(String)

  /// The text of the key: the name of the property.
  public var stringValue: String {
    switch self {
    case .persistentIdentifier: Self.identifierName
    case .modeledProperty(let name): name
    }
  }

  /// The key of this text.
  public init?(stringValue: String) {
    self = stringValue == Self.identifierName ? .persistentIdentifier : .modeledProperty(stringValue)
  }

  /// `nil`: keys are texts.
  public var intValue: Int? { nil }

  /// Always `nil`: keys are texts.
  public init?(intValue: Int) { nil }

  private static let identifierName = "persistentIdentifier"
}
