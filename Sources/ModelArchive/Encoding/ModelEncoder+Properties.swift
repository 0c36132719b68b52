import ErrorReporting
import Foundation
import ManagedModel
import PropertyLists

extension ModelEncoder {
  /// Fills a property's object. Returns false if the property has to be left out.
  mutating func encode(
    _ property: PropertyDescription, as reference: KeyedArchiveBuilder.Reference, of entity: String
  ) throws -> Bool {
    switch property {
    case .attribute(let attribute): try encode(attribute, as: reference, of: entity)
    case .relationship(let relationship): encode(relationship, as: reference, of: entity)
    case .fetchedProperty(let property): return encode(property, as: reference, of: entity)
    }
    return true
  }

  /// - Parameter path: the path to an element of a composite; empty for a property.
  private mutating func encode(
    _ attribute: AttributeDescription, as reference: KeyedArchiveBuilder.Reference, of entity: String,
    path: [String] = []
  ) throws {
    let path = path + [attribute.name]
    let flags =
      (attribute.allowsExternalBinaryDataStorage ? AttributeFlags.externalStorage : 0)
      | (attribute.preservesValueInHistoryOnDeletion ? AttributeFlags.preservedOnDeletion : 0)
    let className = attribute.valueClassName ?? attribute.type.standardClassName
    let common = try fieldsInCommon(path, of: entity) { encoder in
      var fields = [
        (
          "NSDefaultValue",
          KeyedArchiveBuilder.Field.reference(encoder.builder.value(attribute.defaultValue, of: attribute.type))
        )
      ]
      fields += encoder.userInfo(attribute.userInfo)
      fields += encoder.validation(of: attribute, entity)
      if let derivation = attribute.derivation {
        fields += try encoder.encode(derivation, of: attribute.name, entity)
      }
      return fields
    }
    let isValidated = common.contains { $0.0 == "NSValidationPredicates" }
    var fields = property(
      attribute.name, of: entity, renaming: attribute.renamingIdentifier, modifier: attribute.versionHashModifier,
      bits: Self.bits(of: attribute, isValidated: isValidated))
    fields += common
    fields += [
      ("NSAttributeType", .integer(Int(attribute.type.rawValue))),
      ("NSAttributeValueClassName", .reference(builder.string(className))), ("NSFlagsKey", .integer(flags)),
      ("NSValueTransformerName", .reference(builder.string(attribute.valueTransformerName))),
    ]
    if attribute.isIndexed { fields.append(("NSIsIndexed", .flag(true))) }
    if attribute.allowsCloudEncryption { fields.append(("NSAllowsCloudEncryption", .flag(true))) }
    var archivedClass = attribute.derivation == nil ? ArchivedClass.attribute : .derivedAttribute
    if attribute.derivation == nil, attribute.type == .composite {
      archivedClass = .compositeAttribute
      var elements: [KeyedArchiveBuilder.Reference] = []
      for element in attribute.elements {
        let reference = builder.reserve()
        try encode(element, as: reference, of: entity, path: path)
        elements.append(reference)
      }
      fields.append(("NSCompositeElements", .reference(builder.list(.mutableArray, elements))))
    }
    builder.fill(reference, archivedClass, fields)
  }

  private static func bits(of attribute: AttributeDescription, isValidated: Bool) -> PropertyBits {
    var bits: PropertyBits = isValidated ? [] : [.noValidation]
    if attribute.isOptional { bits.insert(.optional) }
    if attribute.isTransient { bits.insert(.transient) }
    if attribute.isReadOnly { bits.insert(.readOnly) }
    if attribute.allowsCloudEncryption { bits.insert(.cloudEncryption) }
    if attribute.isIndexedBySpotlight { bits.insert(.indexedBySpotlight) }
    if attribute.isStoredInExternalRecord { bits.insert(.storedInExternalRecord) }
    if attribute.userInfo.isEmpty { bits.insert(.noUserInfo) }
    return bits
  }

