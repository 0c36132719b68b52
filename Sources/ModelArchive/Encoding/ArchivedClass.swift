/// The classes that a model's archive consists of, each with its superclasses, as real archives name them.
enum ArchivedClass: String {
  case array = "NSArray"
  case mutableArray = "NSMutableArray"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"
  case knownKeysDictionary = "NSKnownKeysDictionary1"
  case knownKeysMapping = "NSKnownKeysMappingStrategy1"
  case set = "NSSet"
  case url = "NSURL"

  case model = "NSManagedObjectModel"
  case entity = "NSEntityDescription"
  case attribute = "NSAttributeDescription"
  case derivedAttribute = "NSDerivedAttributeDescription"
  case compositeAttribute = "NSCompositeAttributeDescription"
  case relationship = "NSRelationshipDescription"
  case fetchedProperty = "NSFetchedPropertyDescription"
  case expressionProperty = "NSExpressionDescription"
  case fetchIndex = "NSFetchIndexDescription"
  case fetchIndexElement = "NSFetchIndexElementDescription"
  case fetchRequest = "NSFetchRequest"
  case sortDescriptor = "NSSortDescriptor"

  case comparisonPredicate = "NSComparisonPredicate"
  case compoundPredicate = "NSCompoundPredicate"
  case truePredicate = "NSTruePredicate"
  case falsePredicate = "NSFalsePredicate"
  case comparisonOperator = "NSComparisonPredicateOperator"
  case equalityOperator = "NSEqualityPredicateOperator"
  case inOperator = "NSInPredicateOperator"
  case matchingOperator = "NSMatchingPredicateOperator"
  case likeOperator = "NSLikePredicateOperator"
  case substringOperator = "NSSubstringPredicateOperator"
  case betweenOperator = "NSBetweenPredicateOperator"
  case selfExpression = "NSSelfExpression"
  case variableExpression = "NSVariableExpression"
  case constantExpression = "NSConstantValueExpression"
  case aggregateExpression = "NSAggregateExpression"
  case keyPathSpecifier = "NSKeyPathSpecifierExpression"
  case functionExpression = "NSFunctionExpression"
  case keyPathExpression = "NSKeyPathExpression"

  var name: String { rawValue }

  /// The class, its superclasses, and `NSObject`.
  var chain: [String] { [name] + superclasses + ["NSObject"] }

  private var superclasses: [String] {
    switch self {
    case .mutableArray: ["NSArray"]
    case .mutableDictionary: ["NSDictionary"]
    case .knownKeysDictionary: ["NSKnownKeysDictionary", "NSMutableDictionary", "NSDictionary"]
    case .knownKeysMapping: ["NSKnownKeysMappingStrategy"]
    case .attribute, .relationship, .fetchedProperty, .expressionProperty: ["NSPropertyDescription"]
    case .derivedAttribute, .compositeAttribute: ["NSAttributeDescription", "NSPropertyDescription"]
    case .fetchRequest: ["NSPersistentStoreRequest"]
    case .comparisonPredicate, .compoundPredicate, .truePredicate, .falsePredicate: ["NSPredicate"]
    case .comparisonOperator, .equalityOperator, .inOperator, .betweenOperator: ["NSPredicateOperator"]
    case .matchingOperator, .substringOperator: ["NSStringPredicateOperator", "NSPredicateOperator"]
    case .likeOperator: ["NSMatchingPredicateOperator", "NSStringPredicateOperator", "NSPredicateOperator"]
    case .selfExpression, .variableExpression, .constantExpression, .keyPathSpecifier, .functionExpression,
      .aggregateExpression:
      ["NSExpression"]
    case .keyPathExpression: ["NSFunctionExpression", "NSExpression"]
    default: []
    }
  }
}
