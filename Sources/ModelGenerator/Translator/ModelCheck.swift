import ManagedModel

/// Checks the issues of a model that prevent classes for it.
///
/// The generator translates a model with other issues as far as possible, and adds notes.
enum ModelCheck {
  /// - Throws: ``GeneratorError`` with all issues that prevent classes for the model.
  static func check(_ version: ModelVersions.Version) throws(GeneratorError) {
    let issues = version.model.validate().filter { isBlocking($0.kind) }
    if !issues.isEmpty { throw GeneratorError(version: version.name, issues: issues) }
  }

  private static func isBlocking(_ kind: ModelIssue.Kind) -> Bool {
    switch kind {
    case .duplicateName(let subject, _), .illegalName(let subject, _, _):
      [.entity, .property, .element, .composite, .fetchIndex].contains(subject)
    case .unknownSuperentity, .cyclicSuperentities, .inheritanceTooDeep, .tooManyProperties,
      .unknownDestination:
      true
    default: false
    }
  }
}
