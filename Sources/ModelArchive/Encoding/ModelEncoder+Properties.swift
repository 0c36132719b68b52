import Foundation
import ManagedModel

extension ModelEncoder {
  /// Fills a property's object; false if it has to be left out.
  mutating func encode(
    _ property: PropertyDescription, as reference: ArchiveBuilder.Reference, of entity: String
  ) throws -> Bool {
    switch property {
    case .attribute(let attribute): try encode(attribute, as: reference, of: entity)
    case .relationship(let relationship): encode(relationship, as: reference, of: entity)
    case .fetchedProperty(let property): return encode(property, as: reference, of: entity)
    }
    return true
  }

  private mutating func encode(
    _ attribute: AttributeDescription, as reference: ArchiveBuilder.Reference, of entity: String
  ) throws {
    let flags =
      (attribute.allowsExternalBinaryDataStorage ? ModelDecoder.Flags.externalStorage : 0)
      | (attribute.preservesValueInHistoryOnDeletion ? ModelDecoder.Flags.preservedOnDeletion : 0)
    let className = attribute.valueClassName ?? attribute.type.standardClassName
    let validation = validation(of: attribute)
    var bits: PropertyBits = validation == nil ? [.noValidation] : []
    if attribute.isOptional { bits.insert(.optional) }
    if attribute.isTransient { bits.insert(.transient) }
    if attribute.isReadOnly { bits.insert(.readOnly) }
    if attribute.allowsCloudEncryption { bits.insert(.cloudEncryption) }
    var fields = common(
      name: attribute.name, entity: entity, renaming: attribute.renamingIdentifier,
      modifier: attribute.versionHashModifier, userInfo: attribute.userInfo, bits: bits)
    fields += [
      ("NSAttributeType", .integer(Int(attribute.type.rawValue))),
      ("NSAttributeValueClassName", .reference(builder.string(className))),
      ("NSDefaultValue", .reference(builder.value(attribute.defaultValue))), ("NSFlagsKey", .integer(flags)),
      ("NSValueTransformerName", .reference(builder.string(attribute.valueTransformerName))),
    ]
    if attribute.isIndexed { fields.append(("NSIsIndexed", .flag(true))) }
    if attribute.allowsCloudEncryption { fields.append(("NSAllowsCloudEncryption", .flag(true))) }
    fields += validation ?? []
    var archivedClass = ArchivedClass.attribute
    if let derivation = attribute.derivation {
      archivedClass = .derivedAttribute
      fields += try encode(derivation, of: attribute.name, entity)
    } else if attribute.type == .composite {
      archivedClass = .compositeAttribute
      var elements: [ArchiveBuilder.Reference] = []
      for element in attribute.elements {
        let reference = builder.reserve()
        try encode(element, as: reference, of: entity)
        elements.append(reference)
      }
      fields.append(("NSCompositeElements", .reference(builder.list(.mutableArray, elements))))
    }
    builder.fill(reference, archivedClass, fields)
  }

  private mutating func encode(
    _ derivation: AttributeDescription.Derivation, of attribute: String, _ entity: String
  ) throws -> [(String, ArchiveBuilder.Field)] {
    guard let tree = derivation.expressionFormat.flatMap(PredicateParser.expression),
      let expression = builder.expression(tree)
    else {
      throw ModelArchiveError.unwritable(
        entity: entity, property: attribute, what: "the derivation \(quoted(derivation.expression))")
    }
    var predicate = ArchiveBuilder.Reference.null
    if let format = derivation.filteringPredicate {
      guard let tree = PredicateParser.predicate(format), let reference = builder.predicate(tree) else {
        throw ModelArchiveError.unwritable(
          entity: entity, property: attribute, what: "the filtering predicate \(quoted(format))")
      }
      predicate = reference
    }
    return [("NSDerivationExpression", .reference(expression)), ("NSFilteringPredicate", .reference(predicate))]
  }

