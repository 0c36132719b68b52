import ErrorReporting
package import ManagedModel

/// The reason why a model has no layout: an inconsistency, or colliding names.
package enum LayoutError: ReportableError, Sendable, Hashable {
  case noEntities
  case duplicateEntity(String)
  case missingSuperentity(entity: String, superentity: String, nearest: String?)
  case cyclicInheritance(entity: String)
  case inheritanceTooDeep(entity: String)
  case duplicateProperty(entity: String, property: String)
  case missingDestination(entity: String, relationship: String, destination: String, nearest: String?)
  case missingInverse(entity: String, relationship: String, destination: String, inverse: String, nearest: String?)
  case unstorableAttribute(entity: String, attribute: String)
  case compositeTooDeep(entity: String, attribute: String)
  case missingConstraintProperty(entity: String, property: String, nearest: String?)
  case missingIndexProperty(entity: String, index: String, property: String, nearest: String?)
  case unsupportedIndexExpression(entity: String, index: String, expression: String)
  case unsupportedIndexPredicate(entity: String, index: String, predicate: String)
  /// SQL text ends at a NUL character, even inside quotation marks.
  case nulInName(of: String? = nil, entity: String)
  case tableNamesCollide(entity: String, other: String, table: String)
  /// Both users with the words for them in messages. They may be the same.
  case definitionNamesCollide(kind: String, name: String, user: String, other: String, cause: NameCollision?)
  /// `Z_PRIMARYKEY` gives an entity a number outside of Core Data's range (CD-1.2).
  case unusableNumber(entity: String, number: Int)
  case sharedNumber(entity: String, other: String, number: Int)
}

extension LayoutError {
  /// Why two names that a model gives are one.
  package enum NameCollision: Sendable, Hashable {
    /// SQLite ignores the case of letters.
    case letterCase
    /// The names of an index's properties are joined: `a_b`, and `a` with `b`.
    case properties([String], other: [String])
  }

  package var problem: String { phrase.problem }
  package var remedy: String? { phrase.remedy }

  private var phrase: (problem: String, remedy: String?) {
    switch self {
    case .noEntities: ("the model has none of the store's entities", nil)
    case .duplicateEntity(let name):
      ("the model has two entities named \(quoted(name))", "rename or remove one of them")
    case .missingSuperentity(let entity, let superentity, let nearest):
      (
        "the superentity \(quoted(superentity)) of entity \(quoted(entity)) is not in the model\(suggestion(nearest))",
        "add it, or correct the name"
      )
    case .cyclicInheritance(let entity):
      ("the superentities of entity \(quoted(entity)) form a circle", "give one of them no superentity")
    case .inheritanceTooDeep(let entity):
      (
        "entity \(quoted(entity)) has more than \(ModelDescription.maximumInheritanceDepth) superentities",
        "inherit in fewer levels"
      )
    case .duplicateProperty(let entity, let property):
      ("entity \(quoted(entity)) has two properties named \(quoted(property))", "rename or remove one of them")
    case .missingDestination(let entity, let relationship, let destination, let nearest):
      (
        "\(Self.relationship(relationship, of: entity)) leads to \(quoted(destination)), which is not in the model"
          + suggestion(nearest),
        "add the entity, or correct the destination"
      )
    case .missingInverse(let entity, let relationship, let destination, let inverse, let nearest):
      (
        "\(Self.relationship(relationship, of: entity)) names the inverse \(quoted(inverse)), which is no relationship "
          + "of \(quoted(destination))\(suggestion(nearest))",
        "add it, or correct the inverse"
      )
    case .unstorableAttribute(let entity, let attribute):
      (
        "attribute \(quoted(attribute)) of entity \(quoted(entity)) has a type that no store can hold",
        "give it a type, or make it transient"
      )
    case .compositeTooDeep(let entity, let attribute):
      (
        "the composite attribute \(quoted(attribute)) of entity \(quoted(entity)) is nested too deeply, or in a circle",
        "nest fewer structures"
      )
    case .missingConstraintProperty(let entity, let property, let nearest):
      (
        "a uniqueness constraint of entity \(quoted(entity)) names \(quoted(property)), which is no stored attribute or "
          + "to-one relationship of it\(suggestion(nearest))",
        "correct the constraint"
      )
    case .missingIndexProperty(let entity, let index, let property, let nearest):
      (
        "the fetch index \(quoted(index)) of entity \(quoted(entity)) names \(quoted(property)), which is no stored "
          + "attribute or to-one relationship of it\(suggestion(nearest))",
        "correct the index"
      )
    case .unsupportedIndexExpression(let entity, let index, let expression):
      (
        "the fetch index \(quoted(index)) of entity \(quoted(entity)) has the element \(quoted(expression)), which has "
          + "no column",
        "use a property, self or entity"
      )
    case .unsupportedIndexPredicate(let entity, let index, let predicate):
      (
        "the partial fetch index \(quoted(index)) of entity \(quoted(entity)) has the predicate \(quoted(predicate)), "
          + "which cannot be translated to SQL",
        "compare properties with constants, and join with AND and OR"
      )
    case .nulInName(let part, let entity):
      (
        "the name of \(part.map { $0 + " of " } ?? "")entity \(quoted(entity)) contains a NUL character, which no table "
          + "or column can have",
        "rename it"
      )
    case .tableNamesCollide(let entity, let other, let table):
      ("entity \(quoted(entity)) and \(other) would both use the table \(quoted(table))", "rename the entity")
    case .definitionNamesCollide(let kind, let name, let user, let other, let cause):
      (
        (user == other ? "\(user) would twice have the \(kind)" : "\(user) and \(other) would both have the \(kind)")
          + " \(quoted(name))" + (cause?.phrase ?? ""),
        "rename one of the indexes, properties or entities that it is named after" + (cause?.otherRemedy ?? "")
      )
    case .unusableNumber(let entity, let number):
      (
        "entity \(quoted(entity)) has the number \(number); entity numbers are 1 to \(HistoryTables.changeNumber - 1)",
        Self.restoringNumbers
      )
    case .sharedNumber(let entity, let other, let number):
      (
        "entities \(quoted(other)) and \(quoted(entity)) share the number \(number)", Self.restoringNumbers
      )
    }
  }

  private static let restoringNumbers =
    "another program changed the numbers in Z_PRIMARYKEY: restore the store from a backup"

  private static func relationship(_ name: String, of entity: String) -> String {
    "relationship \(quoted(name)) of entity \(quoted(entity))"
  }
}

extension LayoutError {
  /// The error of the metadata, if the model has the missing entity, and only the store's hashes leave it out.
  package func ofMetadata(leavingOutPartOf model: ModelDescription) -> MetadataError? {
    guard case .missingDestination(let entity, _, let destination, _) = self,
      model.entities.contains(where: { $0.name == destination })
    else { return nil }
    return .noHash(entity: destination, origin: entity)
  }
}

extension LayoutError.NameCollision {
  fileprivate var phrase: String {
    switch self {
    case .letterCase: ": to SQLite, capital and small letters are the same"
    case .properties(let one, let other): ", one of \(Self.list(one)) and one of \(Self.list(other))"
    }
  }

  fileprivate var otherRemedy: String {
    switch self {
    case .properties(let one, let other) where max(one.count, other.count) > 1:
      ", or let one name its properties in another order"
    case .properties, .letterCase: ""
    }
  }

  private static func list(_ properties: [String]) -> String { properties.map(quoted).joined(separator: ", ") }
}
