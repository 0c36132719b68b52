/// A data model as plain values. Every format in this package is read into it and written from it.
///
/// The types of this module use Core Data's own names. They know nothing of SQL, XML, Swift source text or files. A
/// description may be unsound; ``validate()`` checks it.
///
/// Lists keep the order in which the source declared them. Code that needs another order (hashes, columns, entity
/// numbers) sorts for itself.
package struct ModelDescription: Sendable, Hashable {
  /// Entities in declared order.
  package var entities: [EntityDescription]
  /// Named composite types in declared order; attributes that use one carry a copy of its elements.
  package var composites: [CompositeDescription]
  /// Named subsets of the entities, without the default configuration (all entities).
  package var configurations: [ConfigurationDescription]
  /// Stored fetch requests by name, in declared order.
  package var fetchRequestTemplates: [FetchRequestDescription]
  /// `NSStoreModelVersionIdentifiers`: the developer's names for this version; often empty.
  package var versionIdentifiers: [String]
  /// Whether the default configuration is mirrored to CloudKit.
  package var usedWithCloudKit: Bool

  package init(
    entities: [EntityDescription] = [],
    composites: [CompositeDescription] = [],
    configurations: [ConfigurationDescription] = [],
    fetchRequestTemplates: [FetchRequestDescription] = [],
    versionIdentifiers: [String] = [],
    usedWithCloudKit: Bool = false
  ) {
    self.entities = entities
    self.composites = composites
    self.configurations = configurations
    self.fetchRequestTemplates = fetchRequestTemplates
    self.versionIdentifiers = versionIdentifiers
    self.usedWithCloudKit = usedWithCloudKit
  }

  /// The entity of this name, found by a linear search; build an ``EntityGraph`` for repeated look-ups.
  package func entity(named name: String) -> EntityDescription? {
    entities.first { $0.name == name }
  }
}

/// A composite type: a named group of attributes that is stored flattened (CD-2.4).
package struct CompositeDescription: Sendable, Hashable {
  package var name: String
  /// Elements in declared order; an element may be a composite itself.
  package var elements: [AttributeDescription]

  package init(name: String, elements: [AttributeDescription]) {
    self.name = name
    self.elements = elements
  }

  /// Hashes only the parts that usually differ between composites. Many attributes look up the same composite, which
  /// may have many elements.
  package func hash(into hasher: inout Hasher) {
    hasher.combine(name)
    hasher.combine(elements.count)
    hasher.combine(elements.first?.name)
  }
}

/// A named subset of a model's entities.
package struct ConfigurationDescription: Sendable, Hashable {
  package var name: String
  package var entityNames: [String]
  package var usedWithCloudKit: Bool

  package init(name: String, entityNames: [String], usedWithCloudKit: Bool = false) {
    self.name = name
    self.entityNames = entityNames
    self.usedWithCloudKit = usedWithCloudKit
  }
}

/// A fetch request stored in a model under a name.
package struct FetchRequestDescription: Sendable, Hashable {
  package var name: String
  package var entityName: String
  /// The predicate in `NSPredicate` format, `nil` for all objects.
  package var predicateFormat: String?
  /// The order of the results. Xcode has no field for it; only a program creates it.
  package var sortDescriptors: [Sorting]
  package var fetchLimit: Int
  package var fetchBatchSize: Int
  package var includesSubentities: Bool
  package var includesPropertyValues: Bool
  package var includesPendingChanges: Bool
  package var returnsObjectsAsFaults: Bool
  package var returnsDistinctResults: Bool
  /// `NSFetchRequestResultType`: 0 objects, 1 identifiers, 2 dictionaries, 4 count.
  package var resultType: Int

  package init(
    name: String, entityName: String, predicateFormat: String? = nil, sortDescriptors: [Sorting] = [],
    fetchLimit: Int = 0, fetchBatchSize: Int = 0, includesSubentities: Bool = true, includesPropertyValues: Bool = true,
    includesPendingChanges: Bool = true,
    returnsObjectsAsFaults: Bool = true, returnsDistinctResults: Bool = false, resultType: Int = 0
  ) {
    self.name = name
    self.entityName = entityName
    self.predicateFormat = predicateFormat
    self.sortDescriptors = sortDescriptors
    self.fetchLimit = fetchLimit
    self.fetchBatchSize = fetchBatchSize
    self.includesSubentities = includesSubentities
    self.includesPropertyValues = includesPropertyValues
    self.includesPendingChanges = includesPendingChanges
    self.returnsObjectsAsFaults = returnsObjectsAsFaults
    self.returnsDistinctResults = returnsDistinctResults
    self.resultType = resultType
  }

  /// `NSSortDescriptor`: one key of an order.
  package struct Sorting: Sendable, Hashable {
    package var keyPath: String
    package var isAscending: Bool
    /// The method that compares two values.
    package var selector: String

    package init(keyPath: String, isAscending: Bool = true, selector: String = "compare:") {
      self.keyPath = keyPath
      self.isAscending = isAscending
      self.selector = selector
    }
  }
}
