import ErrorReporting
import ManagedModel

/// The reason why a store was not migrated; the store is as it was.
package struct MigrationError: ReportableError, Sendable, Hashable {
  package let obstacle: MigrationObstacle
  /// How many rows stand in the way; `nil` if their number does not matter.
  package let rowCount: Int64?

  /// A value of such a row, as text.
  package let example: String?

  package init(obstacle: MigrationObstacle, rowCount: Int64?, example: String? = nil) {
    self.obstacle = obstacle
    self.rowCount = rowCount
    self.example = example
  }
}

extension MigrationError {
  private var rows: String { rowCount.map { counted($0, "row") } ?? "rows" }
  private var kind: String { if case .missingObject = obstacle.reason { "relationship" } else { "property" } }
  private var subject: String {
    obstacle.property.map { "\(kind) \(quoted($0)) of entity \(quoted(obstacle.entity))" }
      ?? "entity \(quoted(obstacle.entity))"
  }

  package var problem: String {
    switch obstacle.reason {
    case .missingValue: "\(subject) is mandatory, and \(rows) would have no value of it"
    case .missingObject: "\(subject) is mandatory, and \(rows) would have no object of it"
    case .emptied: "\(subject) is mandatory, and the statements of a stage leave \(rows) without a value of it"
    case .outOfRange(let type): "\(subject) becomes \(type.modelName), which cannot hold the values of \(rows)"
    case .divisionByZero: "\(subject) is a quotient, and \(rows) would divide by zero"
    case .typeChange(let old, let new): "\(subject) changes from \(old.modelName) to \(new.modelName)"
    case .kindChange: "\(subject) changes between an attribute and a relationship"
    case .payloadChange: "the store does not tell which value of its case \(subject) was"
    case .destinationChange(_, let new) where rowCount != nil:
      "\(subject) now leads to \(quoted(new)), and \(counted(rowCount ?? 0, "link leads", "links lead")) to an object of another entity"
    case .destinationChange(let old, let new):
      "\(subject) now leads to \(quoted(new)), but its objects are of \(quoted(old)) and none is a \(quoted(new))"
    case .severalObjects: "\(subject) is to-one, and \(rows) would have several objects of it"
    case .severalOwners:
      "\(subject) has no inverse, so that an object has one owner, and \(rows) would have several"
    case .duplicates(let names, _):
      "entity \(quoted(obstacle.entity)) becomes unique by \(names.map(quoted).joined(separator: ", ")), and \(rows) \(rowCount == 1 ? "has" : "have") the values of another\(example.map { ", such as \(onOneLine($0, limit: 100))" } ?? "")"
    case .keptDuplicates(let names, let entity, let relationship):
      "entity \(quoted(obstacle.entity)) becomes unique by \(names.map(quoted).joined(separator: ", ")), and relationship \(quoted(relationship)) of entity \(quoted(entity)) keeps rows with the values of another from being deleted"
    case .removedEntity: "\(subject) is in no class of the new model, and has \(rows)"
    case .becomesAbstract: "\(subject) becomes abstract, and has \(rows)"
    case .mirrored: "the store is mirrored to CloudKit, and \(subject) would get another number or other keys"
    }
  }

  package var remedy: String? {
    switch obstacle.reason {
    case .missingValue(let property): "give it a default value, make it optional, or \(property.filling)"
    case .missingObject(let property): "make it optional, or \(property.filling)"
    case .emptied: "write a value in the statements, or make it optional"
    case .kindChange:
      "add a new property instead, or let a stage of a migration plan set it in code: it begins empty there"
    case .payloadChange:
      "give a migration plan with a version before, in which the case has the one value that the store has"
    case .outOfRange, .typeChange, .destinationChange:
      "add a new property instead, and convert the values in a custom stage of a migration plan"
    case .divisionByZero:
      "filter such rows, or write the value in a stage that generate-models makes of the mapping model"
    case .severalOwners:
      "give it a to-many inverse, or remove the surplus owners before, in a custom stage of a migration plan"
    case .severalObjects: "remove the surplus objects before, in a custom stage of a migration plan"
    case .duplicates(_, .mappedProperty), .keptDuplicates:
      "remove the duplicates before, in a custom stage of a migration plan"
    case .duplicates(_, let origin):
      "let one row of those with equal values stay (migration.uniquenessPolicy of the configuration, or store-tool migrate --duplicates), or \(origin.separating)"
    case .removedEntity:
      "add its class, name it as the original name of another class, or give a migration plan whose last version leaves it out"
    case .becomesAbstract:
      "delete them in willMigrate of a custom stage of a migration plan, and insert objects of a subclass in their place"
    case .mirrored: "migrate it with Apple's frameworks, or open a copy without the mirroring tables"
    }
  }
}

extension MigrationObstacle.PropertyOrigin {
  /// How rows get different values.
  fileprivate var separating: String {
    self == .newProperty
      ? "let the migration plan have a version before, where this is not unique, and set it in didMigrate of a custom stage to that version"
      : "remove the others in a custom stage of a migration plan"
  }

  fileprivate var filling: String {
    switch self {
    case .formerProperty: "fill it before, in willMigrate of a custom stage of a migration plan"
    case .newProperty:
      "let the migration plan have a version before, where it is optional, and fill it in didMigrate of a custom stage to that version"
    case .mappedProperty: "let the mapping model give it to these rows"
    }
  }
}