  private mutating func encode(
    _ relationship: RelationshipDescription, as reference: ArchiveBuilder.Reference, of entity: String
  ) {
    let owner = relationship.inverseEntityName ?? relationship.destinationEntityName
    let inverse = relationship.inverseName.flatMap { properties[owner]?[$0] } ?? .null
    var bits: PropertyBits = [.noValidation]
    if relationship.isOptional { bits.insert(.optional) }
    if relationship.isTransient { bits.insert(.transient) }
    if relationship.isOrdered { bits.insert(.ordered) }
    var fields = common(
      name: relationship.name, entity: entity, renaming: relationship.renamingIdentifier,
      modifier: relationship.versionHashModifier, userInfo: relationship.userInfo, bits: bits)
    fields += [
      ("NSDeleteRule", .integer(relationship.deleteRule.rawValue)),
      ("NSDestinationEntity", .reference(self.reference(to: relationship.destinationEntityName))),
      ("NSInverseRelationship", .reference(inverse)), ("NSMaxCount", .integer(relationship.maximumCount)),
      ("NSMinCount", .integer(relationship.minimumCount)),
      ("_NSDestinationEntityName", .reference(builder.string(relationship.destinationEntityName))),
      ("_NSInverseRelationshipName", .reference(builder.string(relationship.inverseName))),
    ]
    if relationship.isOrdered { fields.append(("NSIsOrdered", .flag(true))) }
    builder.fill(reference, .relationship, fields)
  }

  private mutating func encode(
    _ property: FetchedPropertyDescription, as reference: ArchiveBuilder.Reference, of entity: String
  ) -> Bool {
    guard let request = encode(property.fetchRequest) else {
      omit("the fetched property's predicate", entity, property.name)
      return false
    }
    var bits: PropertyBits = [.noValidation, .transient, .readOnly]
    if property.isOptional { bits.insert(.optional) }
    var fields = common(
      name: property.name, entity: entity, renaming: nil, modifier: nil, userInfo: property.userInfo, bits: bits)
    fields += [
      ("NSFetchRequest", .reference(request)),
      ("_NSFetchRequestEntityName", .reference(builder.string(property.fetchRequest.entityName))),
    ]
    builder.fill(reference, .fetchedProperty, fields)
    return true
  }

  private mutating func common(
    name: String, entity: String, renaming: String?, modifier: String?, userInfo: [String: UserInfoValue],
    bits: PropertyBits
  ) -> [(String, ArchiveBuilder.Field)] {
    var bits = bits.union(.always)
    if userInfo.isEmpty { bits.insert(.noUserInfo) }
    if modifier == nil { bits.insert(.noVersionHashModifier) }
    var fields: [(String, ArchiveBuilder.Field)] = [
      ("NSPropertyName", .reference(builder.string(name))), ("NSEntity", .reference(reference(to: entity))),
      ("NSRenamingIdentifier", .reference(builder.string(renaming ?? name))), ("_P", .integer(bits.rawValue)),
    ]
    if bits.contains(.optional) { fields.append(("NSIsOptional", .flag(true))) }
    if bits.contains(.transient) { fields.append(("NSIsTransient", .flag(true))) }
    if bits.contains(.readOnly) { fields.append(("NSIsReadOnly", .flag(true))) }
    if let modifier { fields.append(("NSVersionHashModifier", .reference(builder.string(modifier)))) }
    if !userInfo.isEmpty { fields.append(("NSUserInfo", .reference(builder.userInfo(userInfo)))) }
    return fields
  }
}

/// `_P`: a property's flags in one number, told apart by what stands beside it in 11,000 archived properties.
struct PropertyBits: OptionSet {
  let rawValue: Int

  static let always = PropertyBits(rawValue: 0x001)
  static let optional = PropertyBits(rawValue: 0x002)
  static let readOnly = PropertyBits(rawValue: 0x004)
  static let transient = PropertyBits(rawValue: 0x008)
  static let noValidation = PropertyBits(rawValue: 0x030)
  static let noUserInfo = PropertyBits(rawValue: 0x040)
  static let noVersionHashModifier = PropertyBits(rawValue: 0x080)
  static let ordered = PropertyBits(rawValue: 0x400)
  static let cloudEncryption = PropertyBits(rawValue: 0x800)
}

extension AttributeType {
  /// The class that archives name for a type where the model names none.
  var standardClassName: String? {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binary: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .composite: "NSDictionary"
    case .undefined, .transformable, .objectID: nil
    }
  }
}
