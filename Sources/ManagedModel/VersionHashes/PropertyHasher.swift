import Crypto
import Foundation

/// Computes the hash of one property from its declaration (VH-4 … VH-9).
struct PropertyHasher {
  private let graph: EntityGraph

  init(_ graph: EntityGraph) {
    self.graph = graph
  }

  /// The property's hash; `nil` for what is not hashed: transient and fetched properties.
  func hash(
    of property: PropertyDescription, declaredBy entity: EntityDescription
  ) throws(VersionHashError) -> Data? {
    if property.isTransient { return nil }
    switch property {
    case .attribute(let attribute): return try hash(of: attribute, in: entity)
    case .relationship(let relationship): return try hash(of: relationship, in: entity)
    case .fetchedProperty: return nil
    }
  }

  private func hash(of attribute: AttributeDescription, in entity: EntityDescription) throws(VersionHashError) -> Data {
    if let derivation = attribute.derivation {
      return try hash(of: derivation, of: attribute, in: entity)
    }
    if attribute.type == .composite {
      return try hash(ofElementsOf: attribute, in: entity)
    }
    var flags: UInt16 = 0
    if attribute.isOptional { flags |= 1 }
    if attribute.isTransient { flags |= 2 }
    if attribute.isReadOnly { flags |= 4 }
    var input = base(name: attribute.name, flags: flags, modifier: attribute.versionHashModifier)
    input.append(littleEndian: attribute.type.rawValue)
    if attribute.allowsExternalBinaryDataStorage { input.append(1) }
    if attribute.preservesValueInHistoryOnDeletion { input.append(1) }
    return input.sha256
  }

  /// VH-7.
  private func hash(
    of derivation: AttributeDescription.Derivation, of attribute: AttributeDescription, in entity: EntityDescription
  ) throws(VersionHashError) -> Data {
    guard let format = derivation.expressionFormat else {
      throw .unsupportedDerivation(
        entity: entity.name, attribute: attribute.name, expression: derivation.expression)
    }
    return Data((format + (derivation.filteringPredicate ?? "")).utf8).sha256
  }

  /// VH-8; leaves of nested composites stand among the others, as that rule says without having seen one.
  private func hash(
    ofElementsOf composite: AttributeDescription, in entity: EntityDescription
  ) throws(VersionHashError) -> Data {
    var leaves: [AttributeDescription] = []
    var pending = composite.elements
    while let element = pending.popLast() {
      if element.type == .composite {
        pending.append(contentsOf: element.elements)
      } else if !element.isTransient {
        leaves.append(element)
      }
    }
    leaves.sort { codeUnitOrder($0.name, $1.name) }
    var input = Data()
    for leaf in leaves { input.append(try hash(of: leaf, in: entity)) }
    return input.sha256
  }

  /// VH-6.
  private func hash(
    of relationship: RelationshipDescription, in entity: EntityDescription
  ) throws(VersionHashError) -> Data {
    guard let maximum = Int32(exactly: relationship.maximumCount),
      let minimum = Int32(exactly: relationship.minimumCount)
    else { throw .countOutOfRange(entity: entity.name, relationship: relationship.name) }
    var flags: UInt16 = 0
    if relationship.isOptional { flags |= 1 }
    if relationship.isTransient { flags |= 2 }
    var input = base(name: relationship.name, flags: flags, modifier: relationship.versionHashModifier)
    input.append(contentsOf: relationship.destinationEntityName.utf8)
    if let inverse = relationship.inverseName, !isItsOwnInverse(relationship, in: entity) {
      input.append(contentsOf: inverse.utf8)
    }
    input.append(littleEndian: maximum)
    input.append(littleEndian: minimum)
    if relationship.isOrdered { input.append(littleEndian: UInt16(1)) }
    return input.sha256
  }

  /// A relationship is its own inverse if the inverse has its name and both come down from one declaration.
  private func isItsOwnInverse(_ relationship: RelationshipDescription, in entity: EntityDescription) -> Bool {
    guard relationship.inverseName == relationship.name else { return false }
    let inverseEntity = relationship.inverseEntityName ?? relationship.destinationEntityName
    guard let owner = graph.declaringEntity(of: relationship.name, in: inverseEntity) else { return false }
    return owner.name == graph.declaringEntity(of: relationship.name, in: entity.name)?.name
  }

  /// VH-4.
  private func base(name: String, flags: UInt16, modifier: String?) -> Data {
    var input = Data(name.utf8)
    input.append(littleEndian: flags)
    input.append(contentsOf: (modifier ?? "").utf8)
    return input.sha256
  }
}

extension Data {
  fileprivate mutating func append(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }

  fileprivate var sha256: Data { Data(SHA256.hash(data: self)) }
}
