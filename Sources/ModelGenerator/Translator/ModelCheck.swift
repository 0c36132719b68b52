import ManagedModel

/// What a model must not leave open if classes are to stand for it.
///
/// Everything else that is wrong with a model is translated as far as it goes, and noted.
enum ModelCheck {
  /// - Throws: ``GeneratorError`` with everything that keeps the model from being classes.
  static func check(_ version: ModelVersions.Version) throws(GeneratorError) {
    let issues = version.model.validate().filter { isBlocking($0.kind) }
    if !issues.isEmpty { throw GeneratorError(version: version.name, issues: issues) }
  }

  private static func isBlocking(_ kind: ModelIssue.Kind) -> Bool {
    switch kind {
    case .duplicateName(let subject, _), .illegalName(let subject, _, _):
      [.entity, .property, .element, .composite].contains(subject)
    case .unknownSuperentity, .cyclicSuperentities, .inheritanceTooDeep, .tooManyProperties,
      .unknownDestination:
      true
    default: false
    }
  }
}
