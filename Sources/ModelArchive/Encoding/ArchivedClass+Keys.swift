/// The order in which objects archive their values, known from the numbers that real archives give to what they name, and
/// from the order of keys whose places collide: all 53 archives of 2018 and later are so (VH-15).
extension ArchivedClass {
  /// The place of each of the class's keys.
  var places: [String: Int] { Self.placesByClass[self] ?? [:] }

  private static let placesByClass = Dictionary(
    uniqueKeysWithValues: allCases.map { item in
      (item, Dictionary(item.keys.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }))
    })

  /// Keys of objects that are referred to but not archived with the object: what refers to them so only numbers them.
  static let conditionalKeys: Set<String> = [
    "NSEntity", "NSManagedObjectModel", "NSDestinationEntity", "NSInverseRelationship", "NSSuperentity",
    "NSFetchIndexDescription",
  ]

  /// Keys of 64-bit integers, which the numbers of a model are too; those of other keys have 32 bits.
  ///
  /// Numbers of different sizes are never one object.
  static let wideKeys: Set<String> = [
    "NSAllocationType", "NSCompoundPredicateType", "NSExpressionType", "NSFetchIndexElementType", "NSFlags",
    "NSModifier", "NSOperatorType", "NSOptions", "NSPosition", "NSResultType", "NSVariant", "length",
  ]

  private var keys: [String] {
    switch self {
    case .array, .mutableArray, .set: ["NS.objects"]
    case .dictionary, .mutableDictionary: ["NS.keys", "NS.objects"]
    case .knownKeysDictionary: ["searchMapping", "version", "emptyToken", "values"]
    case .knownKeysMapping: ["keys", "version", "length"]
    case .date: ["NS.time"]
    case .uuid: ["NS.uuidbytes"]
    case .url: ["NS.base", "NS.relative"]
    case .decimalNumber:
      ["NS.compact", "NS.length", "NS.mantissa", "NS.negative", "NS.exponent", "NS.mantissa.bo"]
    case .model:
      ["NSEntities", "NSConfigurations", "NSFetchRequestTemplates", "NSVersionIdentifiers"]
    case .entity:
      [
        "NSEntityName", "NSManagedObjectModel", "NSIsAbstract", "NSClassNameForEntity", "NSSuperentity",
        "NSSubentities", "NSProperties", "NSUserInfo", "NSVersionHashModifier", "NSRenamingIdentifier",
        "NSUniqueTuples", "NSFetchIndexDescriptions", "NSCompoundIndexes", "NSCoreSpotlightDisplayName",
      ]
    case .attribute, .derivedAttribute, .compositeAttribute:
      Self.propertyKeys + [
        "NSAttributeType", "NSAttributeValueClassName", "NSValidationPredicates", "NSDefaultValue",
        "NSValueTransformerName", "NSIsIndexed", "NSFlagsKey", "NSValidationWarnings", "NSCompositeElements",
        "NSDerivationExpression", "NSAllowsCloudEncryption", "NSFilteringPredicate",
      ]
    case .relationship:
      Self.propertyKeys + [
        "NSMaxCount", "NSMinCount", "NSDeleteRule", "NSIsOrdered", "NSDestinationEntity",
        "_NSDestinationEntityName", "NSInverseRelationship", "_NSInverseRelationshipName",
      ]
    case .fetchedProperty: Self.propertyKeys + ["NSFetchRequest", "_NSFetchRequestEntityName"]
    case .expressionProperty: Self.propertyKeys + ["NSExpressionType", "NSExpression"]
    case .fetchIndex: ["NSIndexName", "NSIndexElements", "NSPartialIndexPredicate", "NSEntity"]
    case .fetchIndexElement:
      ["NSPropertyName", "NSIndexedProperty", "NSFetchIndexElementType", "NSFetchIndexDescription", "NSAscending"]
    case .fetchRequest:
      [
        "NSBatchSize", "NSHavingPredicate", "NSEntity", "NSPredicate", "NSValuesToFetch", "NSValuesToGroupBy",
        "NSSortDescriptors", "NSFetchLimit", "NSFetchOffset", "NSAllocationType",
        "NSRelationshipKeyPathsForPrefetching", "NSResultType", "NSHasFetchRequestFlags", "NSFetchRequestFlags",
      ]
    case .sortDescriptor: ["NSKey", "NSAscending", "NSSelector", "NSReverseNullOrder"]
    case .comparisonPredicate: ["NSLeftExpression", "NSRightExpression", "NSPredicateOperator"]
    case .compoundPredicate: ["NSCompoundPredicateType", "NSSubpredicates"]
    case .truePredicate, .falsePredicate: []
    case .comparisonOperator: ["NSOptions", "NSModifier", "NSVariant", "NSOperatorType"]
    case .equalityOperator: ["NSOperatorType", "NSModifier", "NSOptions", "NSNegate"]
    case .inOperator, .matchingOperator, .likeOperator, .substringOperator, .betweenOperator:
      ["NSOperatorType", "NSModifier", "NSFlags", "NSPosition"]
    case .selfExpression: ["NSExpressionType"]
    case .variableExpression: ["NSExpressionType", "NSVariable"]
    case .constantExpression: ["NSExpressionType", "NSConstantValue", "NSConstantValueClassName"]
    case .aggregateExpression: ["NSExpressionType", "NSCollection"]
    case .keyPathSpecifier: ["NSExpressionType", "NSKeyPath"]
    case .functionExpression, .keyPathExpression:
      ["NSSelectorName", "NSExpressionType", "NSOperand", "NSArguments"]
    }
  }

  private static let propertyKeys = [
    "NSRenamingIdentifier", "NSPropertyName", "NSUserInfo", "NSEntity", "NSVersionHashModifier", "NSIsOptional",
    "NSIsTransient", "NSIsReadOnly", "NSIndexedBySpotlight", "NSIsStoredInTruth", "_P",
  ]
}
