extension Schema {
  /// A fetch stored in a model: a template of a version, or the fetch of a fetched property.
  ///
  /// The predicate is in `NSPredicate`'s format; names that begin with `$` are variables that a program substitutes.
  /// Not in Apple's framework.
  public struct FetchRequest: Codable, Hashable, Sendable {
    /// The template's name.
    public var name: String
    /// The entity whose objects are fetched.
    public var entityName: String
    /// The predicate in `NSPredicate`'s format; all objects if `nil`.
    public var predicate: String?
    /// The sort order; none if empty.
    public var sortBy: [Sort]
    /// The largest number of objects; 0 for all.
    public var limit: Int
    /// How many objects Core Data reads at a time; 0 for all.
    public var batchSize: Int
    /// Whether the fetch includes objects of subentities.
    public var includesSubentities: Bool
    /// Whether the fetch reads rows; if `false`, it reads identifiers only.
    public var includesPropertyValues: Bool
    /// Whether the fetch includes unsaved changes.
    public var includesPendingChanges: Bool
    /// Whether the fetch returns faults: objects whose values load on first use.
    public var returnsObjectsAsFaults: Bool
    /// Whether equal results are returned once.
    public var returnsDistinctResults: Bool
    /// The type of the results.
    public var result: Result

    /// The type of a fetch's results. Core Data: `NSFetchRequestResultType`.
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

    /// One sort key. Core Data: `NSSortDescriptor`.
    public struct Sort: Codable, Hashable, Sendable {
      /// The stored path of the property.
      public var path: String
      /// Whether the smallest value comes first.
      public var isAscending: Bool
      /// The name of the method that compares two values, as in Core Data.
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

    /// A template; arguments that are left out have the defaults of `NSFetchRequest`.
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

  /// A property whose value is the result of a fetch; declared by `@FetchedProperty`. Not in Apple's framework.
  public struct FetchedProperty: Codable, Hashable, Sendable {
    /// The property's name in the model.
    public var name: String
    /// Whether Core Data treats the property as optional.
    public var isOptional: Bool
    /// The fetch.
    public var request: FetchRequest
    /// User info that the store's model keeps for tools.
    public var userInfo: [String: UserInfoValue]

    /// Called by the code that `@Model` writes for `@FetchedProperty`; the macro's arguments have the same names and defaults.
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
        requestName, entity: _EntityOptions.entityName(of: Destination.self), predicate: predicate, sortBy: sortBy,
        limit: limit,
        batchSize: batchSize, includesSubentities: includesSubentities, includesPropertyValues: includesPropertyValues,
        includesPendingChanges: includesPendingChanges, returnsObjectsAsFaults: returnsObjectsAsFaults,
        returnsDistinctResults: returnsDistinctResults, result: result)
    }
  }

  /// A named set of a version's entities, for a store of their own. Not in Apple's framework.
  public struct Configuration: Codable, Hashable, Sendable {
    /// The configuration's name.
    public var name: String
    /// The names of its entities.
    public var entityNames: [String]
    /// Whether CloudKit mirrors its store.
    public var usesCloudKit: Bool

    /// A configuration of the given entities.
    public init(_ name: String, entities: [String], usesCloudKit: Bool = false) {
      self.name = name
      self.entityNames = entities
      self.usesCloudKit = usesCloudKit
    }
  }
}
