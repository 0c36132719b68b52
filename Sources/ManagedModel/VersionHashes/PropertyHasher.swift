import Crypto

/// Computes the hash of one property from its declaration (VH-4 … VH-9).
struct PropertyHasher {
  private let graph: EntityGraph

  init(_ graph: EntityGraph) {
    self.graph = graph
  }

  /// The property's hash; `nil` for transient and fetched properties, which are not hashed.
  func hash(
    of property: PropertyDescription, declaredBy entity: EntityDescription
  ) throws(VersionHashError) -> SHA256.Digest? {
    if property.isTransient { return nil }
    switch property {
    case .attribute(let attribute): return try hash(of: attribute, in: entity)
    case .relationship(let relationship): return try hash(of: relationship, in: entity)
    case .fetchedProperty: return nil
    }
  }

  private func hash(of attribute: AttributeDescription, in entity: EntityDescription) throws(VersionHashError)
    -> SHA256.Digest
  {
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
    var function = SHA256()
    function.update(base(name: attribute.name, flags: flags, modifier: attribute.versionHashModifier))
    function.update(littleEndian: attribute.type.rawValue)
    if attribute.allowsExternalBinaryDataStorage { function.update(littleEndian: 1 as UInt8) }
    if attribute.preservesValueInHistoryOnDeletion { function.update(littleEndian: 1 as UInt8) }
    return function.finalize()
  }

  /// VH-7.
  private func hash(
    of derivation: AttributeDescription.Derivation, of attribute: AttributeDescription, in entity: EntityDescription
  ) throws(VersionHashError) -> SHA256.Digest {
    guard let format = derivation.expressionFormat else {
      throw .unsupportedDerivation(
        entity: entity.name, attribute: attribute.name, expression: derivation.expression)
    }
    var function = SHA256()
    function.update(format)
    function.update(derivation.filteringPredicate ?? "")
    return function.finalize()
  }

  /// VH-8. Leaves of nested composites are sorted among the other leaves; the rule says so, but no example confirms it.
  private func hash(
    ofElementsOf composite: AttributeDescription, in entity: EntityDescription
  ) throws(VersionHashError) -> SHA256.Digest {
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
    var function = SHA256()
    for leaf in leaves { function.update(try hash(of: leaf, in: entity)) }
    return function.finalize()
  }

  /// VH-6.
  private func hash(
    of relationship: RelationshipDescription, in entity: EntityDescription
  ) throws(VersionHashError) -> SHA256.Digest {
    guard let maximum = Int32(exactly: relationship.maximumCount),
      let minimum = Int32(exactly: relationship.minimumCount)
    else { throw .countOutOfRange(entity: entity.name, relationship: relationship.name) }
    var flags: UInt16 = 0
    if relationship.isOptional { flags |= 1 }
    if relationship.isTransient { flags |= 2 }
    var function = SHA256()
    function.update(base(name: relationship.name, flags: flags, modifier: relationship.versionHashModifier))
    function.update(relationship.destinationEntityName)
    if let inverse = relationship.inverseName, !isItsOwnInverse(relationship, in: entity) {
      function.update(inverse)
    }
    function.update(littleEndian: maximum)
    function.update(littleEndian: minimum)
    if relationship.isOrdered { function.update(littleEndian: 1 as UInt16) }
    return function.finalize()
  }

  /// A relationship is its own inverse if the inverse has its name and the same entity declares both.
  private func isItsOwnInverse(_ relationship: RelationshipDescription, in entity: EntityDescription) -> Bool {
    guard relationship.inverseName == relationship.name else { return false }
    let inverseEntity = relationship.inverseEntityName ?? relationship.destinationEntityName
    guard let owner = graph.declaringEntity(of: relationship.name, in: inverseEntity) else { return false }
    return owner.name == graph.declaringEntity(of: relationship.name, in: entity.name)?.name
  }

  /// VH-4.
  private func base(name: String, flags: UInt16, modifier: String?) -> SHA256.Digest {
    var function = SHA256()
    function.update(name)
    function.update(littleEndian: flags)
    function.update(modifier ?? "")
    return function.finalize()
  }
}

/// Feeds values to the hash function directly, without a buffer.
extension SHA256 {
  mutating func update(_ text: String) {
    var text = text
    text.withUTF8 { update(bufferPointer: UnsafeRawBufferPointer($0)) }
  }

  mutating func update(littleEndian value: some FixedWidthInteger) {
    Swift.withUnsafeBytes(of: value.littleEndian) { update(bufferPointer: $0) }
  }

  mutating func update(_ digest: Digest) {
    digest.withUnsafeBytes { update(bufferPointer: $0) }
  }
}
