import ErrorReporting
import ManagedModel

extension ModelParser {
  /// Reads a `relationship` element. Reports a missing name or a missing destination and returns `nil`.
  mutating func relationship(_ element: XMLElement, owner: String) -> RelationshipDescription? {
    guard let name = name(of: element, in: owner) else { return nil }
    guard let destination = text("destinationEntity", of: element) else {
      report(
        .error, element.line, "\(describe(element)) of \(owner) has no destination", "choose the entity it leads to")
      return nil
    }
    var relationship = RelationshipDescription(name: name, destinationEntityName: destination)
    relationship.inverseName = text("inverseName", of: element)
    relationship.inverseEntityName = text("inverseEntity", of: element)
    relationship.isOptional = flag("optional", of: element)
    relationship.isTransient = flag("transient", of: element)
    relationship.isOrdered = flag("ordered", of: element)
    relationship.deleteRule = deleteRule(element, owner: owner)
    relationship.isIndexedBySpotlight = flag("spotlightIndexingEnabled", of: element)
    relationship.isStoredInExternalRecord = flag("storedInTruthFile", of: element)
    relationship.renamingIdentifier = text("elementID", of: element)
    relationship.versionHashModifier = text("versionHashModifier", of: element)
    relationship.userInfo = userInfo(of: element)
    // VH-11: an absent minimum is 0, even for a required to-one. An absent maximum is 0 (no bound) for a to-many, 1 for
    // a to-one.
    relationship.minimumCount = count("minCount", of: element, default: 0)
    relationship.maximumCount = count("maxCount", of: element, default: flag("toMany", of: element) ? 0 : 1)
    return relationship
  }

  private mutating func deleteRule(_ element: XMLElement, owner: String) -> RelationshipDescription.DeleteRule {
    let rules: [String: RelationshipDescription.DeleteRule] = [
      "No Action": .noAction, "Nullify": .nullify, "Cascade": .cascade, "Deny": .deny,
    ]
    guard let text = text("deletionRule", of: element) else { return .nullify }
    if let rule = rules[text] { return rule }
    let nearest = didYouMean(text, among: rules.keys)
    report(
      .error, element.line,
      "\(describe(element)) of \(owner) has the delete rule \(quoted(text)), which is not known\(nearest)",
      "choose No Action, Nullify, Cascade or Deny")
    return .nullify
  }
}
