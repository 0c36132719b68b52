package import ManagedModel

/// A reason why the rows of a store have no place in another model.
package struct MigrationObstacle: Sendable, Hashable {
  package let entity: String
  package let property: String?
  package let reason: Reason

  package init(entity: String, property: String?, reason: Reason) {
    self.entity = entity
    self.property = property
    self.reason = reason
  }

  /// A path of a property's elements as people write it; the only element of an enumeration has the property's name.
  package static func spelling(of path: [String]) -> String {
    path.count == 2 && path[0] == path[1] ? path[0] : path.joined(separator: ".")
  }

  /// What a mandatory or unique property was before the migration. It decides where a program can set the property.
  package enum PropertyOrigin: Sendable, Hashable {
    /// The old model has it for all these rows, so that code sees it before the changes.
    case formerProperty
    /// The old model lacks it for some of these rows. Code sees it after the changes only, which these rows prevent.
    case newProperty
    /// The expressions of a mapping model give it.
    case mappedProperty
  }

  package enum Reason: Sendable, Hashable {
    /// Rows without a value of a property that is, or becomes, mandatory.
    case missingValue(of: PropertyOrigin)
    case missingObject(of: PropertyOrigin)
    /// Rows of which the program's own statements took the value of a mandatory property.
    case emptied
    /// Numbers that the new type cannot hold.
    case outOfRange(AttributeType)
    /// Rows whose value is a quotient with the divisor zero.
    case divisionByZero
    case typeChange(from: AttributeType, to: AttributeType)
    case kindChange
    /// A case of an enumeration that had one value, which an earlier version of this library stored without its label, and has more now.
    case payloadChange
    /// A relationship that leads to objects which are none of its new destination.
    case destinationChange(from: String, to: String)
    /// Several objects where the new model allows one.
    case severalObjects
    /// Objects with several owners where the new model allows one.
    case severalOwners
    /// Rows with equal values of a uniqueness constraint. A migration can let one of them stay, if asked to, unless a mapping model gives
    /// the values.
    case duplicates([String], of: PropertyOrigin)
    /// Rows with equal values of a uniqueness constraint, which a relationship's rule keeps from being deleted.
    case keptDuplicates([String], entity: String, relationship: String)
    /// Rows of an entity that the new model lacks.
    case removedEntity
    /// Rows of an entity that becomes abstract.
    case becomesAbstract
    /// The store is mirrored to CloudKit, whose tables hold entity numbers.
    case mirrored
  }
}
