internal import Foundation

/// The identity of an object in its store: the store, the entity, and a key. Apple: `PersistentIdentifier`.
///
/// An object has a temporary identifier until its first save; a temporary identifier then leads to the permanent
/// identifier. A decoded identifier equals the identifier that a fetch returns.
///
/// Takes two words: a shared reference to the entity of a store, and the row's key. Strings, the URI and the coded form
/// are made on demand.
public struct PersistentIdentifier: Sendable {
  let representation: Representation

  enum Representation: Sendable {
    case row(EntityReference, Int64)
    case temporary(TemporaryIdentity)
    /// A key that is not of Core Data's form, from a store of another type.
    case foreign(EntityReference, String)
  }

  init(_ entity: EntityReference, key: Int64) { representation = .row(entity, key) }
  init(_ identity: TemporaryIdentity) { representation = .temporary(identity) }

  /// The identifier of a key in Core Data's spelling, or of any other key.
  init(entity: EntityReference, primaryKey: String) {
    if primaryKey.first == "p", let key = Int64(primaryKey.dropFirst()), key > 0, "p\(key)" == primaryKey {
      representation = .row(entity, key)
    } else {
      representation = .foreign(entity, primaryKey)
    }
  }

  /// The name of the object's entity. Apple: `PersistentIdentifier.entityName`.
  public var entityName: String {
    switch representation {
    case .row(let entity, _), .foreign(let entity, _): entity.name
    case .temporary(let identity): identity.entityName
    }
  }

  /// The identifier of the object's store; `nil` before the first save. Apple: `PersistentIdentifier.storeIdentifier`.
  public var storeIdentifier: String? {
    switch representation {
    case .row(let entity, _), .foreign(let entity, _): entity.storeIdentifier
    case .temporary: nil
    }
  }

  /// Whether the object had no row when this identifier was made.
  var isTemporary: Bool { if case .temporary = representation { true } else { false } }

  /// This identifier if it is permanent; otherwise the identifier after the first save, `nil` before it.
  var permanent: PersistentIdentifier? {
    if case .temporary(let identity) = representation { identity.permanent } else { self }
  }

  /// Core Data's spelling of the key: `p1`, or `t` and a UUID.
  var primaryKey: String {
    switch representation {
    case .row(_, let key): "p\(key)"
    case .foreign(_, let key): key
    case .temporary(let identity): "t\(identity.uuid.uuidString)"
    }
  }

  /// `x-coredata://<store>/<entity>/p<key>`; a temporary identifier has no store and a UUID as its key (CD-10).
  var uriRepresentation: String {
    var allowed = CharacterSet.alphanumerics
    allowed.insert(charactersIn: "-._~")
    func escaped(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: allowed) ?? text }
    return "x-coredata://\(storeIdentifier.map(escaped) ?? "")/\(escaped(entityName))/\(escaped(primaryKey))"
  }

  /// Makes the identifier of an object in a store of any type.
  ///
  /// Apple: `PersistentIdentifier.identifier(for:entityName:primaryKey:)`.
  /// - Throws: nothing today; Apple's declaration throws.
  public static func identifier<Key: Comparable & CustomStringConvertible & Codable & Hashable>(
    for storeIdentifier: String, entityName: String, primaryKey: Key
  ) throws -> PersistentIdentifier {
    PersistentIdentifier(
      entity: EntityReference(storeIdentifier: storeIdentifier, name: entityName), primaryKey: primaryKey.description)
  }
}

extension PersistentIdentifier: Hashable {
  /// Whether both identify the same object; a temporary identifier equals only itself.
  public static func == (left: Self, right: Self) -> Bool {
    switch (left.representation, right.representation) {
    case (.row(let first, let key), .row(let second, let other)): key == other && first == second
    case (.foreign(let first, let key), .foreign(let second, let other)): key == other && first == second
    case (.temporary(let first), .temporary(let second)): first === second || first.uuid == second.uuid
    default: false
    }
  }

  /// Hashes the entity and the key.
  public func hash(into hasher: inout Hasher) {
    switch representation {
    case .row(let entity, let key):
      hasher.combine(entity.nameHash)
      hasher.combine(key)
    case .foreign(let entity, let key):
      hasher.combine(entity.nameHash)
      hasher.combine(key)
    case .temporary(let identity): hasher.combine(identity.uuid)
    }
  }
}

