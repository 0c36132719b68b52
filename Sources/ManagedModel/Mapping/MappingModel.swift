package import Foundation

/// A mapping model: how the rows of one model become the rows of another. Core Data: `NSMappingModel`.
package struct MappingModel: Sendable, Hashable {
  /// The file's name without its extension.
  package var name: String
  package var source: Side
  package var destination: Side
  /// In the order in which a migration carries them out.
  package var entityMappings: [EntityMapping]

  package init(name: String, source: Side = Side(), destination: Side = Side(), entityMappings: [EntityMapping] = []) {
    self.name = name
    self.source = source
    self.destination = destination
    self.entityMappings = entityMappings
  }

  /// One of the two models, as far as the mapping model records it.
  package struct Side: Sendable, Hashable {
    /// The name of the version in its bundle; `nil` if the mapping model does not say.
    package var versionName: String?
    /// The model as it was when the mapping model was last saved; `nil` if the mapping model has no copy.
    package var model: ModelDescription?
    /// The version hashes of the mapped entities, if there is no copy of the model.
    package var entityHashes: [String: Data]

    package init(versionName: String? = nil, model: ModelDescription? = nil, entityHashes: [String: Data] = [:]) {
      self.versionName = versionName
      self.model = model
      self.entityHashes = entityHashes
    }
  }
}

/// How the rows of one entity become rows of another. Core Data: `NSEntityMapping`.
package struct EntityMapping: Sendable, Hashable {
  /// Unique in the mapping model; expressions refer to it.
  package var name: String
  /// `nil` if the mapping has no source rows: its rows are made by another mapping's policy.
  package var sourceEntityName: String?
  /// `nil` if the rows are left out of the destination.
  package var destinationEntityName: String?
  /// The predicate that source rows have to satisfy, in `NSPredicate`'s format; `nil` for all rows.
  package var sourceFilter: String?
  package var attributeMappings: [PropertyMapping]
  package var relationshipMappings: [PropertyMapping]
  /// The program's own class that carries out the mapping (`NSEntityMigrationPolicy`); `nil` for Core Data's.
  package var policyClassName: String?
  /// Values for the policy class.
  package var userInfo: [String: UserInfoValue]

  package init(
    name: String, sourceEntityName: String? = nil, destinationEntityName: String? = nil, sourceFilter: String? = nil,
    attributeMappings: [PropertyMapping] = [], relationshipMappings: [PropertyMapping] = [],
    policyClassName: String? = nil, userInfo: [String: UserInfoValue] = [:]
  ) {
    self.name = name
    self.sourceEntityName = sourceEntityName
    self.destinationEntityName = destinationEntityName
    self.sourceFilter = sourceFilter
    self.attributeMappings = attributeMappings
    self.relationshipMappings = relationshipMappings
    self.policyClassName = policyClassName
    self.userInfo = userInfo
  }

  /// The name that Core Data's compiler gives a mapping without one: `BookToBook`.
  package static func defaultName(from source: String?, to destination: String?) -> String {
    [source, destination].compactMap(\.self).joined(separator: "To")
  }
}

/// Where the value of one destination property comes from. Core Data: `NSPropertyMapping`.
package struct PropertyMapping: Sendable, Hashable {
  package var name: String
  package var value: Value

  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }

  package enum Value: Sendable, Hashable {
    /// The source property of the same name or renaming identifier, as Core Data's compiler fills it in.
    case corresponding
    case expression(ExpressionTree)
    /// An expression that was not understood, with the reason.
    case unreadable(String)
    /// The property keeps its default value.
    case none
  }
}
