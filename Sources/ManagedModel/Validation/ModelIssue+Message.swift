import ErrorReporting

extension ModelIssue {
  /// Severity and message, on one line.
  package var description: String { "\(severity.rawValue): \(fullMessage)" }

  package var problem: String { phrase.problem }
  package var remedy: String? { phrase.remedy }

  package var place: String? {
    let parts = [entity.map { "entity \(quoted($0))" }, property.map { "property \(quoted($0))" }]
    let text = parts.compactMap(\.self).joined(separator: ", ")
    return text.isEmpty ? nil : text
  }

  private var phrase: (problem: String, remedy: String) {
    switch kind {
    case .illegalName(let subject, _, .empty):
      ("the \(subject.rawValue)'s name is empty", "give it a name")
    case .illegalName(let subject, let name, .containsNUL):
      ("the \(subject.rawValue)'s name \(quoted(name)) contains a NUL character", "rename it")
    case .duplicateName(let subject, let name):
      ("there is more than one \(subject.rawValue) named \(quoted(name))", "rename or remove one")
    case .sharedTable(let other):
      (
        "the name differs from that of entity \(quoted(other)) only in case, and a store has one table for both names",
        "rename one, or keep their objects in different stores"
      )
    case .redeclaredProperty(let superentity):
      ("the property is inherited from entity \(quoted(superentity)) and declared again", "rename or remove one")
    case .unknownSuperentity(let name, let nearest):
      ("the superentity \(quoted(name)) is not in the model" + suggestion(nearest), "add it or correct the name")
    case .cyclicSuperentities:
      ("the superentities form a circle", "give one of them no superentity")
    case .inheritanceTooDeep:
      ("more than \(ModelDescription.maximumInheritanceDepth) entities inherit in one line", "inherit in fewer levels")
    case .tooManyProperties:
      (
        "the entities have more than \(ModelDescription.maximumPropertyCount) properties, inherited ones and elements of "
          + "composites counted in each",
        "inherit fewer properties, or divide the model"
      )
    case .unknownDestination(let name, let nearest):
      ("the destination entity \(quoted(name)) is not in the model" + suggestion(nearest), "add it or correct the name")
    case .unknownInverse(let name, let entity, let nearest):
      (
        "the inverse \(quoted(name)) is not a relationship of entity \(quoted(entity))" + suggestion(nearest),
        "add it or correct the name"
      )
    case .unknownInverseEntity(let name, let nearest):
      ("the inverse's entity \(quoted(name)) is not in the model" + suggestion(nearest), "add it or correct the name")
    case .unrelatedInverseEntity(let name, let destination):
      (
        "the inverse belongs to entity \(quoted(name)), which is neither the destination \(quoted(destination)) nor one "
          + "of its superentities or subentities",
        "choose an inverse of the destination"
      )
    case .inverseDoesNotPointBack(let name, let entity):
      (
        "its inverse \(quoted(name)) of entity \(quoted(entity)) does not have it as inverse",
        "let each name the other; until then a change of one does not change the other"
      )
    case .missingInverse:
      ("the relationship has no inverse", "add one, so that both sides stay consistent")
    case .illegalCounts(let minimum, let maximum):
      (
        minimum < 0
          ? "the minimum count \(minimum) is negative"
          : "the minimum count \(minimum) and the maximum count \(maximum) exclude each other",
        "correct the counts: no container takes classes with them, and they are a part of the entity's hash"
      )
    case .unreadableDerivation(let expression):
      ("the derivation \(quoted(expression)) is no expression", "correct it in the model editor")
    case .unreadablePattern(let pattern):
      ("the pattern \(quoted(pattern)) is no regular expression", "correct it: no value is checked with it")
    case .unreadableRule(let predicate):
      ("the validation rule \(quoted(predicate)) is no predicate", "correct it: no value is checked with it")
    case .crossedBounds(let isLength):
      (
        "the smallest \(isLength ? "length" : "value") allowed exceeds the largest, so that no value is allowed",
        "correct one of them"
      )
    case .undefinedType:
      ("the attribute is stored, yet its type is undefined", "choose a type or make it transient")
    case .compositeWithoutElements:
      ("the composite has no elements", "define its composite type")
    case .defaultOfOtherType(let type):
      ("the default value is not one of the type \(type)", "correct the default or the type")
    case .emptyConstraint:
      ("a uniqueness constraint names no property", "remove it")
    case .unknownConstraintProperty(let name, let nearest):
      (
        "a uniqueness constraint names \(quoted(name)), which the entity does not have" + suggestion(nearest),
        "correct the name"
      )
    case .unsuitableConstraintProperty(let name):
      (
        "a uniqueness constraint names \(quoted(name)), which has no single stored value",
        "name stored attributes and to-one relationships only"
      )
    case .structureInConstraint(let name, let element):
      (
        "a uniqueness constraint names \(quoted(name)), whose elements have a column each",
        element.map { "name its elements, such as \(quoted($0))" } ?? "name other properties"
      )
    case .casesInConstraint(let name):
      (
        "a uniqueness constraint names \(quoted(name)), an enumeration without raw values, whose cases have a column each",
        "give the enumeration raw values, which are in one column, or make another property unique"
      )
    case .repeatedFetchIndex(let name):
      ("the fetch index \(quoted(name)) is there twice, with equal elements", "remove one; it was taken once")
    case .unreadableIndexPredicate(let index, let predicate):
      (
        "the predicate \(quoted(predicate)) of the index \(quoted(index)) is no predicate",
        "correct it"
      )
    case .unsupportedIndexExpression(let index, let expression):
      (
        "the index \(quoted(index)) has the expression \(quoted(expression)), for which a store has no column",
        "index a property, self or entity"
      )
    case .unknownIndexProperty(let index, let name, let nearest):
      (
        "the index \(quoted(index)) names \(quoted(name)), which the entity does not have" + suggestion(nearest),
        "correct the name"
      )
    case .unknownConfigurationEntity(let configuration, let name, let nearest):
      (
        "the configuration \(quoted(configuration)) names entity \(quoted(name)), which is not in the model"
          + suggestion(nearest),
        "correct the name"
      )
    case .unknownFetchEntity(let request, let name, let nearest):
      (
        "the fetch request \(quoted(request)) names entity \(quoted(name)), which is not in the model"
          + suggestion(nearest),
        "correct the name"
      )
    }
  }
}
