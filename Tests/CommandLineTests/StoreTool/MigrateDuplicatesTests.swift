import CoreDataStore
import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@Suite("store-tool migrate --duplicates", .needsStoreTool)
struct MigrateDuplicatesTests: StoreToolSuite {
  let store: TemporaryStore
  private var target: String { store.folder.appendingPathComponent("Target.sqlite").path }

  private static func model(_ constraints: [[String]]) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: "Tag", properties: [.attribute(AttributeDescription(name: "name", type: .string, isOptional: true))],
        uniquenessConstraints: constraints)
    ])
  }

  /// A store of three tags, two of which have one name, and a store whose model has unique names.
  init() throws {
    store = try TemporaryStore(name: "Tags.sqlite")
    let old = try PersistentStore.open(at: store.url, model: Self.model([]))
    try old.write {
      try $0.execute(
        "INSERT INTO ZTAG (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'sea'), (2, 1, 1, 'sky'), (3, 1, 1, 'sea');"
          + "UPDATE Z_PRIMARYKEY SET Z_MAX = 3")
    }
    old.close()
    try PersistentStore.open(at: URL(fileURLWithPath: target), model: Self.model([["name"]])).close()
  }

  @Test("Without it they are in the way, and the message names a value and the option")
  func fails() throws {
    let before = try Data(contentsOf: store.url)
    for arguments in [["--dry-run"], [], ["--duplicates", "fail"]] {
      let result = try storeTool.run(["migrate", path, "--to", target] + arguments)
      #expect(result.status == 1)
      #expect(result.errors.contains("1 row has the values of another, such as “sea”"), "\(result.errors)")
      #expect(result.errors.contains("--duplicates"))
    }
    #expect(try Data(contentsOf: store.url) == before)
  }

  @Test("One row stays, the oldest or the newest; a dry run says so and changes nothing")
  func merges() throws {
    let before = try Data(contentsOf: store.url)
    let dry = try storeTool.run(["migrate", path, "--to", target, "--duplicates", "upsert", "--dry-run"])
    #expect(dry.status == 0 && dry.output.contains("rows of entity “Tag” with equal “name” become one row"))
    #expect(try Data(contentsOf: store.url) == before)
    let result = try storeTool.run(["migrate", path, "--to", target, "--duplicates", "keep-existing"])
    #expect(result.status == 0, "\(result.errors)")
    #expect((result.output + result.errors).contains("merged 1 row of entity Tag"))
    let store = try PersistentStore.open(at: store.url)
    defer { store.close() }
    #expect(try store.read { try $0.text("SELECT group_concat(Z_PK) FROM ZTAG") } == "1,2")
    try Oracle.expectSound(self.store.url)
  }
}
