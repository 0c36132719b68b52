package import ManagedModel
import SQLite

/// An inferred migration as SQL: checks, then statements, to be run in this order in one transaction.
///
/// A value without input or output, made from two layouts.
struct MigrationScript: Sendable {
  enum Step: Sendable {
    /// A count that must be 0, or the migration is refused.
    case check(String, MigrationObstacle)
    case run(String)
    /// An index or a trigger of another program. It is left out if it no longer fits the tables.
    case attempt(String)
  }

  let steps: [Step]
  /// The new column bitmaps of history, by the entity's number in the old store.
  let bitmaps: [Int: MigratedBitmap]
}

/// A reason why the rows of a store have no place in another model.
package struct MigrationObstacle: Sendable, Hashable {
  package let entity: String
  package let property: String?
  package let reason: Reason

  package enum Reason: Sendable, Hashable {
    /// Rows without a value of a property that is, or becomes, mandatory.
    case missingValue
    case missingObject
    /// Numbers that the new type cannot hold.
    case outOfRange(AttributeType)
    case typeChange(from: AttributeType, to: AttributeType)
    case kindChange
    /// A relationship that leads to objects of an unrelated entity.
    case destinationChange(from: String, to: String)
    /// Several objects where the new model allows one.
    case severalObjects
    /// Rows with equal values of a uniqueness constraint.
    case duplicates([String])
    /// Rows of an entity that the new model lacks.
    case removedEntity
    /// Rows of an entity that becomes abstract.
    case becomesAbstract
    /// Entities with tables of their own come into one table, and both have rows with the same keys.
    case mergedHierarchies(with: String)
    /// The store is mirrored to CloudKit, whose tables hold entity numbers.
    case mirrored
  }
}
