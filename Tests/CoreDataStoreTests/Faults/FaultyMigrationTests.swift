import Foundation
import ManagedModel
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// A migration during which any one call to the operating system fails, or that one and all later ones, leaves the old store or the
/// new one, with all of its rows.
@Suite("Migrations that are interrupted") struct FaultyMigrationTests {
  /// The model of ``FetchTestWorld`` with a new entity that renumbers the others, a renamed attribute, a default, a relationship that
  /// gains an order, and one that loses it.
  private static let later: ModelDescription = {
    var model = FetchTestWorld.model
    model.entities.append(EntityDescription(name: "Award", properties: [FetchTestWorld.attribute("title", .string)]))
    for index in model.entities.indices {
      model.entities[index].properties = model.entities[index].properties.map { property in
        switch property {
        case .attribute(var attribute):
          if attribute.name == "age" { (attribute.name, attribute.renamingIdentifier) = ("years", "age") }
          if attribute.name == "score" { (attribute.isOptional, attribute.defaultValue) = (false, .double(1.5)) }
          return .attribute(attribute)
        case .relationship(var relationship):
          if ["residents", "members"].contains(relationship.name) { relationship.isOrdered = false }
          if relationship.name == "reports" { relationship.isOrdered = true }
          return .relationship(relationship)
        case .fetchedProperty: return property
        }
      }
    }
    return model
  }()

  private enum Way: String, CaseIterable { case inPlace, onCopy }

  @Test("Any failing call leaves the old store or the new one", arguments: FaultyFileSystem.Fault.allCases)
  func anyCall(_ fault: FaultyFileSystem.Fault) throws {
    let world = try FetchTestWorld()
    let reference = try MigrationReference(world.store)
    let url = try #require(world.store.url)
    world.store.close()
    let template = try Data(contentsOf: url)
    for way in Way.allCases {
      let folder = try TemporaryStore()
      let disk = FaultyFileSystem(folder.folder)
      let total = try run(way, template, reference, folder.folder, disk, fault, at: 0, isPersistent: false)
      #expect(total > 3)
      let stride = FullTests.areWanted ? 3 : max(1, total / 2)
      for isPersistent in [false, true] {
        for number in Swift.stride(from: isPersistent ? 1 : 2, through: total, by: stride) {
          _ = try run(way, template, reference, folder.folder, disk, fault, at: number, isPersistent: isPersistent)
        }
      }
    }
  }

  /// - Returns: the number of calls that could have failed.
  private func run(
    _ way: Way, _ template: Data, _ reference: MigrationReference, _ folder: URL, _ disk: FaultyFileSystem,
    _ fault: FaultyFileSystem.Fault, at number: Int, isPersistent: Bool
  ) throws -> Int {
    let place = folder.appendingPathComponent("\(way)-\(number)-\(isPersistent)", isDirectory: true)
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: place) }
    let url = place.appendingPathComponent("default.store")
    try template.write(to: url)
    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result {
      let options = StoreOptions(busyTimeout: .zero)
      switch way {
      case .inPlace: try PersistentStore.migrate(at: url, through: [Self.later], options: options)
      case .onCopy:
        let copy = try WorkingCopy(of: url, busyTimeout: .zero)
        try PersistentStore.migrate(at: copy.url, through: [Self.later], options: options)
        #expect(try copy.publish())
      }
    }
    disk.disarm()
    let comment: Comment = "\(way), \(fault) at call \(number) of \(disk.count): \(disk.failures.prefix(3))"
    let store = try PersistentStore.open(at: url)
    defer { store.close() }
    let isNew = store.layout.entity(named: "Award") != nil
    if case .success = result { #expect(isNew, comment) }
    if number == 0 { #expect(isNew, "\(result)") }
    #expect(try reference.problems(in: store) == [], comment)
    if isNew { try Oracle.expectSound(url, comment) }
    let names = try FileManager.default.contentsOfDirectory(atPath: place.path)
    #expect(!names.contains { $0.contains("migrating") }, comment)
    return disk.count
  }
}
