import Foundation
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// A save of big values during which a call to the operating system fails: no row ever refers to a file that is not there.
@Suite struct FaultyExternalDataTests {
  @Test(
    "Files and rows agree whatever call of a save fails",
    arguments: [FaultyFileSystem.Fault.device, .fullDisk], [true, false])
  func anyCall(_ fault: FaultyFileSystem.Fault, isPersistent: Bool) throws {
    let total = try run(fault, at: 0, isPersistent: false)
    #expect(total > 5)
    for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 8)) {
      _ = try run(fault, at: number, isPersistent: isPersistent)
    }
  }

  private func run(_ fault: FaultyFileSystem.Fault, at number: Int, isPersistent: Bool) throws -> Int {
    let world = try ExternalDataWorld()
    let replaced = try world.insert(["title": .text("replaced"), "image": .blob(ExternalDataWorld.big(1))])
    let deleted = try world.insert(["title": .text("deleted"), "image": .blob(ExternalDataWorld.big(2))])
    // Files that are opened from now on are the faulty file system's.
    world.store.close()
    let disk = FaultyFileSystem(world.folder.folder)
    world.store = try world.another()
    _ = try world.store.write { try $0.setPragma("wal_autocheckpoint", "1") }
    let before = try world.images()
    let columns = ["image", "title"].map { ColumnSelection(entityName: "Picture", propertyName: $0) }
    var changes = ChangeSet()
    changes.deletions = [.init(object: deleted, version: 1)]
    changes.updates = [
      .init(
        object: replaced, version: 1, columns: [columns[0]], changedProperties: ["image"],
        source: StoreValuesRow(values: ["image": .blob(ExternalDataWorld.big(3))]))
    ]
    changes.insertions = [
      .init(
        entity: replaced.entity, columns: columns,
        source: StoreValuesRow(values: ["image": .blob(ExternalDataWorld.big(4)), "title": .text("new")]))
    ]
    let after: [StoreValue] = [.blob(ExternalDataWorld.big(3)), .blob(ExternalDataWorld.big(4))]

    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result { try world.store.save(changes) }
    disk.disarm()
    let comment = Comment(rawValue: "\(fault) at call \(number) of \(disk.count): \(disk.failures.prefix(3))")
    let images = try world.images()
    if case .success = result { #expect(images == after, comment) }
    #expect(images == before || images == after, comment)
    var files = try world.externalFiles()
    #expect(files.missing == [] && files.references == 2, comment)
    // While the disk fails on, nobody can tell which files are needed: all stay.
    if images == before, !isPersistent { #expect(files.unreferenced == [], comment) }
    if images == before { #expect(throws: Never.self, comment) { try world.store.save(changes) } }
    // What a crash at this moment would leave.
    world.store.close()
    let again = try world.another()
    #expect(try world.images(in: again) == after, comment)
    files = try world.externalFiles(of: again)
    #expect(files.missing == [] && files.references == 2, comment)
    return disk.count
  }
}
