internal import Foundation

/// The values of an object, in a form that any coder can write and read again; the usual snapshot of a custom store.
///
/// It codes the identifier as Apple's SwiftData does, and each property under its name: an attribute as its type codes it, a
/// transformable attribute as the transformed bytes, a relationship as identifiers. It is decoded with the types of the open
/// container's classes. Apple: `DefaultSnapshot`.
public struct DefaultSnapshot: DataStoreSnapshot, @unchecked Sendable {
  /// The identifier of the object.
  public let persistentIdentifier: PersistentIdentifier
  /// The values by the properties' Swift names; a property without a value is missing.
  private(set) var values: [String: any Codable] = [:]
  /// The first value that cannot be coded, and why.
  private(set) var problem: String?

  /// Takes the values of an object.
  public init(from backingData: any BackingData, relatedBackingDatas: inout [PersistentIdentifier: any BackingData]) {
    func properties<Source: BackingData>(_ source: Source) -> (String, [(ModelClass.Property, Any?)]) {
      let model = ModelClass.of(Source.Model.self)
      let reader = BackingDataReader(source)
      return (model.entityName, model.properties.filter { !$0.isTransient }.map { ($0, reader.value(of: $0)) })
    }
    let (entityName, properties) = properties(backingData)
    persistentIdentifier =
      backingData.persistentModelID ?? PersistentIdentifier(TemporaryIdentity(entityName: entityName))
    for (property, value) in properties {
      if property.relationshipType == nil {
        takeAttribute(property, value)
      } else {
        takeRelationship(property, value, &relatedBackingDatas)
      }
    }
  }

  private mutating func takeAttribute(_ property: ModelClass.Property, _ value: Any?) {
    guard let value, let content = (value as? any OptionalType).map({ $0.wrappedValue }) ?? value else { return }
    do {
      if let option = property.attribute?.options.first(where: \.isOpaque), option != .codable {
        values[property.name] = try OpaqueValue(option).bytes(of: content)
      } else if let codable = content as? any Codable {
        values[property.name] = codable
      } else {
        throw OpaqueValue.Problem(reason: OpaqueValue.notEncodable + ".")
      }
    } catch {
      let reason = (error as? OpaqueValue.Problem)?.reason ?? "\(error)"
      problem = problem ?? "\(persistentIdentifier.entityName).\(property.name): \(reason)"
    }
  }

  private mutating func takeRelationship(
    _ property: ModelClass.Property, _ value: Any?, _ related: inout [PersistentIdentifier: any BackingData]
  ) {
    let content = (value as? any OptionalType).map { $0.wrappedValue } ?? value
    if let object = content as? any PersistentModel {
      values[property.name] = Self.identifier(of: object, &related)
    } else if let objects = content as? [any PersistentModel] {
      values[property.name] = objects.map { Self.identifier(of: $0, &related) }
    }
  }

  /// The identifier of a related object; a new object's backing data joins the related ones.
  private static func identifier<Model: PersistentModel>(
    of object: Model, _ related: inout [PersistentIdentifier: any BackingData]
  ) -> PersistentIdentifier {
    let identifier = object.persistentModelID
    if identifier.isTemporary { related[identifier] = object.persistentBackingData }
    return identifier
  }

  /// The same values under another identifier.
  public func copy(
    persistentIdentifier: PersistentIdentifier,
    remappedIdentifiers: [PersistentIdentifier: PersistentIdentifier]? = nil
  ) -> DefaultSnapshot {
    var copy = DefaultSnapshot(persistentIdentifier, values)
    copy.problem = problem
    guard let remappedIdentifiers, !remappedIdentifiers.isEmpty else { return copy }
    copy.values = values.mapValues { value in
      switch value {
      case let identifier as PersistentIdentifier: remappedIdentifiers[identifier] ?? identifier
      case let identifiers as [PersistentIdentifier]: identifiers.map { remappedIdentifiers[$0] ?? $0 }
      default: value
      }
    }
    return copy
  }

  private init(_ persistentIdentifier: PersistentIdentifier, _ values: [String: any Codable]) {
    self.persistentIdentifier = persistentIdentifier
    self.values = values
  }
}

extension DefaultSnapshot {
  /// Writes the identifier and the values, in the order of their names; a property without a value is left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    try container.encode(persistentIdentifier, forKey: .persistentIdentifier)
    for (name, value) in values.sorted(by: { $0.key < $1.key }) {
      try container.encode(value, forKey: .modeledProperty(name))
    }
  }

  /// Reads the identifier, and the values of the properties that the entity's class has.
  ///
  /// - Throws: `DecodingError`, also for an entity whose class no open container has.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: DataStoreSnapshotCodingKey.self)
    let identifier = try container.decode(PersistentIdentifier.self, forKey: .persistentIdentifier)
    guard let model = SnapshotClasses.model(of: identifier.entityName) else {
      throw DecodingError.dataCorruptedError(
        forKey: .persistentIdentifier, in: container,
        debugDescription:
          "A snapshot is of entity \"\(identifier.entityName)\", for which no open container has a class: give the class to ModelContainer(for:)."
      )
    }
    self.init(identifier, [:])
    func value<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Any? {
      try container.decodeIfPresent(type, forKey: .modeledProperty(name))
    }
    for property in model.properties where !property.isTransient {
      guard let type = Self.codedType(of: property) else { continue }
      values[property.name] = try value(type, property.name) as? any Codable
    }
  }

  /// The type under which the coded form has a property's value.
  private static func codedType(of property: ModelClass.Property) -> (any Decodable.Type)? {
    if let relationship = property.relationshipType {
      return relationship.isToMany ? [PersistentIdentifier].self : PersistentIdentifier.self
    }
    if let option = property.attribute?.options.first(where: \.isOpaque), option != .codable { return Data.self }
    let type = (property.valueType as? any OptionalType.Type)?.wrappedType ?? property.valueType
    return type as? any Decodable.Type
  }
}
