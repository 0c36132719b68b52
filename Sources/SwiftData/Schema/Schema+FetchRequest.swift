extension Schema {
  /// A fetch that a model states once and for all: a template of a version, or what a fetched property fetches.
  ///
  /// The predicate is in `NSPredicate`'s format; names that begin with `$` stand for values that a program puts in. Not in Apple's
  /// framework.
  public struct FetchRequest: Codable, Hashable, Sendable {
    /// The template's name.
    public var name: String
    /// The entity whose objects are fetched.
    public var entityName: String
    /// Which objects, in `NSPredicate`'s format; all of them if `nil`.
    public var predicate: String?
    /// The order; none if empty.
    public var sortBy: [Sort]
    /// How many objects at most; 0 for all.
    public var limit: Int
    /// How many objects Core Data reads at a time; 0 for all.
    public var batchSize: Int
    /// Whether objects of subentities count.
    public var includesSubentities: Bool
    /// Whether rows are read, and not only identifiers.
    public var includesPropertyValues: Bool
    /// Whether unsaved changes count.
    public var includesPendingChanges: Bool
    /// Whether objects come without values until one is read.
    public var returnsObjectsAsFaults: Bool
    /// Whether equal results come once.
    public var returnsDistinctResults: Bool
    /// What comes.
    public var result: Result

    /// What a fetch gives. Core Data: `NSFetchRequestResultType`.
    public enum Result: Int, Codable, Hashable, Sendable {
      /// Objects.
      case objects = 0
      /// Identifiers.
      case identifiers = 1
      /// Dictionaries of values.
      case dictionaries = 2
      /// The number of objects.
      case count = 4
    }

    /// One key of an order. Core Data: `NSSortDescriptor`.
    public struct Sort: Codable, Hashable, Sendable {
      /// The stored path of the property.
      public var path: String
      /// Whether the smallest value comes first.
      public var isAscending: Bool
      /// The method that compares two values, as Core Data calls it.
      public var selector: String

      /// The smallest value first.
      public static func ascending(_ path: String, selector: String = "compare:") -> Sort {
        Sort(path: path, isAscending: true, selector: selector)
      }
      /// The largest value first.
      public static func descending(_ path: String, selector: String = "compare:") -> Sort {
        Sort(path: path, isAscending: false, selector: selector)
      }
    }

    /// A template; what is left out is as in a new request of Core Data.
    public init(
      _ name: String, entity: String, predicate: String? = nil, sortBy: [Sort] = [], limit: Int = 0, batchSize: Int = 0,
      includesSubentities: Bool = true, includesPropertyValues: Bool = true, includesPendingChanges: Bool = true,
      returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, result: Result = .objects
    ) {
      self.name = name
      self.entityName = entity
      self.predicate = predicate
      self.sortBy = sortBy
      self.limit = limit
      self.batchSize = batchSize
      self.includesSubentities = includesSubentities
      self.includesPropertyValues = includesPropertyValues
      self.includesPendingChanges = includesPendingChanges
      self.returnsObjectsAsFaults = returnsObjectsAsFaults
      self.returnsDistinctResults = returnsDistinctResults
      self.result = result
    }
  }

  /// A property whose value is the result of a fetch; what `@FetchedProperty` says. Not in Apple's framework.
  public struct FetchedProperty: Codable, Hashable, Sendable {
    /// The property's name in the model.
    public var name: String
    /// Whether Core Data takes it for optional.
    public var isOptional: Bool
    /// What it fetches.
    public var request: FetchRequest
    /// What the store's model keeps for tools.
    public var userInfo: [String: UserInfoValue]

    /// Written by `@Model` for `@FetchedProperty`; the macro's arguments have the same names and defaults.
    public init<Destination: PersistentModel>(
      _property: String, of type: [Destination].Type, predicate: String? = nil, sortBy: [FetchRequest.Sort] = [],
      limit: Int = 0, batchSize: Int = 0,
      includesSubentities: Bool = true, includesPropertyValues: Bool = true, includesPendingChanges: Bool = true,
      returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, result: FetchRequest.Result = .objects,
      isOptional: Bool = true, name: String? = nil, requestName: String = "fetchedPropertyFetchRequest",
      userInfo: [String: UserInfoValue] = [:]
    ) {
      self.name = name ?? _property
      self.isOptional = isOptional
      self.userInfo = userInfo
      request = FetchRequest(
        requestName, entity: ModelClass.entityName(of: Destination.self), predicate: predicate, sortBy: sortBy,
        limit: limit,
        batchSize: batchSize, includesSubentities: includesSubentities, includesPropertyValues: includesPropertyValues,
        includesPendingChanges: includesPendingChanges, returnsObjectsAsFaults: returnsObjectsAsFaults,
        returnsDistinctResults: returnsDistinctResults, result: result)
    }
  }

  /// A named part of a version's entities, for a store of their own. Not in Apple's framework.
  public struct Configuration: Codable, Hashable, Sendable {
    /// The configuration's name.
    public var name: String
    /// The entities it has.
    public var entityNames: [String]
    /// Whether its store is mirrored to CloudKit.
    public var usesCloudKit: Bool

    /// A configuration of these entities.
    public init(_ name: String, entities: [String], usesCloudKit: Bool = false) {
      self.name = name
      self.entityNames = entities
      self.usesCloudKit = usesCloudKit
    }
  }
}
