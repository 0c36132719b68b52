import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport
import Testing

@testable import CoreDataStore

/// Conversions of values keep the values, or the migration is refused.
@Suite("Migrated values") struct MigrationValueTests {
  private static func model(_ type: AttributeType) -> ModelDescription {
    ModelDescription(entities: [
      EntityDescription(
        name: "Item", properties: [.attribute(AttributeDescription(name: "value", type: type, isOptional: true))])
    ])
  }

  private func migrated(_ literal: String, from old: AttributeType, to new: AttributeType) throws -> String? {
    let store = try TemporaryStore(name: "Values.sqlite")
    let url = store.url
    try PersistentStore.open(at: url, model: Self.model(old)).close()
    let connection = try Connection(path: url.path, mode: .readWrite)
    try connection.execute("INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZVALUE) VALUES (1, 1, 1, \(literal))")
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
    connection.close()
    try PersistentStore.migrate(at: url, through: [Self.model(new)])
    let result = try Connection(path: url.path, mode: .readOnly)
    defer { result.close() }
    let row = try result.prepare("SELECT quote(ZVALUE) FROM ZITEM")
    return try row.step() ? row.text(0) : nil
  }

  @Test(
    "A value that both types can hold stays",
    arguments: [
      ("2.0", AttributeType.double, AttributeType.integer16, "2"), ("7", .integer64, .double, "7.0"),
      ("1", .integer16, .boolean, "1"), ("0", .boolean, .integer32, "0"), ("-32768", .integer64, .integer16, "-32768"),
      ("42", .integer32, .string, "'42'"), ("1048576", .integer64, .float, "1048576.0"),
      ("NULL", .double, .integer64, "NULL"), ("1.5", .decimal, .double, "1.5"), ("3", .integer32, .decimal, "3"),
      ("2.5", .double, .decimal, "2.5"), ("16777217.0", .double, .float, "16777216.0"),
      ("16777217", .decimal, .float, "16777216.0"), ("1e127", .double, .decimal, "1.0e+127"),
    ])
  func keeps(literal: String, old: AttributeType, new: AttributeType, expected: String) throws {
    #expect(try migrated(literal, from: old, to: new) == expected)
  }

  @Test(
    "A value that the new type would change is in the way",
    arguments: [
      ("1.5", AttributeType.double, AttributeType.integer64), ("32768", .integer32, .integer16),
      ("2", .integer16, .boolean), ("0.25", .float, .boolean), ("9007199254740993", .integer64, .double),
      ("16777217", .integer32, .float), ("1e300", .double, .integer64),
      ("9e999", .double, .decimal), ("-9e999", .float, .decimal), ("1e200", .double, .decimal),
      ("1e-200", .double, .decimal), ("1e300", .double, .float), ("-1e-300", .double, .float),
    ])
  func refuses(literal: String, old: AttributeType, new: AttributeType) throws {
    #expect(throws: MigrationError.self) { try migrated(literal, from: old, to: new) }
  }

  @Test("A copy that a killed process left is removed; that of a running migration stays")
  func abandonedCopies() throws {
    let store = try TemporaryStore(name: "Values.sqlite")
    let url = store.url
    try PersistentStore.open(at: url, model: Self.model(.string)).close()
    let abandoned = store.folder.appendingPathComponent(".Values.sqlite.migrating-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: abandoned, withIntermediateDirectories: true)
    try Data("rest".utf8).write(to: abandoned.appendingPathComponent("Values.sqlite"))
    let running = try WorkingCopy(of: url)
    #expect(!FileManager.default.fileExists(atPath: abandoned.path))
    let second = try WorkingCopy(of: url)
    #expect(FileManager.default.fileExists(atPath: running.url.path))
    withExtendedLifetime((running, second)) {}
  }
}
