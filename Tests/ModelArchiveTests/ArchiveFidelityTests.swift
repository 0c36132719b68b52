import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import ModelArchive

@Suite(
  "Our archives beside Core Data's",
  .enabled(if: Fixtures.areAvailable, Comment(rawValue: Fixtures.explanation)))
struct ArchiveFidelityTests {
  @Test("VH-15, CD-1.4: our archive of a real model has the real one's classes and keys, but for what is explained")
  func fidelity() throws {
    var unexplained: [ArchiveComparison.Difference: String] = [:]
    var seen: Set<Int> = []
    var equalCount = 0
    var objectCount = 0
    for archive in try FixtureArchives.all() {
      let form: ModelArchive.Form = archive.name.hasSuffix(".mom") ? .compiledModel : .modelCache
      let ours = try ModelArchive.encode(archive.model(), as: form)
      let comparison = try ArchiveComparison(archive.data, ours)
      objectCount += comparison.objectCount
      if comparison.differences.isEmpty { equalCount += 1 }
      for difference in comparison.differences {
        if let index = ExplainedDifference.all.firstIndex(where: { $0.covers(difference) }) {
          seen.insert(index)
        } else {
          unexplained[difference] = archive.name
        }
      }
    }
    #expect(unexplained.isEmpty, "\(unexplained)")
    let stale = ExplainedDifference.all.indices.filter { !seen.contains($0) }.map { ExplainedDifference.all[$0] }
    #expect(stale.isEmpty, "no archive differs so any more: \(stale)")
    #expect(equalCount > 20)
    #expect(objectCount > 30_000)
  }

  @Test("An archive differs from another model's in what the models differ in")
  func differences() throws {
    let attribute = AttributeDescription(name: "name", type: .string, minimumValue: .integer(1))
    var entity = EntityDescription(name: "Book", properties: [.attribute(attribute)])
    let before = try ModelArchive.encode(ModelDescription(entities: [entity]))
    var changed = attribute
    changed.isOptional = true
    changed.minimumValue = .integer(2)
    entity.properties = [.attribute(changed)]
    entity.isAbstract = true
    let after = try ModelArchive.encode(ModelDescription(entities: [entity]))
    #expect(try ArchiveComparison(before, before).differences.isEmpty)
    #expect(
      try Set(ArchiveComparison(before, after).differences.map(\.description)) == [
        "NSEntityDescription.NSIsAbstract: no key → true", "NSAttributeDescription.NSIsOptional: no key → true",
        "NSAttributeDescription._P: 193 → 195", "NSConstantValueExpression.NSConstantValue: 1 → 2",
      ])
  }
}

/// Where our archives differ from real ones, and why they may.
struct ExplainedDifference {
  /// `Class.key`; `nil` for any.
  let place: String?
  let real: String?
  let ours: String?
  let why: String

  func covers(_ difference: ArchiveComparison.Difference) -> Bool {
    (place ?? difference.place) == difference.place && (real ?? difference.real) == difference.real
      && (ours ?? difference.ours) == difference.ours
  }

  private static func list(_ why: String, _ differences: [(String?, String?, String?)]) -> [ExplainedDifference] {
    differences.map { ExplainedDifference(place: $0, real: $1, ours: $2, why: why) }
  }

  static let all =
    list(
      "A model that a program merged or changed before it opened the store: names are mutable copies, inherited "
        + "properties stand as proxies, entities without subentities have no dictionary of them. "
        + "We write a model as it is loaded.",
      [
        (nil, "NSMutableString", "string"),
        ("NSEntityDescription.NSProperties.*", "_NSPropertyDescriptionProxy", "NSAttributeDescription"),
        ("NSEntityDescription.NSProperties.*", "_NSPropertyDescriptionProxy", "NSRelationshipDescription"),
        ("NSEntityDescription.NSSubentities", "nothing", "NSMutableDictionary"),
        ("NSManagedObjectModel.NSVersionIdentifiers", "NSMutableSet", "NSSet"),
      ])
    + list(
      "A model that was loaded from an optimised .omo file: every entity has lists of indexes, empty ones too, and every "
        + "copy of an inherited property has rules of its own. We write a model as it is loaded from a .mom.",
      [
        ("NSEntityDescription.NSCompoundIndexes", "NSMutableArray", "no key"),
        ("NSEntityDescription.NSFetchIndexDescriptions", "NSMutableArray", "no key"),
        ("NSFetchIndexDescription.NSIndexElements", "NSMutableArray", "NSArray"),
        (nil, "apart", "shared NSMutableArray"), (nil, "apart", "shared NSComparisonPredicate"),
        (nil, "apart", "shared NSComparisonPredicateOperator"), (nil, "apart", "shared NSConstantValueExpression"),
      ])
    + list(
      "The compiler of the time wrote a Boolean's default as a number; a reader takes either.",
      [("NSAttributeDescription.NSDefaultValue", "integer", "flag")])
    + list(
      "Frameworks of before a feature leave out its key; a reader takes its absence for what we write.",
      [
        ("NSAttributeDescription.NSFlagsKey", "no key", "0"), ("NSFetchRequest.NSAllocationType", "no key", "0"),
        ("NSEntityDescription.NSFetchIndexDescriptions", "no key", "NSMutableArray"),
      ])
    + list(
      "A program hands over a list of its own class.",
      [
        ("NSEntityDescription.NSUniqueTuples", "NSArray", "NSMutableArray"),
        ("NSEntityDescription.NSUniqueTuples[]", "NSArray", "NSMutableArray"),
        ("NSEntityDescription.NSCompoundIndexes", "NSArray", "NSMutableArray"),
        ("NSEntityDescription.NSCompoundIndexes[]", "NSArray", "NSMutableArray"),
      ])
    + list(
      "A program's rule that is two bounds at once, in words of its own, is read as two bounds; the words are lost.",
      [
        ("NSAttributeDescription.NSValidationPredicates", "NSArray", "NSMutableArray"),
        ("NSAttributeDescription.NSValidationPredicates", "2 elements", "3 elements"),
        ("NSAttributeDescription.NSValidationWarnings", "NSArray", "NSMutableArray"),
        ("NSAttributeDescription.NSValidationWarnings", "2 elements", "3 elements"),
      ])
    + list(
      "An object of a program's own class, which nobody else can read, and an empty dictionary as a composite's default.",
      [
        ("NSAttributeDescription.NSDefaultValue", "CoreDataPlus_Tests.Cover", "nothing"),
        ("NSCompositeAttributeDescription.NSDefaultValue", "NSMutableDictionary", "nothing"),
      ])
    + list(
      "The compiler's version, which no reader asks for; we are another compiler.",
      [
        ("NSManagedObjectModel.CDMCompilerToolVersion", nil, "no key"),
        ("NSManagedObjectModel.CDMCompilerXcodeVersion", nil, "no key"),
      ])
}
