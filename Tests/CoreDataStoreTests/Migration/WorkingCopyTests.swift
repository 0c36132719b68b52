import Foundation
import ManagedModel
import SQLite
import TestSupport
import Testing

@testable import CoreDataStore

@Suite("Working copies") struct WorkingCopyTests {
  private static let model = MappingWorld.model(
    EntityDescription(name: "Item", properties: [MappingWorld.attribute("name", .string)]))

  /// A store without a write-ahead log, as stores from before 2013 are.
  private func journalStore() throws -> MappingWorld {
    let world = try MappingWorld(Self.model, "INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'Rope')")
    let connection = try Connection(path: world.store.url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.setPragma("journal_mode", "DELETE")
    return world
  }

  private func rename(_ url: URL, _ name: String) throws {
    let connection = try Connection(path: url.path, mode: .readWrite)
    defer { connection.close() }
    try connection.execute("UPDATE ZITEM SET ZNAME = '\(name)'")
  }

  @Test("A store with a rollback journal is not touched before the copy takes its place, and then has a log")
  func journal() throws {
    let world = try journalStore()
    let before = try Data(contentsOf: world.store.url)
    let copy = try WorkingCopy(of: world.store.url)
    #expect(try Data(contentsOf: world.store.url) == before)
    let store = try PersistentStore.open(at: copy.url)
    try store.write { try $0.execute("UPDATE ZITEM SET ZNAME = 'Tin'") }
    store.close()
    #expect(try Data(contentsOf: world.store.url) == before)
    #expect(try copy.publish())
    #expect(try world.text("SELECT ZNAME FROM ZITEM") == "Tin")
    #expect(try world.text("PRAGMA journal_mode") == "wal")
  }

  @Test("A save of another program before the copy takes the store's place is kept", arguments: [true, false])
  func otherSave(hasLog: Bool) throws {
    let world = try journalStore()
    if hasLog { try PersistentStore.open(at: world.store.url).write { try $0.execute("UPDATE ZITEM SET Z_OPT = 2") } }
    let copy = try WorkingCopy(of: world.store.url)
    try rename(copy.url, "Tin")
    try rename(world.store.url, "Tar")
    #expect(try !copy.publish())
    #expect(try world.text("SELECT ZNAME FROM ZITEM") == "Tar")
  }

  @Test("A program that gives a store a log meanwhile has written to it")
  func otherLog() throws {
    let world = try journalStore()
    let copy = try WorkingCopy(of: world.store.url)
    let store = try PersistentStore.open(at: world.store.url)
    try store.write { try $0.execute("UPDATE ZITEM SET ZNAME = 'Tar'") }
    #expect(try !copy.publish())
    store.close()
    #expect(try world.text("SELECT ZNAME FROM ZITEM") == "Tar")
  }
}
