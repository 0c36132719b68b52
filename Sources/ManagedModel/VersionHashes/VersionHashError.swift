import ErrorReporting

/// The reason why the version hashes of a model cannot be computed.
///
/// A hash is useless unless every byte is right, so the hasher refuses everything that the rules do not cover.
package enum VersionHashError: ReportableError, Sendable, Hashable {
  case duplicateEntity(String)
  /// The entity names a superentity that the model does not have.
  case missingSuperentity(entity: String, superentity: String, nearest: String?)
  /// The entity is on, or below, a cycle of superentities.
  case cyclicInheritance(entity: String)
  /// A derivation that is neither a key path, a key path's `@count`, nor a function of nothing or of one key path
  /// (VH-7).
  case unsupportedDerivation(entity: String, attribute: String, expression: String)
  /// A count that does not fit the 32 bits that are hashed (VH-6).
  case countOutOfRange(entity: String, relationship: String)
  /// All entities together have more than five million properties, with inherited properties counted for each.
  case modelTooLarge
}

extension VersionHashError {
  package var problem: String { "cannot compute version hashes: " + phrase.problem }
  package var remedy: String? { phrase.remedy }

  private var phrase: (problem: String, remedy: String) {
    switch self {
    case .duplicateEntity(let name):
      ("the model has two entities named \(quoted(name))", "rename or remove one of them")
    case .missingSuperentity(let entity, let superentity, let nearest):
      (
        "the superentity \(quoted(superentity)) of entity \(quoted(entity)) is not in the model" + suggestion(nearest),
        "add it, or correct the name"
      )
    case .cyclicInheritance(let entity):
      ("the superentities of entity \(quoted(entity)) form a circle", "give one of them no superentity")
    case .unsupportedDerivation(let entity, let attribute, let expression):
      (
        "how the derivation \(quoted(expression)) of attribute \(quoted(attribute)) of entity \(quoted(entity)) "
          + "is hashed is not known",
        "use a key path, its @count, now(), or a function of one key path, such as sum:(lines.amount)"
      )
    case .countOutOfRange(let entity, let relationship):
      (
        "a count of relationship \(quoted(relationship)) of entity \(quoted(entity)) does not fit 32 bits",
        "choose a smaller one"
      )
    case .modelTooLarge:
      ("the entities have more than 5,000,000 properties in all, inherited ones counted", "flatten the inheritance")
    }
  }
}
