import Foundation
import StoreTestSupport
import SwiftData
import TestSupport
import Testing

@testable import CoreDataStore

/// A plan of several stages that ends at any call that changes a file: the store is as it was, or has passed all stages.
@Suite("Plans of several stages that are interrupted", .serialized, .startsProcesses) struct KilledStagesTests {
  private static let steps = FullTests.areWanted ? Int.max : 4

  private func place(_ template: TemporaryStore) throws -> TemporaryStore {
    let place = try TemporaryStore(name: "Album.store")
    try FileManager.default.removeItem(at: place.folder)
    try FileManager.default.copyItem(at: template.folder, to: place.folder)
    return place
  }

  /// The number of calls of the whole plan that change a file.
  private func callCount(_ template: TemporaryStore, _ options: MigrationOptions = MigrationOptions()) throws -> Int {
    let place = try place(template)
    let changes = FaultyFileChanges(place.folder)
    defer { changes.end() }
    changes.arm(.failure, at: 0)
    try KilledStages.expectMigrated(KilledStages.migrated(place.url, options), "not interrupted")
    let count = changes.calls.count
    changes.disarm()
    try KilledStages.expectSound(place, "not interrupted")
    return count
  }

  @Test("Killed at any call, the old program finds its store whole, and the new one finishes the plan")
  func killed() async throws {
    let template = try KilledStages.template()
    let total = try callCount(template)
    #expect(total > 100)
    for number in stride(from: 1, through: total, by: max(1, total / Self.steps)) {
      let place = try place(template)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.url.path as String, number = number as Int] in
        let url = URL(fileURLWithPath: path)
        let changes = FaultyFileChanges(url.deletingLastPathComponent())
        changes.arm(.death, at: number)
        _ = try KilledStages.migrated(url)
        // Containers close their stores at the end of their lives, which may come later.
        kill(getpid(), SIGKILL)
      }
      let comment: Comment = "killed at call \(number) of \(total)"
      if try !KilledStages.isMigrated(place.url) {
        try KilledStages.expectOld(place.url, comment)
        // The old program has removed the remains.
        try KilledStages.expectSound(place, comment)
      }
      try KilledStages.expectMigrated(KilledStages.migrated(place.url), comment)
      try KilledStages.expectSound(place, comment)
    }
  }

  @Test("Killed at any call with a backup, the backup is absent or whole, and the next run replaces it")
  func killedWithBackup() async throws {
    let template = try KilledStages.template()
    var options = MigrationOptions()
    let backups = try TemporaryStore(name: "Former.store")
    options.backup = backups.url
    let total = try callCount(template, options)
    // Both folders are below one, so that each call is counted.
    for number in stride(from: 1, through: total + 40, by: max(1, (total + 40) / Self.steps)) {
      let place = try place(template)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = place.url.path as String, number = number as Int] in
        let url = URL(fileURLWithPath: path)
        let changes = FaultyFileChanges(url.deletingLastPathComponent())
        var options = MigrationOptions()
        options.backup = url.deletingLastPathComponent().appendingPathComponent("Former.store")
        changes.arm(.death, at: number)
        _ = try KilledStages.migrated(url, options)
        kill(getpid(), SIGKILL)
      }
      let comment: Comment = "killed at call \(number)"
      let backup = place.folder.appendingPathComponent("Former.store")
      if FileManager.default.fileExists(atPath: backup.path) { try KilledStages.expectOld(backup, comment) }
      var options = MigrationOptions()
      options.backup = backup
      let wasMigrated = try KilledStages.isMigrated(place.url)
      try KilledStages.expectMigrated(KilledStages.migrated(place.url, options), comment)
      if !wasMigrated { try KilledStages.expectOld(backup, comment) }
      try KilledStages.expectSound(place, besides: ["Former.store", ".Former_SUPPORT"], comment)
    }
  }

  @Test(
    "A full disk, a broken disk, a lock, and too little memory at any call of SQLite",
    arguments: FaultyFileSystem.Fault.allCases)
  func anyCall(_ fault: FaultyFileSystem.Fault) throws {
    let template = try KilledStages.template()
    let folder = try TemporaryStore()
    let disk = FaultyFileSystem(folder.folder)
    func run(at number: Int, isPersistent: Bool) throws -> Int {
      let place = folder.folder.appendingPathComponent("\(number)-\(isPersistent)", isDirectory: true)
      try FileManager.default.copyItem(at: template.folder, to: place)
      defer { try? FileManager.default.removeItem(at: place) }
      let url = place.appendingPathComponent("Album.store")
      disk.arm(fault, at: number, isPersistent: isPersistent)
      let result = Result { _ = try KilledStages.migrated(url) }
      disk.disarm()
      let comment: Comment =
        "\(fault) at call \(number) of \(disk.count): \(disk.failures.prefix(3)), \(result)"
      let isMigrated = try KilledStages.isMigrated(url)
      if case .success = result { #expect(isMigrated, comment) }
      if !isMigrated { try KilledStages.expectOld(url, comment) }
      try KilledStages.expectMigrated(KilledStages.migrated(url), comment)
      return disk.count
    }
    let total = try run(at: 0, isPersistent: false)
    for isPersistent in [false, true] {
      for number in stride(from: 1, through: total, by: FullTests.areWanted ? 5 : max(1, total / 2)) {
        _ = try run(at: number, isPersistent: isPersistent)
      }
    }
  }

  @Test(
    "A store that may only be read, or in a folder that may only be read, stays as it was",
    .enabled(if: geteuid() == 0, "needs the superuser, who alone can become somebody else"), arguments: [false, true])
  func readOnly(isFolder: Bool) async throws {
    let place = try place(KilledStages.template())
    chmod(place.url.path, isFolder ? 0o666 : 0o444)
    chmod(place.folder.path, isFolder ? 0o555 : 0o777)
    let before = try Data(contentsOf: place.url)
    await #expect(processExitsWith: .success) { [path = place.url.path as String] in
      guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0 else { exit(2) }
      do { _ = try KilledStages.migrated(URL(fileURLWithPath: path)) } catch let error as SwiftDataError {
        exit(error.explanation?.contains("permission") == true ? EXIT_SUCCESS : 4)
      }
      exit(3)
    }
    #expect(try Data(contentsOf: place.url) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).count == 2)
  }

  @Test("A damaged store stays as it was", .damagesStores("a damaged store"))
  func damaged() throws {
    let place = try place(KilledStages.template())
    let data = try Data(contentsOf: place.url)
    let half = data.prefix(data.count / 2)
    try half.write(to: place.url)
    #expect(throws: SwiftDataError.self) { try KilledStages.migrated(place.url) }
    #expect(try Data(contentsOf: place.url) == half)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(!names.contains { $0.contains("migrating") })
  }
}
