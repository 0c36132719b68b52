import ManagedModel
import Testing

@testable import CoreDataModel

@Suite("Relationships")
struct RelationshipTests {
  @Test(
    "VH-11 Counts are as written; absent ones are 0, and 1 for the maximum of a to-one",
    arguments: [
      (#"destinationEntity="F""#, 0, 1, false),
      (#"destinationEntity="F" maxCount="1""#, 0, 1, false),
      (#"destinationEntity="F" minCount="1" maxCount="1""#, 1, 1, false),
      (#"destinationEntity="F" toMany="YES""#, 0, 0, true),
      (#"destinationEntity="F" toMany="YES" maxCount="0""#, 0, 0, true),
      (#"destinationEntity="F" toMany="YES" minCount="2" maxCount="5""#, 2, 5, true),
      (#"destinationEntity="F" toMany="NO""#, 0, 1, false),
    ])
  func counts(tag: String, minimum: Int, maximum: Int, isToMany: Bool) throws {
    let relationship = try cleanRelationship(tag)
    #expect(relationship.minimumCount == minimum)
    #expect(relationship.maximumCount == maximum)
    #expect(relationship.isToMany == isToMany)
  }

  @Test("VH-11 A missing flag is NO: a relationship is required unless it says otherwise")
  func flags() throws {
    let relationship = try cleanRelationship(#"destinationEntity="F""#)
    #expect(
      relationship == RelationshipDescription(name: "r", destinationEntityName: "F", isOptional: false))
  }

  @Test(
    "Delete rules",
    arguments: [
      ("Nullify", RelationshipDescription.DeleteRule.nullify), ("Cascade", .cascade), ("Deny", .deny),
      ("No Action", .noAction),
    ])
  func deleteRules(text: String, rule: RelationshipDescription.DeleteRule) throws {
    #expect(try cleanRelationship("destinationEntity=\"F\" deletionRule=\"\(text)\"").deleteRule == rule)
  }

  @Test("An inverse that does not point back is a warning at the relationship that claims it")
  func inverse() throws {
    let parsed = try parse(
      """
      <entity name="E"><relationship name="r" destinationEntity="F" inverseName="e" inverseEntity="F"/></entity>
      <entity name="F">
      <relationship name="e" destinationEntity="E"/>
      </entity>
      """)
    #expect(parsed.diagnostics.map(\.line) == [3, 5])
    #expect(parsed.diagnostics.map(\.severity) == [.warning, .warning])
    #expect(parsed.diagnostics.first?.problem.contains("does not have it as inverse") == true)
  }
}
