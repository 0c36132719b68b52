/// The elements and attributes of the format, and the parser's treatment of each.
///
/// The parser warns of elements and attributes that are not listed here, and leaves them out.
struct Vocabulary: Sendable {
  /// Attributes that the parser reads.
  var read: Set<String> = []
  /// Known attributes that say nothing about the data, each with the reason.
  var ignored: [String: String] = [:]
  var children: Set<String> = []
  /// Whether the parser skips everything inside the element.
  var isOpaque = false

  static let elements: [String: Vocabulary] = [
    "model": Vocabulary(
      read: ["type", "documentVersion", "userDefinedModelVersionIdentifier", "usedWithCloudKit"],
      ignored: [
        "name": "the file's name says it; Xcode leaves it empty",
        "lastSavedToolsVersion": "which Xcode saved the file",
        "systemVersion": "which macOS saved the file",
        "minimumToolsVersion": "which Xcode may open the file",
        "macOSVersion": "deployment target of old tools",
        "iOSVersion": "deployment target of old tools",
        "sourceLanguage": "language of the class files that Xcode writes",
        "usedWithSwiftData": "whether Xcode checks the model against what SwiftData can spell",
      ],
      children: ["entity", "composite", "configuration", "fetchRequest", "elements"]),
    "entity": Vocabulary(
      read: [
        "name", "representedClassName", "isAbstract", "parentEntity", "elementID", "versionHashModifier",
        "codeGenerationType", "coreSpotlightDisplayNameExpression",
      ],
      ignored: ["syncable": syncable],
      children: [
        "attribute", "relationship", "fetchedProperty", "fetchIndex", "uniquenessConstraints", "compoundIndexes",
        "userInfo",
      ]),
    "attribute": Vocabulary(
      read: [
        "name", "attributeType", "optional", "transient", "customClassName", "valueTransformerName",
        "allowsExternalBinaryDataStorage", "preserveAfterDeletion", "allowsCloudEncryption", "indexed",
        "spotlightIndexingEnabled", "storedInTruthFile", "usesScalarValueType", "regularExpressionString", "derived",
        "derivationExpression", "elementID", "versionHashModifier", "composite", "defaultValueString",
        "minValueString", "maxValueString", "defaultDateTimeInterval", "minDateTimeInterval", "maxDateTimeInterval",
      ],
      ignored: ["syncable": syncable],
      children: ["userInfo"]),
    "relationship": Vocabulary(
      read: [
        "name", "destinationEntity", "inverseName", "inverseEntity", "optional", "transient", "toMany", "ordered",
        "minCount", "maxCount", "deletionRule", "elementID", "versionHashModifier", "spotlightIndexingEnabled",
        "storedInTruthFile",
      ],
      ignored: ["syncable": syncable, "indexed": "a to-one relationship's column is indexed in any case"],
      children: ["userInfo"]),
    "fetchedProperty": Vocabulary(
      read: ["name", "optional"], ignored: ["syncable": syncable], children: ["fetchRequest", "userInfo"]),
    "fetchRequest": Vocabulary(read: [
      "name", "entity", "predicateString", "fetchLimit", "fetchBatchSize", "includeSubentities",
      "includePropertyValues", "includesPendingChanges", "returnObjectsAsFaults", "returnDistinctResults", "resultType",
    ]),
    "fetchIndex": Vocabulary(read: ["name", "partialIndexPredicate"], children: ["fetchIndexElement"]),
    "fetchIndexElement": Vocabulary(
      read: ["property", "expression", "type", "order"],
      ignored: ["expressionType": "the type of the expression's value; the store keeps none"]),
    "uniquenessConstraints": Vocabulary(children: ["uniquenessConstraint"]),
    "uniquenessConstraint": Vocabulary(children: ["constraint"]),
    "constraint": Vocabulary(read: ["value"]),
    "compoundIndexes": Vocabulary(children: ["compoundIndex"]),
    "compoundIndex": Vocabulary(children: ["index"]),
    "index": Vocabulary(read: ["value"]),
    "composite": Vocabulary(read: ["name"], children: ["attribute", "userInfo"]),
    "configuration": Vocabulary(read: ["name", "usedWithCloudKit"], children: ["memberEntity"]),
    "memberEntity": Vocabulary(read: ["name"]),
    "userInfo": Vocabulary(children: ["entry"]),
    "entry": Vocabulary(read: ["key", "value"]),
    "elements": Vocabulary(isOpaque: true),
  ]

  private static let syncable = "a flag of Sync Services, which are gone"
}
