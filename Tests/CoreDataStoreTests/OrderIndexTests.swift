import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import CoreDataStore

/// Indexes of order keys that a relationship's user info asks for.
struct OrderIndexTests {
  private static func model(_ choice: String?, onOther: String? = nil) -> ModelDescription {
    func relationship(_ name: String, to entity: String, back: String, _ choice: String?, isOrdered: Bool)
      -> PropertyDescription
    {
      var description = RelationshipDescription(
        name: name, destinationEntityName: entity, inverseName: back, isOrdered: isOrdered, maximumCount: 0)
      if let choice { description.userInfo = ["NSRelationshipDescriptionOrderKeyIndexOption": .string(choice)] }
      return .relationship(description)
    }
    return ModelDescription(entities: [
      EntityDescription(
        name: "Album",
        properties: [relationship("assets", to: "Asset", back: "albums", choice, isOrdered: true)]),
      EntityDescription(
        name: "Asset",
        properties: [relationship("albums", to: "Album", back: "assets", onOther, isOrdered: onOther != nil)]),
    ])
  }

  private func indexes(_ model: ModelDescription) throws -> [String] {
    try StoreLayout(model: model).definitions().filter { $0.hasPrefix("CREATE INDEX Z_1ASSETS") }
  }

  @Test("CD-4: two more indexes of a join table, behind its own, in the words of the Photos library of 2025")
  func asked() throws {
    #expect(
      try indexes(Self.model("YES")) == [
        "CREATE INDEX Z_1ASSETS_Z_2ASSETS_INDEX ON Z_1ASSETS (Z_2ASSETS, Z_1ALBUMS)",
        "CREATE INDEX Z_1ASSETS_Z_1ALBUMS_Z_2ASSETS_Z_FOK_2ASSETS_INDEX ON Z_1ASSETS (Z_1ALBUMS, Z_2ASSETS, Z_FOK_2ASSETS)",
        "CREATE INDEX Z_1ASSETS_Z_1ALBUMS_Z_FOK_2ASSETS_Z_2ASSETS_INDEX ON Z_1ASSETS (Z_1ALBUMS, Z_FOK_2ASSETS, Z_2ASSETS)",
      ])
  }

  @Test("CD-4: none where nothing asks for them") func notAsked() throws {
    #expect(try indexes(Self.model(nil)).count == 1)
    #expect(try indexes(Self.model("NO")).count == 1)
    // An order of the other side alone is indexed for the other side alone.
    let bodies = try indexes(Self.model(nil, onOther: "YES")).dropFirst().compactMap { $0.split(separator: " (").last }
    #expect(bodies == ["Z_2ASSETS, Z_1ALBUMS, Z_FOK_1ALBUMS)", "Z_2ASSETS, Z_FOK_1ALBUMS, Z_1ALBUMS)"])
  }

  @Test("CD-4: a store without them is told which are missing") func missing() throws {
    let folder = try TemporaryStore()
    try PersistentStore.open(at: folder.url, model: Self.model("YES")).close()
    #expect(try StoreChecker.check(folder.url).isEmpty)
    let name = "Z_1ASSETS_Z_1ALBUMS_Z_FOK_2ASSETS_Z_2ASSETS_INDEX"
    try CheckerSampleStore.execute("DROP INDEX \(name)", on: folder.url)
    #expect(try StoreChecker.check(folder.url).map(\.subject) == [name])
  }
}
