import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Counts that triggers keep by user info of an attribute; their texts are compared with those of real stores elsewhere.
struct LayoutCountTriggersTests {
  /// People count their faces that are not hidden; a face says whether its picture is to be seen.
  private static func model(condition: String = "(faces.hidden == NO) && (faces.size > 3)") -> ModelDescription {
    func relationship(_ name: String, _ destination: String, _ inverse: String, isToMany: Bool) -> PropertyDescription {
      .relationship(
        RelationshipDescription(
          name: name, destinationEntityName: destination, inverseName: inverse, maximumCount: isToMany ? 0 : 1))
    }
    func attribute(_ name: String, _ type: AttributeType, _ condition: String? = nil) -> PropertyDescription {
      .attribute(
        AttributeDescription(
          name: name, type: type, isOptional: true, userInfo: condition.map { ["NSTriggerKey": .string($0)] } ?? [:]))
    }
    return ModelDescription(entities: [
      EntityDescription(
        name: "Face",
        properties: [
          attribute("hidden", .boolean), attribute("size", .integer32), attribute("name", .string),
          attribute("isVisible", .boolean, "picture.isShown == 1"),
          relationship("person", "Person", "faces", isToMany: false),
          relationship("picture", "Picture", "faces", isToMany: false),
        ]),
      EntityDescription(
        name: "Person",
        properties: [
          attribute("faceCount", .integer32, condition), relationship("faces", "Face", "person", isToMany: true),
        ]
      ),
      EntityDescription(
        name: "Picture",
        properties: [attribute("isShown", .boolean), relationship("faces", "Face", "picture", isToMany: true)]),
    ])
  }

  @Test("CD-8: an attribute counts the objects of a relationship that meet the condition in its user info")
  func counts() throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model())
    var editor = try RealStoresEditor(store)
    let entity = { (name: String) throws in try #require(store.layout.entity(named: name)) }
    let (faces, people, pictures) = (try entity("Face"), try entity("Person"), try entity("Picture"))
    for _ in 0..<2 { _ = editor.insert(people, [:]) }
    _ = editor.insert(pictures, ["isShown": [.integer(1)]])
    for size in 1...6 { _ = editor.insert(faces, ["hidden": [.integer(0)], "size": [.integer(Int64(size))]]) }
    _ = try editor.save(to: store)
    func key(_ entity: EntityLayout, _ key: Int64) -> ObjectKey { ObjectKey(entity: Int32(entity.number), key: key) }
    func expectCounts(_ counts: [Int64?], _ visible: Int64) throws {
      let found = try PlainSQL.rows(folder.url, "SELECT ZFACECOUNT FROM ZPERSON ORDER BY Z_PK").map { $0[0] }
      #expect(found == counts.map { $0.map(StoreValue.integer) ?? .null })
      #expect(try PlainSQL.rows(folder.url, "SELECT total(ZISVISIBLE) FROM ZFACE") == [[.real(Double(visible))]])
    }
    try expectCounts([0, 0], 0)
    // Versions are compared on saving: a trigger's change counts as one.
    func edit(_ change: (inout RealStoresEditor) -> Void) throws {
      editor = try RealStoresEditor(store)
      change(&editor)
      _ = try editor.save(to: store)
    }
    try edit { editor in
      for face in 1...6 { editor.link(key(faces, Int64(face)), "person", to: key(people, 1)) }
      editor.link(key(faces, 1), "picture", to: key(pictures, 1))
      editor.link(key(faces, 2), "picture", to: key(pictures, 1))
    }
    try expectCounts([3, 0], 2)
    try edit { $0.set(["hidden": [.integer(1)]], of: key(faces, 6)) }
    try expectCounts([2, 0], 2)
    try edit { $0.link(key(faces, 5), "person", to: key(people, 2)) }
    try expectCounts([1, 1], 2)
    try edit { editor in
      editor.delete(key(faces, 4))
      editor.unlink(key(faces, 1), "picture", from: key(pictures, 1))
    }
    try expectCounts([0, 1], 1)
    try edit { $0.set(["isShown": [.integer(0)]], of: key(pictures, 1)) }
    try expectCounts([0, 1], 0)
    store.close()
    try Oracle.expectSound(folder.url)
  }

  @Test(
    "CD-8: a condition of any other form makes no triggers, and none of its text goes into the store",
    arguments: [
      "", "faces", "faces.hidden == NO OR faces.size > 3", "faces.name == 'x'); DROP TABLE ZFACE; --'",
      "faces.name == \"x\"", "faces.hidden == person.faceCount", "(faces.hidden == NO) && (other.size == 1)",
      "faces.nothing == 1", "ANY faces.hidden == 1", "faces.person.faceCount == 1", "faceCount == 1", "faces.hidden ==",
    ])
  func otherConditions(_ condition: String) throws {
    let folder = try TemporaryStore()
    let store = try PersistentStore.open(at: folder.url, model: Self.model(condition: condition))
    let names = try store.read { try Catalogue($0) }.definitions.filter { $0.kind == "trigger" }.map(\.name)
    #expect(!names.contains { $0.hasPrefix("ZT_ZPERSON") } && names.count == 7)
  }
}
