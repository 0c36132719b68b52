internal import Foundation
internal import ManagedModel

extension Schema {
  /// The schema as the model of a store: what layouts, version hashes and migrations work from.
  ///
  /// - Throws: ``SwiftDataError/unsupportedSchema`` that says everything that is wrong with the classes.
  func lowered() throws -> ModelDescription {
    if !problems.isEmpty {
      let sentences = problems.map(\.message).sorted()
      throw SwiftDataError(.unsupportedSchema, sentences.joined(separator: "\n"))
    }
    return ModelDescription(
      entities: entities.map { $0.lowered() }, versionIdentifiers: [version.description])
  }
}

extension Schema.Entity {
  fileprivate func lowered() -> EntityDescription {
    EntityDescription(
      name: name, isAbstract: isAbstract, superentityName: superentityName,
      properties: storedProperties.compactMap { property in
        if let attribute = property as? Schema.Attribute { return .attribute(attribute.lowered()) }
        if let relationship = property as? Schema.Relationship {
          return .relationship(relationship.lowered(inverseEntity: relationship.destination))
        }
        return nil
      },
      uniquenessConstraints: uniquenessConstraints, fetchIndexes: loweredIndexes,
      renamingIdentifier: originalName ?? name, versionHashModifier: hashModifier,
      userInfo: userInfo.mapValues { .string($0) })
  }

  /// Indexes are named as SwiftData names them (CD-4).
  private var loweredIndexes: [FetchIndexDescription] {
    indices.enumerated().map { position, names in
      let isRegion = regionIndices.contains(position)
      return FetchIndexDescription(
        name: "SwiftDataIndexOn\(isRegion ? "RTree" : "Binary")\(names.joined())",
        elements: names.map { .init(subject: .property($0), kind: isRegion ? .rTree : .binary) })
    }
  }
}

extension Schema.Attribute {
  fileprivate func lowered() -> AttributeDescription {
    var lowered = AttributeDescription(name: name, type: loweredType, isOptional: isOptional)
    lowered.isTransient = isTransient
    lowered.allowsExternalBinaryDataStorage = options.contains(.externalStorage)
    lowered.allowsCloudEncryption = options.contains(.allowsCloudEncryption)
    lowered.preservesValueInHistoryOnDeletion = options.contains(.preserveValueOnDeletion)
    lowered.isIndexedBySpotlight = options.contains(.spotlight)
    lowered.renamingIdentifier = originalName
    lowered.versionHashModifier = hashModifier
    lowered.defaultValue = loweredDefault
    if let expression = options.lazy.compactMap(\.derivation).first {
      lowered.derivation = .init(expression: expression)
      lowered.isReadOnly = true
    }
    switch lowered.type {
    case .composite: lower(compositeInto: &lowered)
    case .transformable:
      lowered.valueTransformerName = options.lazy.compactMap(\.transformerName).first
      if !isTransformable {
        lowered.valueTransformerName = "NSSecureUnarchiveFromData"
        lowered.valueClassName = "\(unwrappedType)"
      }
    default: break
    }
    return lowered
  }

  private var unwrappedType: any Any.Type { (valueType as? any OptionalType.Type)?.wrappedType ?? valueType }

  private var loweredType: AttributeType {
    if isTransformable { return .transformable }
    if options.contains(.codable) { return .binary }
    switch AttributeLayout.of(valueType).shape {
    case .column(let type): return AttributeType(rawValue: type._attributeType) ?? .undefined
    case .rawValue, .cases, .structure: return .composite
    case .collection: return .transformable
    case .unsupported: return .undefined
    }
  }

  /// Composites as SwiftData writes them: the leaf of an enumeration is optional, the leaves of an optional structure too; a
  /// raw value is marked by the user info (CD-5).
  private func lower(compositeInto lowered: inout AttributeDescription) {
    let layout = AttributeLayout.of(valueType)
    lowered.elements = (layout.leaves(named: name) ?? []).map { leaf in
      Schema.Attribute(name: leaf.name, valueType: leaf.type).lowered()
    }
    switch layout.shape {
    case .rawValue: lowered.userInfo = ["EnumType": .boolean(true)]
    case .cases(let names, _):
      lowered.userInfo = ["EnumType": .boolean(true), "enum": .array(names.map { .string($0) })]
    case .column, .structure, .collection, .unsupported: break
    }
  }

  private var loweredDefault: AttributeValue? {
    switch defaultValue {
    case let value as Bool: .boolean(value)
    case let value as any FixedWidthInteger: .integer(Int64(clamping: value))
    case let value as Double: .double(value)
    case let value as Float: .double(Double(value))
    case let value as Decimal: .decimal(value)
    case let value as String: .string(value)
    case let value as Date: .date(value.timeIntervalSinceReferenceDate)
    case let value as UUID: .uuid(value)
    case let value as URL: .uri(value.absoluteString)
    case let value as Data: .binary(value)
    default: nil
    }
  }
}

extension Schema.Relationship {
  fileprivate func lowered(inverseEntity: String) -> RelationshipDescription {
    let toOne = isToOneRelationship
    let maximum = maximumModelCount ?? 0
    return RelationshipDescription(
      name: name, destinationEntityName: destination, inverseName: inverseName,
      inverseEntityName: inverseName == nil ? nil : inverseEntity, isOptional: isOptional, isTransient: isTransient,
      isOrdered: isOrdered, minimumCount: minimumModelCount ?? 0, maximumCount: toOne ? 1 : maximum,
      deleteRule: deleteRule.lowered, renamingIdentifier: originalName, versionHashModifier: hashModifier)
  }
}

extension Schema.Relationship.DeleteRule {
  fileprivate var lowered: RelationshipDescription.DeleteRule {
    switch self {
    case .noAction: .noAction
    case .nullify: .nullify
    case .cascade: .cascade
    case .deny: .deny
    }
  }
}
