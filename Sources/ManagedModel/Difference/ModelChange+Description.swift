import ErrorReporting

extension ModelChange: CustomStringConvertible {
  /// The change in words: `entity “Book”, property “title” becomes optional`.
  package var description: String {
    let place = "entity \(quoted(entity))" + (property.map { ", property \(quoted($0))" } ?? "")
    return "\(place) \(phrase)"
  }

  /// The change alone, without its place: `is renamed from “heading”`.
  package var phrase: String {
    switch kind {
    case .entityAdded: "is added"
    case .entityRemoved: "is removed, and its objects with it"
    case .entityRenamed(let old), .propertyRenamed(let old):
      old == (property ?? entity)
        ? "is spelled with other characters that look the same (another Unicode normal form)"
        : "is renamed from \(quoted(old))"
    case .superentityChanged(let old, let new):
      "has \(Self.name(new, or: "no superentity")) as superentity instead of \(Self.name(old, or: "none"))"
    case .abstractnessChanged(let isAbstract): isAbstract ? "becomes abstract" : "is no longer abstract"
    case .uniquenessConstraintsChanged: "has other uniqueness constraints"
    case .indexesChanged: "has other indexes"
    case .propertyAdded(let kind): "is added (\(kind.rawValue))"
    case .propertyRemoved(let kind): "is removed, and its values with it (\(kind.rawValue))"
    case .propertyMoved(let old, let new): "is declared by entity \(quoted(new)) instead of \(quoted(old))"
    case .propertyKindChanged(let old, let new): "is \(new.withArticle) instead of \(old.withArticle)"
    case .optionalityChanged(let isOptional): isOptional ? "becomes optional" : "becomes mandatory"
    case .transienceChanged(let isTransient): isTransient ? "becomes transient" : "is stored instead of transient"
    case .versionHashModifierChanged: "has another version hash modifier"
    case .typeChanged(let old, let new): "has type \(new) instead of \(old)"
    case .defaultValueChanged: "has another default value"
    case .validationChanged: "has other validation rules"
    case .valueClassChanged: "has another value class or transformer; stored values are not converted"
    case .derivationChanged: "is derived in another way"
    case .compositeElementsChanged(let removed):
      removed.isEmpty
        ? "has other elements" : "has other elements, and the values of \(abbreviatedList(removed.map(quoted))) go"
    case .externalStorageChanged(let isAllowed): isAllowed ? "may be stored externally" : "is not stored externally"
    case .preservationChanged(let isPreserved):
      isPreserved ? "is preserved in history on deletion" : "is no longer preserved in history on deletion"
    case .readOnlyChanged(let isReadOnly): isReadOnly ? "becomes read-only" : "is no longer read-only"
    case .destinationChanged(let old, let new): "leads to entity \(quoted(new)) instead of \(quoted(old))"
    case .inverseChanged(let old, let new):
      "has \(Self.name(new, or: "no relationship")) as inverse instead of \(Self.name(old, or: "none"))"
    case .cardinalityChanged(let isToMany): isToMany ? "becomes to-many" : "becomes to-one"
    case .orderingChanged(let isOrdered): isOrdered ? "becomes ordered" : "is no longer ordered"
    case .countsChanged: "has other bounds on the number of objects"
    case .deleteRuleChanged: "has another delete rule"
    case .fetchRequestChanged: "has another fetch request"
    }
  }

  private static func name(_ name: String?, or absent: String) -> String { name.map(quoted) ?? absent }
}

extension ModelChange {
  /// Why the change cannot be inferred, and what helps; `nil` if it can be inferred.
  package var obstacleDescription: String? {
    guard let obstacle else { return nil }
    switch (obstacle, kind) {
    case (.mandatoryWithoutDefault, .propertyAdded), (.mandatoryRelationship, .propertyAdded):
      // The earlier version has no property to fill, and the later one takes no row without a value.
      return "\(obstacle); a version in between, where it is optional, lets a stage fill it"
    default: return obstacle.description
    }
  }

  /// The change and ``obstacleDescription`` as a sentence; `nil` if the change can be inferred.
  package var obstacleSentence: String? { obstacleDescription.map { "\(description): \($0)" } }
}

extension ModelChange.Obstacle: CustomStringConvertible {
  /// Why the mapping cannot be inferred.
  package var description: String {
    switch self {
    case .mandatoryWithoutDefault: "rows that exist have no value for it — give it a default value or make it optional"
    case .mandatoryRelationship: "objects that exist are related to none — make it optional"
    case .typeChange: "values are not converted from one type to another"
    case .kindChange: "values are not converted from one kind of property to another"
    case .toManyToOne: "Core Data cannot infer which of several objects to keep"
    case .mergedHierarchies(let other):
      "it comes into one hierarchy with \(quoted(other)), and was in another one before"
    case .undocumented: "the change is none of those that Core Data is documented to infer"
    }
  }
}

extension ModelChange.PropertyKind {
  fileprivate var withArticle: String { self == .attribute ? "an \(rawValue)" : "a \(rawValue)" }
}