  private mutating func encode(
    _ derivation: AttributeDescription.Derivation, of attribute: String, _ entity: String
  ) throws -> [(String, KeyedArchiveBuilder.Field)] {
    guard let tree = derivation.expressionFormat.flatMap(PredicateParser.expression),
      let expression = builder.expression(tree)
    else {
      throw ModelArchiveError.unwritable(
        entity: entity, property: attribute, what: "the derivation \(quoted(derivation.expression))")
    }
    var predicate = KeyedArchiveBuilder.Reference.null
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
    _ relationship: RelationshipDescription, as reference: KeyedArchiveBuilder.Reference, of entity: String
  ) {
    let owner = relationship.inverseEntityName ?? relationship.destinationEntityName
    let inverse = relationship.inverseName.flatMap { self.property($0, of: owner) } ?? .null
    var bits: PropertyBits = [.noValidation]
    if relationship.isOptional { bits.insert(.optional) }
    if relationship.isTransient { bits.insert(.transient) }
    if relationship.isOrdered { bits.insert(.ordered) }
    if relationship.isIndexedBySpotlight { bits.insert(.indexedBySpotlight) }
    if relationship.isStoredInExternalRecord { bits.insert(.storedInExternalRecord) }
    if relationship.userInfo.isEmpty { bits.insert(.noUserInfo) }
    var fields = property(
      relationship.name, of: entity, renaming: relationship.renamingIdentifier,
      modifier: relationship.versionHashModifier, bits: bits)
    fields += fieldsInCommon([relationship.name], of: entity) { $0.userInfo(relationship.userInfo) }
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
    _ property: FetchedPropertyDescription, as reference: KeyedArchiveBuilder.Reference, of entity: String
  ) -> Bool {
    guard let request = encode(property.fetchRequest) else {
      omit("the fetched property's predicate", entity, property.name)
      return false
    }
    var bits: PropertyBits = [.noValidation, .transient, .readOnly]
    if property.isOptional { bits.insert(.optional) }
    if property.userInfo.isEmpty { bits.insert(.noUserInfo) }
    var fields = self.property(
      property.name, of: entity, renaming: nil, modifier: nil, bits: bits)
    fields += fieldsInCommon([property.name], of: entity) { $0.userInfo(property.userInfo) }
    fields += [
      ("NSFetchRequest", .reference(request)),
      ("_NSFetchRequestEntityName", .reference(builder.string(property.fetchRequest.entityName))),
    ]
    builder.fill(reference, .fetchedProperty, fields)
    return true
  }

  private mutating func property(
    _ name: String, of entity: String, renaming: String?, modifier: String?, bits: PropertyBits
  ) -> [(String, KeyedArchiveBuilder.Field)] {
    var bits = bits.union(.always)
    let text = builder.string(name)
    if modifier == nil { bits.insert(.noVersionHashModifier) }
    var fields: [(String, KeyedArchiveBuilder.Field)] = [
      ("NSPropertyName", .reference(text)), ("NSEntity", .reference(reference(to: entity))),
      ("NSRenamingIdentifier", .reference(renaming == nil || renaming == name ? text : builder.string(renaming))),
      ("_P", .integer(bits.rawValue)),
    ]
    if bits.contains(.optional) { fields.append(("NSIsOptional", .flag(true))) }
    if bits.contains(.transient) { fields.append(("NSIsTransient", .flag(true))) }
    if bits.contains(.readOnly) { fields.append(("NSIsReadOnly", .flag(true))) }
    if bits.contains(.indexedBySpotlight) { fields.append(("NSIndexedBySpotlight", .flag(true))) }
    if bits.contains(.storedInExternalRecord) { fields.append(("NSIsStoredInTruth", .flag(true))) }
    if let modifier { fields.append(("NSVersionHashModifier", .reference(builder.string(modifier)))) }
    return fields
  }

  private mutating func userInfo(_ userInfo: [String: UserInfoValue]) -> [(String, KeyedArchiveBuilder.Field)] {
    userInfo.isEmpty ? [] : [("NSUserInfo", .reference(builder.userInfo(userInfo)))]
  }
}
