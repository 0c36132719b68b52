internal import ErrorReporting
internal import Foundation
internal import ManagedModel

extension Schema {
  /// The schema as a managed model, from which layouts, version hashes and migrations are made.
  ///
  /// - Throws: ``SwiftDataError/unsupportedSchema`` with every problem of the classes; without one, with the problems of the model.
  func lowered() throws -> ModelDescription {
    if !problems.isEmpty {
      let sentences = problems.map(\.message).sorted()
      throw SwiftDataError(.unsupportedSchema, sentences.joined(separator: "\n"))
    }
    let model = ModelDescription(
      entities: entities.map { $0.lowered() },
      configurations: configurations.map {
        ConfigurationDescription(name: $0.name, entityNames: $0.entityNames, usedWithCloudKit: $0.usesCloudKit)
      },
      fetchRequestTemplates: fetchRequests.map { $0.lowered() }, versionIdentifiers: [version.description])
    // Nothing else checks the names that macros give to properties, and entities that a program describes without a class.
    let errors = model.validate().filter { $0.severity == .error }
    guard errors.isEmpty else {
      throw SwiftDataError(
        .unsupportedSchema, abbreviatedList(errors.map(\.fullMessage), limit: Self.toldProblems, separator: "\n"))
    }
    return model
  }

  /// The number of the model's problems in a message.
  private static let toldProblems = 20
}

extension Schema.Entity {
  fileprivate func lowered() -> EntityDescription {
    let indexes = DeclaredIndex.lowered(declaredIndexes)
    let flagged = Set(indexes.compactMap(\.onlyProperty))
    return EntityDescription(
      name: name, className: className, isAbstract: isAbstract, superentityName: superentityName,
      properties: storedProperties.compactMap { property in
        if let attribute = property as? Schema.Attribute {
          var lowered = attribute.lowered()
          lowered.isIndexed = flagged.contains(attribute.name)
          return .attribute(lowered)
        }
        if let relationship = property as? Schema.Relationship {
          return .relationship(relationship.lowered(inverseEntity: relationship.destination))
        }
        return nil
      } + fetchedProperties.map { .fetchedProperty($0.lowered()) },
      uniquenessConstraints: uniquenessConstraints, fetchIndexes: indexes,
      compoundIndexes: indexes.compactMap(\.properties).filter { $0.count > 1 },
      renamingIdentifier: originalName ?? name, versionHashModifier: hashModifier,
      userInfo: userInfo.mapValues { $0.lowered() }, coreSpotlightDisplayName: spotlightDisplayName)
  }
}

extension Schema.Attribute {
  func lowered() -> AttributeDescription {
    var lowered = AttributeDescription(name: name, type: loweredType, isOptional: isOptional)
    lowered.isTransient = isTransient
    lowered.allowsExternalBinaryDataStorage = options.contains(.externalStorage)
    lowered.allowsCloudEncryption = options.contains(.allowsCloudEncryption)
    lowered.preservesValueInHistoryOnDeletion = options.contains(.preserveValueOnDeletion)
    lowered.isIndexedBySpotlight = options.contains(.spotlight)
    lowered.renamingIdentifier = originalName
    lowered.versionHashModifier = hashModifier
    lowered.defaultValue = loweredDefault
    lower(optionsInto: &lowered)
    switch lowered.type {
    case .composite: lower(compositeInto: &lowered)
    case .binary where isJSON: lowered.contents = .json
    case .transformable:
      lowered.valueTransformerName = options.lazy.compactMap(\.transformerName).first
      if !isTransformable {
        lowered.valueTransformerName = "NSSecureUnarchiveFromData"
        lowered.valueClassName = "\(unwrappedType)"
        lowered.contents = AttributeLayout.of(valueType).arrayElement.map { .array(of: $0) } ?? .archive
      }
      for case .valueClass(let name) in options.map(\.kind) { lowered.valueClassName = name }
    default: break
    }
    lower(initialValueInto: &lowered)
    return lowered
  }

  private var unwrappedType: any Any.Type { (valueType as? any OptionalType.Type)?.wrappedType ?? valueType }

  /// Whether the bytes are JSON: by the option, or since the type encodes itself as a list.
  private var isJSON: Bool {
    if options.contains(.codable) { return true }
    guard !isTransformable, case .list = AttributeLayout.of(valueType).shape else { return false }
    return true
  }

  private var loweredType: AttributeType {
    if isTransformable { return .transformable }
    if options.contains(.untyped) { return .undefined }
    if options.contains(.objectIdentifier) { return .objectID }
    if options.contains(.codable) { return .binary }
    switch AttributeLayout.of(valueType).shape {
    case .column(let type): return AttributeType(rawValue: type._attributeType) ?? .undefined
    case .singleValue(let leaf): return AttributeType(rawValue: leaf.type._attributeType) ?? .undefined
    case .rawValue, .cases, .variants, .structure: return .composite
    case .collection: return .transformable
    case .list: return .binary
    case .unsupported: return .undefined
    }
  }

  /// Adds the elements of a composite as SwiftData writes them (CD-5).
  ///
  /// The leaf of an enumeration is optional, and so are the leaves of an optional structure. The user info marks a raw
  /// value.
  private func lower(compositeInto lowered: inout AttributeDescription) {
    let layout = AttributeLayout.of(valueType)
    if let composite = unwrappedType as? any CompositeValue.Type {
      return composite.lower(into: &lowered)
    }
    lowered.elements = (layout.leaves(named: name) ?? []).map { leaf in
      Schema.Attribute(name: leaf.name, valueType: leaf.type).lowered()
    }
    for index in lowered.elements.indices where layout.jsonLeaves.contains(lowered.elements[index].name) {
      lowered.elements[index].contents = .json
    }
    switch layout.shape {
    case .rawValue: lowered.userInfo["EnumType"] = .boolean(true)
    case .cases(let names, _):
      lowered.userInfo["EnumType"] = .boolean(true)
      lowered.userInfo["enum"] = .array(names.map { .string($0) })
    case .variants(let cases):
      lowered.userInfo["EnumType"] = .boolean(true)
      lowered.userInfo["enum"] = .array(cases.map { .string($0.name) })
      for (index, payload) in cases.flatMap(\.payloadElements).enumerated() {
        lowered.elements[index].payload = payload
      }
    case .column, .singleValue, .structure, .collection, .list, .unsupported: break
    }
  }

  private var loweredDefault: AttributeValue? {
    switch defaultValue {
    case let value as Bool: .boolean(value)
    // A column has the bits of an unsigned number.
    case let value as any FixedWidthInteger: .integer(Int64(truncatingIfNeeded: value))
    case let value as Double: .double(value)
    case let value as Float: .double(Double(value))
    case let value as CGFloat: .double(Double(value))
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
    var lowered = RelationshipDescription(
      name: name, destinationEntityName: destination, inverseName: inverseName,
      inverseEntityName: inverseName == nil ? nil : inverseEntity, isOptional: isOptional, isTransient: isTransient,
      isOrdered: isOrdered, minimumCount: minimumModelCount ?? 0, maximumCount: toOne ? 1 : maximum,
      deleteRule: deleteRule.lowered, isIndexedBySpotlight: options.contains(.spotlight),
      isStoredInExternalRecord: options.contains(.externalRecord), renamingIdentifier: originalName,
      versionHashModifier: hashModifier)
    for option in options {
      switch option.kind {
      case .userInfo(let userInfo): lowered.userInfo = userInfo.mapValues { $0.lowered() }
      case .inverse(let name, let entity):
        lowered.inverseName = name
        lowered.inverseEntityName = entity
      default: break
      }
    }
    return lowered
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
