import Foundation
import ManagedModel

/// An attribute in JSON, or an element of a composite.
struct AttributeDocument: Encodable {
  let name: String
  /// The type's name, after `NSAttributeType`: `integer16`, `string`, `uuid`, ….
  let type: String
  let isOptional: TrueOrAbsent
  let isTransient: TrueOrAbsent
  let defaultValue: JSONValue?
  /// The smallest and largest value, or length of a string.
  let minimumValue: JSONValue?
  let maximumValue: JSONValue?
  let regularExpression: String?
  let derivation: Derivation?
  let valueClassName: String?
  let valueTransformerName: String?
  let composite: String?
  let elements: [AttributeDocument]?
  let allowsExternalBinaryDataStorage: TrueOrAbsent
  let preservesValueInHistoryOnDeletion: TrueOrAbsent
  let allowsCloudEncryption: TrueOrAbsent
  let isIndexed: TrueOrAbsent
  let isIndexedBySpotlight: TrueOrAbsent
  let isStoredInExternalRecord: TrueOrAbsent
  let usesScalarValueType: TrueOrAbsent
  let renamingIdentifier: String?
  let versionHashModifier: String?
  let userInfo: [String: JSONValue]?

  struct Derivation: Encodable {
    let expression: String
    let filteringPredicate: String?
  }

  init(_ attribute: AttributeDescription) {
    name = attribute.name
    type = "\(attribute.type)"
    isOptional = TrueOrAbsent(attribute.isOptional)
    isTransient = TrueOrAbsent(attribute.isTransient)
    defaultValue = attribute.defaultValue.map(JSONValue.init)
    minimumValue = attribute.minimumValue.map(JSONValue.init)
    maximumValue = attribute.maximumValue.map(JSONValue.init)
    regularExpression = attribute.regularExpression
    derivation = attribute.derivation.map {
      Derivation(expression: $0.expression, filteringPredicate: $0.filteringPredicate)
    }
    valueClassName = attribute.valueClassName
    valueTransformerName = attribute.valueTransformerName
    composite = attribute.compositeName
    elements = attribute.elements.map(AttributeDocument.init).unlessEmpty
    allowsExternalBinaryDataStorage = TrueOrAbsent(attribute.allowsExternalBinaryDataStorage)
    preservesValueInHistoryOnDeletion = TrueOrAbsent(attribute.preservesValueInHistoryOnDeletion)
    allowsCloudEncryption = TrueOrAbsent(attribute.allowsCloudEncryption)
    isIndexed = TrueOrAbsent(attribute.isIndexed)
    isIndexedBySpotlight = TrueOrAbsent(attribute.isIndexedBySpotlight)
    isStoredInExternalRecord = TrueOrAbsent(attribute.isStoredInExternalRecord)
    usesScalarValueType = TrueOrAbsent(attribute.usesScalarValueType)
    renamingIdentifier = attribute.renamingIdentifier
    versionHashModifier = attribute.versionHashModifier
    userInfo = attribute.userInfo.mapValues(JSONValue.init).unlessEmpty
  }
}

struct RelationshipDocument: Encodable {
  let name: String
  let destination: String
  let inverse: String?
  let isToMany: TrueOrAbsent
  let isOptional: TrueOrAbsent
  let isOrdered: TrueOrAbsent
  let isTransient: TrueOrAbsent
  /// Absent if the model states no minimum.
  let minimumCount: Int?
  /// Absent for a to-many relationship without a bound.
  let maximumCount: Int?
  /// `noAction`, `nullify`, `cascade` or `deny`.
  let deleteRule: String
  let isIndexedBySpotlight: TrueOrAbsent
  let isStoredInExternalRecord: TrueOrAbsent
  let renamingIdentifier: String?
  let versionHashModifier: String?
  let userInfo: [String: JSONValue]?

  init(_ relationship: RelationshipDescription) {
    name = relationship.name
    destination = relationship.destinationEntityName
    inverse = relationship.inverseName
    isToMany = TrueOrAbsent(relationship.isToMany)
    isOptional = TrueOrAbsent(relationship.isOptional)
    isOrdered = TrueOrAbsent(relationship.isOrdered)
    isTransient = TrueOrAbsent(relationship.isTransient)
    minimumCount = relationship.minimumCount == 0 ? nil : relationship.minimumCount
    maximumCount = relationship.maximumCount == 0 ? nil : relationship.maximumCount
    deleteRule = "\(relationship.deleteRule)"
    isIndexedBySpotlight = TrueOrAbsent(relationship.isIndexedBySpotlight)
    isStoredInExternalRecord = TrueOrAbsent(relationship.isStoredInExternalRecord)
    renamingIdentifier = relationship.renamingIdentifier
    versionHashModifier = relationship.versionHashModifier
    userInfo = relationship.userInfo.mapValues(JSONValue.init).unlessEmpty
  }
}

struct FetchedPropertyDocument: Encodable {
  let name: String
  let isOptional: TrueOrAbsent
  let fetchRequest: FetchRequestDocument
  let userInfo: [String: JSONValue]?

  init(_ property: FetchedPropertyDescription) {
    name = property.name
    isOptional = TrueOrAbsent(property.isOptional)
    fetchRequest = FetchRequestDocument(property.fetchRequest)
    userInfo = property.userInfo.mapValues(JSONValue.init).unlessEmpty
  }
}

struct FetchRequestDocument: Encodable {
  let name: String?
  let entity: String
  /// In `NSPredicate` format.
  let predicate: String?
  let fetchLimit: Int?
  let fetchBatchSize: Int?
  let includesSubentities: TrueOrAbsent
  let includesPropertyValues: TrueOrAbsent
  let includesPendingChanges: TrueOrAbsent
  let returnsObjectsAsFaults: TrueOrAbsent
  let returnsDistinctResults: TrueOrAbsent
  /// `NSFetchRequestResultType`.
  let resultType: Int?

  init(_ request: FetchRequestDescription) {
    name = request.name.isEmpty ? nil : request.name
    entity = request.entityName
    predicate = request.predicateFormat
    fetchLimit = request.fetchLimit == 0 ? nil : request.fetchLimit
    fetchBatchSize = request.fetchBatchSize == 0 ? nil : request.fetchBatchSize
    includesSubentities = TrueOrAbsent(request.includesSubentities)
    includesPropertyValues = TrueOrAbsent(request.includesPropertyValues)
    includesPendingChanges = TrueOrAbsent(request.includesPendingChanges)
    returnsObjectsAsFaults = TrueOrAbsent(request.returnsObjectsAsFaults)
    returnsDistinctResults = TrueOrAbsent(request.returnsDistinctResults)
    resultType = request.resultType == 0 ? nil : request.resultType
  }
}
