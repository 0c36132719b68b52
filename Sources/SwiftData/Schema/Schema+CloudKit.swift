internal import ManagedModel

extension Schema {
  /// What keeps CloudKit from mirroring a store of this schema on Apple's systems; empty if nothing does.
  ///
  ///     for issue in schema.cloudKitIssues { print(issue) }   // Book.isbn is unique: …
  ///
  /// Opening a container does not check this: no store is mirrored on Linux. Problems are sorted by entity, then by
  /// property. The rules are those of Apple's "Creating a Core Data model for CloudKit". Not in Apple's framework.
  public var cloudKitIssues: [CloudKitIssue] {
    entities.flatMap { entity in
      let constraints = entity.uniquenessConstraints.map {
        CloudKitIssue(entityName: entity.name, propertyNames: $0, rule: .uniqueValues)
      }
      let properties = entity.storedProperties.flatMap { property -> [CloudKitIssue] in
        rules(brokenBy: property).map {
          CloudKitIssue(entityName: entity.name, propertyNames: [property.name], rule: $0)
        }
      }
      return (constraints + properties).sorted { $0.propertyNames.lexicographicallyPrecedes($1.propertyNames) }
    }
  }

  private func rules(brokenBy property: any SchemaProperty) -> [CloudKitIssue.Rule] {
    if property.isTransient { return [] }
    if let attribute = property as? Attribute {
      return attribute.isOptional || attribute.defaultValue != nil ? [] : [.missingValue]
    }
    guard let relationship = property as? Relationship else { return [] }
    var rules: [CloudKitIssue.Rule] = []
    if !relationship.isOptional { rules.append(.requiredRelationship) }
    if relationship.inverseName == nil { rules.append(.missingInverse) }
    if relationship.deleteRule == .deny { rules.append(.denyRule) }
    if relationship.isOrdered { rules.append(.orderedRelationship) }
    return rules
  }

  /// A property, or several properties together, that CloudKit cannot mirror.
  public struct CloudKitIssue: Hashable, Sendable, CustomStringConvertible {
    /// The entity.
    public let entityName: String
    /// The property; more than one for a uniqueness constraint of several.
    public let propertyNames: [String]
    /// The rule that is broken.
    public let rule: Rule

    /// A rule of CloudKit's mirroring.
    public enum Rule: Hashable, Sendable, CaseIterable {
      /// No values are unique.
      case uniqueValues
      /// An attribute is optional or has a default value.
      case missingValue
      /// A relationship is optional.
      case requiredRelationship
      /// A relationship has an inverse.
      case missingInverse
      /// No delete rule denies a deletion.
      case denyRule
      /// No relationship is ordered.
      case orderedRelationship
    }

    /// The properties, the problem, and the remedy.
    public var description: String {
      let place = "\(entityName).\(propertyNames.joined(separator: ", "))"
      return switch rule {
      case .uniqueValues:
        "\(place) is unique: remove the constraint, and look for an equal object before inserting one."
      case .missingValue: "\(place) has no default value: give it one, or make it optional."
      case .requiredRelationship: "\(place) is a required relationship: make it optional."
      case .missingInverse: "\(place) has no inverse: declare one with @Relationship(inverse:)."
      case .denyRule: "\(place) denies deletions: choose the delete rule .nullify or .cascade."
      case .orderedRelationship: "\(place) is ordered: keep the order in an attribute."
      }
    }
  }
}