extension PersistentIdentifier: Comparable {
  /// Orders by store, entity and key; temporary identifiers come last. Apple: `PersistentIdentifier.<`.
  public static func < (left: Self, right: Self) -> Bool {
    switch (left.representation, right.representation) {
    case (.row(let first, let key), .row(let second, let other)):
      return first == second ? key < other : first < second
    case (.foreign(let first, let key), .foreign(let second, let other)):
      return first == second ? isKey(key, before: other) : first < second
    case (.temporary(let first), .temporary(let second)):
      return (first.entityName, first.uuid.uuidString) < (second.entityName, second.uuid.uuidString)
    case (.row, _), (.foreign, .temporary): return true
    case (.temporary, _), (.foreign, .row): return false
    }
  }

  /// The order of keys that a client's store has given: integers as numbers, then all others as text.
  private static func isKey(_ key: String, before other: String) -> Bool {
    func integer(_ key: String) -> Int? { Int(key).flatMap { $0.description == key ? $0 : nil } }
    return switch (integer(key), integer(other)) {
    case (let first?, let second?): first < second
    case (nil, nil): key < other
    case (let first, _): first != nil
    }
  }
}

extension PersistentIdentifier: Identifiable {
  /// An opaque value; two are equal if their identifiers are equal. Apple: `PersistentIdentifier.ID`.
  public struct ID: Hashable, Sendable, CustomDebugStringConvertible {
    let identifier: PersistentIdentifier

    /// The identifier's URI.
    public var debugDescription: String { identifier.uriRepresentation }
  }

  /// Apple: `PersistentIdentifier.id`.
  public var id: ID { ID(identifier: self) }
}

// Not `CustomStringConvertible`, which programs add to Apple's type.
extension PersistentIdentifier: CustomDebugStringConvertible {
  /// The identifier's URI.
  public var debugDescription: String { uriRepresentation }
}

extension PersistentIdentifier: Codable {
  private enum CodingKeys: String, CodingKey { case implementation }

  private struct Implementation: Codable {
    var entityName: String
    var isTemporary: Bool
    var primaryKey: String
    var storeIdentifier: String?
    var uriRepresentation: String
  }

  /// Reads Apple's coded form.
  ///
  /// A temporary identifier that this process has coded leads to its object, also after the save, as long as the program holds the object
  /// or an identifier of it. One of another process identifies no object here.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let coded = try container.decode(Implementation.self, forKey: .implementation)
    if coded.isTemporary {
      guard coded.primaryKey.first == "t", let uuid = UUID(uuidString: String(coded.primaryKey.dropFirst())) else {
        throw DecodingError.dataCorruptedError(
          forKey: .implementation, in: container,
          debugDescription: "The key of a temporary identifier is 't' and a UUID, not '\(coded.primaryKey)'.")
      }
      self.init(TemporaryIdentity.decoded(entityName: coded.entityName, uuid: uuid))
    } else {
      let entity = EntityReference(storeIdentifier: coded.storeIdentifier ?? "", name: coded.entityName)
      self.init(entity: entity, primaryKey: coded.primaryKey)
    }
  }

  /// Writes Apple's coded form: `implementation` with the names, the key and the URI.
  public func encode(to encoder: any Encoder) throws {
    if case .temporary(let identity) = representation { identity.noteCoding() }
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(
      Implementation(
        entityName: entityName, isTemporary: isTemporary, primaryKey: primaryKey, storeIdentifier: storeIdentifier,
        uriRepresentation: uriRepresentation),
      forKey: .implementation)
  }
}

/// An entity of a store, shared by the identifiers of its objects.
///
/// Two references with the same store identifier and entity name are equal, so decoded identifiers need no registry.
final class EntityReference: Sendable, Equatable, Comparable {
  let storeIdentifier: String
  let name: String
  /// The hash of both names, computed once; its seed is the process's.
  let nameHash: Int

  init(storeIdentifier: String, name: String) {
    self.storeIdentifier = storeIdentifier
    self.name = name
    var hasher = Hasher()
    hasher.combine(storeIdentifier)
    hasher.combine(name)
    nameHash = hasher.finalize()
  }

  static func == (left: EntityReference, right: EntityReference) -> Bool {
    left === right
      || (left.nameHash == right.nameHash && left.name == right.name
        && left.storeIdentifier == right.storeIdentifier)
  }

  static func < (left: EntityReference, right: EntityReference) -> Bool {
    (left.storeIdentifier, left.name) < (right.storeIdentifier, right.name)
  }
}
