/// A relationship of an entity.
package struct RelationshipDescription: Sendable, Hashable {
  package var name: String
  package var destinationEntityName: String
  package var inverseName: String?
  /// The entity that the source names for the inverse: the destination or one of its superentities.
  package var inverseEntityName: String?
  package var isOptional: Bool
  package var isTransient: Bool
  package var isOrdered: Bool
  /// Smallest number of objects; 0 if the source states none (VH-11).
  package var minimumCount: Int
  /// Largest number of objects: 1 for to-one, 0 for to-many without a bound (VH-11).
  package var maximumCount: Int
  package var deleteRule: DeleteRule
  package var isIndexedBySpotlight: Bool
  package var isStoredInExternalRecord: Bool
  package var renamingIdentifier: String?
  package var versionHashModifier: String?
  package var userInfo: [String: UserInfoValue]

  package init(
    name: String, destinationEntityName: String, inverseName: String? = nil, inverseEntityName: String? = nil,
    isOptional: Bool = true, isTransient: Bool = false, isOrdered: Bool = false,
    minimumCount: Int = 0, maximumCount: Int = 1, deleteRule: DeleteRule = .nullify,
    isIndexedBySpotlight: Bool = false, isStoredInExternalRecord: Bool = false,
    renamingIdentifier: String? = nil, versionHashModifier: String? = nil, userInfo: [String: UserInfoValue] = [:]
  ) {
    self.name = name
    self.destinationEntityName = destinationEntityName
    self.inverseName = inverseName
    self.inverseEntityName = inverseEntityName
    self.isOptional = isOptional
    self.isTransient = isTransient
    self.isOrdered = isOrdered
    self.minimumCount = minimumCount
    self.maximumCount = maximumCount
    self.deleteRule = deleteRule
    self.isIndexedBySpotlight = isIndexedBySpotlight
    self.isStoredInExternalRecord = isStoredInExternalRecord
    self.renamingIdentifier = renamingIdentifier
    self.versionHashModifier = versionHashModifier
    self.userInfo = userInfo
  }

  package var isToMany: Bool { maximumCount != 1 }

  /// `NSDeleteRule`; raw values as archived (CD-1.4).
  package enum DeleteRule: Int, Sendable, Hashable {
    case noAction = 0
    case nullify = 1
    case cascade = 2
    case deny = 3
  }
}
