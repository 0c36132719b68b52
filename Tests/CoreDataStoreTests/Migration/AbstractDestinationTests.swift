import ManagedModel
import StoreInspection
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A to-one relationship led to an abstract entity without subentities, which has no objects.
@Suite("A relationship to an abstract entity without subentities in a migration")
struct AbstractDestinationTests {
  private static func model(_ destination: String?, hasSubentity: Bool = false) -> ModelDescription {
    let number = PropertyDescription.attribute(AttributeDescription(name: "number", type: .integer64, isOptional: true))
    return ModelDescription(
      entities: [
        EntityDescription(name: "Author", properties: [number]),
        EntityDescription(
          name: "Book",
          properties: [number]
            + (destination.map { [.relationship(.init(name: "owner", destinationEntityName: $0))] } ?? [])),
        EntityDescription(name: "Ghost", isAbstract: true),
      ] + (hasSubentity ? [EntityDescription(name: "Spirit", superentityName: "Ghost")] : []))
  }

  @Test(
    "It is added, removed, led elsewhere, or its destination gets a subentity: nothing is in the way",
    arguments: [
      (nil, "Ghost", false), ("Ghost", nil, false), ("Ghost", "Author", false), ("Ghost", "Ghost", true),
    ] as [(String?, String?, Bool)])
  func migrated(before: String?, after: String?, hasSubentity: Bool) throws {
    let world = try ImportExportWorld(Self.model(before))
    try world.take(#"{"$entity":"Book","number":7}"#)
    world.store.close()
    let (url, model) = (world.folder.url, Self.model(after, hasSubentity: hasSubentity))
    #expect(try PersistentStore.migrationObstacles(at: url, to: model).isEmpty)
    #expect(try PersistentStore.migrate(at: url, through: [model]))
    #expect(try StoreChecker.check(url).isEmpty)
    let migrated = try PersistentStore.open(at: url, model: model)
    defer { migrated.close() }
    #expect(try ImportExportWorld.dump(migrated) == #"{"$entity":"Book","$id":"Book/p1","number":7}"# + "\n")
  }
}
