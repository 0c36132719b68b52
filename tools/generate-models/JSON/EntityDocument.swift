import Foundation
import ManagedModel

/// An entity in JSON, with its own properties.
struct EntityDocument: Encodable {
  let name: String
  let className: String?
  let isAbstract: TrueOrAbsent
  let superentity: String?
  /// The entity's version hash in base64, as in a compiled bundle's `VersionInfo.plist` (VH-12).
  let versionHash: String?
  let versionHashModifier: String?
  let renamingIdentifier: String?
  let codeGeneration: String?
  let coreSpotlightDisplayName: String?
  let attributes: [AttributeDocument]?
  let relationships: [RelationshipDocument]?
  let fetchedProperties: [FetchedPropertyDocument]?
  let uniquenessConstraints: [[String]]?
  let fetchIndexes: [FetchIndexDocument]?
  let compoundIndexes: [[String]]?
  let userInfo: [String: JSONValue]?

  init(_ entity: EntityDescription, hash: Data?) {
    name = entity.name
    className = entity.className
    isAbstract = TrueOrAbsent(entity.isAbstract)
    superentity = entity.superentityName
    versionHash = hash?.base64EncodedString()
    versionHashModifier = entity.versionHashModifier
    renamingIdentifier = entity.renamingIdentifier
    codeGeneration = entity.codeGeneration == .unspecified ? nil : entity.codeGeneration.rawValue
    coreSpotlightDisplayName = entity.coreSpotlightDisplayName
    attributes = entity.attributes.map(AttributeDocument.init).unlessEmpty
    relationships = entity.relationships.map(RelationshipDocument.init).unlessEmpty
    fetchedProperties = entity.fetchedProperties.map(FetchedPropertyDocument.init).unlessEmpty
    uniquenessConstraints = entity.uniquenessConstraints.unlessEmpty
    fetchIndexes = entity.fetchIndexes.map(FetchIndexDocument.init).unlessEmpty
    compoundIndexes = entity.compoundIndexes.unlessEmpty
    userInfo = entity.userInfo.mapValues(JSONValue.init).unlessEmpty
  }
}

struct FetchIndexDocument: Encodable {
  let name: String
  let elements: [Element]
  let partialIndexPredicate: String?

  struct Element: Encodable {
    let property: String?
    let expression: String?
    let kind: String
    let isAscending: TrueOrAbsent
  }

  init(_ index: FetchIndexDescription) {
    name = index.name
    partialIndexPredicate = index.partialIndexPredicate
    elements = index.elements.map { element in
      let (property, expression): (String?, String?) =
        switch element.subject {
        case .property(let name): (name, nil)
        case .expression(let text): (nil, text)
        }
      return Element(
        property: property, expression: expression, kind: element.kind == .binary ? "binary" : "rTree",
        isAscending: TrueOrAbsent(element.isAscending))
    }
  }
}

struct CompositeDocument: Encodable {
  let name: String
  let elements: [AttributeDocument]

  init(_ composite: CompositeDescription) {
    name = composite.name
    elements = composite.elements.map(AttributeDocument.init)
  }
}

struct ConfigurationDocument: Encodable {
  let name: String
  let entities: [String]
  let usedWithCloudKit: TrueOrAbsent

  init(_ configuration: ConfigurationDescription) {
    name = configuration.name
    entities = configuration.entityNames
    usedWithCloudKit = TrueOrAbsent(configuration.usedWithCloudKit)
  }
}
