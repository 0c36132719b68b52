/// The classes of archived objects other than collections, each with its superclass.
enum ArchivedValueClass: String, CaseIterable {
  case null = "NSNull"
  case string = "NSString"
  case mutableString = "NSMutableString"
  case data = "NSData"
  case mutableData = "NSMutableData"
  case date = "NSDate"
  case uuid = "NSUUID"
  case url = "NSURL"
  case dictionary = "NSDictionary"
  case mutableDictionary = "NSMutableDictionary"
  case decimalNumber = "NSDecimalNumber"
  /// The class that decimal numbers are archived as.
  case decimalNumberPlaceholder = "NSDecimalNumberPlaceholder"

  var chain: [String] {
    switch self {
    case .mutableString: [rawValue, "NSString", "NSObject"]
    case .mutableData: [rawValue, "NSData", "NSObject"]
    case .mutableDictionary: [rawValue, "NSDictionary", "NSObject"]
    case .decimalNumber: [rawValue, "NSNumber", "NSValue", "NSObject"]
    case .decimalNumberPlaceholder: [rawValue, "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"]
    default: [rawValue, "NSObject"]
    }
  }
}

extension ArchivedValue.ListClass {
  var chain: [String] {
    switch self {
    case .mutableArray: [rawValue, "NSArray", "NSObject"]
    case .mutableSet: [rawValue, "NSSet", "NSObject"]
    case .mutableOrderedSet: [rawValue, "NSOrderedSet", "NSObject"]
    case .array, .set, .orderedSet: [rawValue, "NSObject"]
    }
  }
}
