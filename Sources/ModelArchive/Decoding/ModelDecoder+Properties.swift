import Foundation
import ManagedModel
import PropertyLists

extension ModelDecoder {
  /// The property, or `nil` for the proxy of an inherited property.
  func property(_ object: ArchivedObject) throws -> PropertyDescription? {
    let chain = object.classChain
    if chain.contains("_NSPropertyDescriptionProxy") || chain.contains("NSExpressionDescription") { return nil }
    if chain.contains("NSAttributeDescription") { return .attribute(try attribute(object, depth: 0)) }
    if chain.contains("NSRelationshipDescription") { return .relationship(try relationship(object)) }
    if chain.contains("NSFetchedPropertyDescription") { return .fetchedProperty(try fetchedProperty(object)) }
    throw ArchiveFault(key: "$class", problem: "is no kind of property")
  }

  func attribute(_ object: ArchivedObject, depth: Int) throws -> AttributeDescription {
    guard depth <= Self.maximumDepth else {
      throw ArchiveFault(key: "NSCompositeElements", problem: "is nested too deeply")
    }
    let number = try object.integer("NSAttributeType") ?? 0
    guard let type = UInt32(exactly: number).flatMap(AttributeType.init(rawValue:)) else {
      throw ArchiveFault(key: "NSAttributeType", problem: "is an unknown type, \(number)")
    }
    let name = try object.required("NSPropertyName")
    let flags = try object.integer("NSFlagsKey") ?? 0
    var attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = try object.flag("NSIsOptional")
    attribute.isTransient = try object.flag("NSIsTransient")
    attribute.isIndexedBySpotlight = try object.flag("NSIndexedBySpotlight")
    attribute.isStoredInExternalRecord = try object.flag("NSIsStoredInTruth")
    attribute.isReadOnly = try object.flag("NSIsReadOnly")
    attribute.isIndexed = try object.flag("NSIsIndexed")
    attribute.allowsCloudEncryption = try object.flag("NSAllowsCloudEncryption")
    attribute.allowsExternalBinaryDataStorage = flags & AttributeFlags.externalStorage != 0
    attribute.preservesValueInHistoryOnDeletion = flags & AttributeFlags.preservedOnDeletion != 0
    attribute.defaultValue = try object.object("NSDefaultValue")?.value(for: type)
    attribute.valueClassName = try object.string("NSAttributeValueClassName")
      .flatMap { $0 == type.standardClassName ? nil : $0 }
    attribute.valueTransformerName = try object.string("NSValueTransformerName")
    attribute.renamingIdentifier = try renamingIdentifier(object, name: name)
    attribute.versionHashModifier = try object.string("NSVersionHashModifier")
    attribute.userInfo = try userInfo(object)
    if object.isKind(of: "NSDerivedAttributeDescription"), let expression = try object.object("NSDerivationExpression")
    {
      attribute.derivation = AttributeDescription.Derivation(
        expression: try derivation(expression),
        filteringPredicate: try object.object("NSFilteringPredicate").map { try predicate($0).format }
      )
    }
    if type == .composite {
      attribute.elements = try object.elements("NSCompositeElements").map { try self.attribute($0, depth: depth + 1) }
    }
    try readValidation(object, into: &attribute)
    return attribute
  }

  private func relationship(_ object: ArchivedObject) throws -> RelationshipDescription {
    let name = try object.required("NSPropertyName")
    let destination =
      try object.object("NSDestinationEntity")?.required("NSEntityName")
      ?? object.required("_NSDestinationEntityName")
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    if var inverse = try object.object("NSInverseRelationship") {
      if let underlying = try inverse.object("NSUnderlyingProperty") { inverse = underlying }
      relationship.inverseName = try inverse.required("NSPropertyName")
      relationship.inverseEntityName = try inverse.object("NSEntity")?.required("NSEntityName")
    } else {
      relationship.inverseName = try object.string("_NSInverseRelationshipName")
    }
    relationship.isOptional = try object.flag("NSIsOptional")
    relationship.isTransient = try object.flag("NSIsTransient")
    relationship.isIndexedBySpotlight = try object.flag("NSIndexedBySpotlight")
    relationship.isStoredInExternalRecord = try object.flag("NSIsStoredInTruth")
    relationship.isOrdered = try object.flag("NSIsOrdered")
    relationship.minimumCount = try object.integer("NSMinCount") ?? 0
    relationship.maximumCount = try object.integer("NSMaxCount") ?? 0
    let rule = try object.integer("NSDeleteRule") ?? 0
    guard let deleteRule = RelationshipDescription.DeleteRule(rawValue: rule) else {
      throw ArchiveFault(key: "NSDeleteRule", problem: "is an unknown rule, \(rule)")
    }
    relationship.deleteRule = deleteRule
    relationship.renamingIdentifier = try renamingIdentifier(object, name: name)
    relationship.versionHashModifier = try object.string("NSVersionHashModifier")
    relationship.userInfo = try userInfo(object)
    return relationship
  }

  private func fetchedProperty(_ object: ArchivedObject) throws -> FetchedPropertyDescription {
    let entity = try object.string("_NSFetchRequestEntityName")
    guard let request = try object.object("NSFetchRequest") else {
      throw ArchiveFault(key: "NSFetchRequest", problem: "is missing")
    }
    return FetchedPropertyDescription(
      name: try object.required("NSPropertyName"), isOptional: try object.flag("NSIsOptional"),
      // Xcode gives every such request this name.
      fetchRequest: try fetchRequest(request, name: "fetchedPropertyFetchRequest", entityName: entity),
      userInfo: try userInfo(object))
  }

  func fetchRequest(_ object: ArchivedObject, name: String, entityName: String?) throws -> FetchRequestDescription {
    guard let entity = try object.object("NSEntity")?.required("NSEntityName") ?? entityName else {
      throw ArchiveFault(key: "NSEntity", problem: "is missing")
    }
    let flags = FetchRequestFlags(
      rawValue: try object.integer("NSFetchRequestFlags") ?? FetchRequestFlags.usual.rawValue)
    let resultType = try object.integer("NSResultType") ?? 0
    return FetchRequestDescription(
      name: name, entityName: entity,
      predicateFormat: try object.object("NSPredicate").map { try predicate($0).format },
      sortDescriptors: try object.elements("NSSortDescriptors").map { descriptor in
        FetchRequestDescription.Sorting(
          keyPath: try descriptor.required("NSKey"), isAscending: try descriptor.flag("NSAscending"),
          selector: try descriptor.string("NSSelector") ?? "compare:")
      },
      fetchLimit: try object.integer("NSFetchLimit") ?? 0, fetchBatchSize: try object.integer("NSBatchSize") ?? 0,
      includesSubentities: flags.contains(.includesSubentities),
      includesPropertyValues: flags.contains(.includesPropertyValues),
      // Results as dictionaries cannot include pending changes.
      includesPendingChanges: resultType == 2 || flags.contains(.includesPendingChanges),
      returnsObjectsAsFaults: flags.contains(.returnsObjectsAsFaults),
      returnsDistinctResults: flags.contains(.returnsDistinctResults),
      resultType: resultType)
  }

  /// An absent renaming identifier is archived as the name itself.
  func renamingIdentifier(_ object: ArchivedObject, name: String) throws -> String? {
    try object.string("NSRenamingIdentifier").flatMap { $0 == name ? nil : $0 }
  }
}
