import CoreDataStore
import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

@Suite("Classes that get a common superclass") struct CommonSuperclassTests {
  private let place: TemporaryStore

  init() throws { place = try TemporaryStore() }

  private func open(
    _ version: any VersionedSchema.Type, _ plan: (any SchemaMigrationPlan.Type)? = nil
  ) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: plan,
        configurations: ModelConfiguration(url: place.url)))
  }

  private func check() throws {
    #expect(try StoreChecker.check(place.url) == [])
    try Oracle.expectSound(place.url)
  }

  @Test(
    "Their objects stay with their values, links and history, although they had equal keys", arguments: [true, false])
  func equalKeys(hasPlan: Bool) throws {
    try Pets.fill(open(Pets.V1.self))
    try Pets.expectPets(open(Pets.V2.self, hasPlan ? Pets.LightPlan.self : nil))
    try check()
  }

  @Test("Objects that a stage deletes before, and inserts after, leave a history that is sound")
  func copied() throws {
    try Pets.fill(open(Pets.V1.self))
    let context = try open(Pets.V2.self, Pets.CopyingPlan.self)
    let pets = try context.fetch(FetchDescriptor<Pets.V2.Pet>(sortBy: [SortDescriptor(\.name)]))
    #expect(pets.map(\.name) == ["Bello", "Kit", "Rex", "Tom"])
    try check()
  }

  @Test("Objects with different keys keep them")
  func differentKeys() throws {
    let context = try open(Pets.V1.self)
    context.insert(Pets.V1.Cat("Tom"))
    try context.save()
    let connection = try Connection(path: place.url.path, mode: .readWrite)
    try connection.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = 7 WHERE Z_NAME = 'Dog'")
    connection.close()
    let rex = Pets.V1.Dog("Rex")
    let other = try open(Pets.V1.self)
    other.insert(rex)
    try other.save()
    let pets = try open(Pets.V2.self).fetch(FetchDescriptor<Pets.V2.Pet>(sortBy: [SortDescriptor(\.name)]))
    #expect(pets.map { $0.persistentModelID.primaryKey } == ["p8", "p1"])
    try check()
  }
}
