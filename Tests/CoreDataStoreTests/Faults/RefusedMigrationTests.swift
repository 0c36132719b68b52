import Foundation
import SQLite
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// Migrations of stores that cannot be migrated now: the store stays as it was, byte by byte, or the migrated one is whole.
@Suite("Migrations that the disk or another program refuses", .startsProcesses) struct RefusedMigrationTests {
  @Test(
    "A full disk, a broken disk, a lock, and too little memory at any call of SQLite",
    arguments: AlbumMigration.allCases,
    FaultyFileSystem.Fault.allCases)
  func anyCall(_ way: AlbumMigration, _ fault: FaultyFileSystem.Fault) throws {
    let template = try MappedAlbum.template()
    let folder = try TemporaryStore()
    let disk = FaultyFileSystem(folder.folder)
    let total = try run(way, template, folder.folder, disk, fault, at: 0, isPersistent: false)
    #expect(total > 3)
    let step = FullTests.areWanted ? 3 : max(1, total / 2)
    for isPersistent in [false, true] {
      for number in stride(from: isPersistent ? 1 : 2, through: total, by: step) {
        _ = try run(way, template, folder.folder, disk, fault, at: number, isPersistent: isPersistent)
      }
    }
  }

  /// - Returns: the number of calls that could have failed.
  private func run(
    _ way: AlbumMigration, _ template: TemporaryStore, _ folder: URL, _ disk: FaultyFileSystem,
    _ fault: FaultyFileSystem.Fault, at number: Int, isPersistent: Bool
  ) throws -> Int {
    let place = folder.appendingPathComponent("\(number)-\(isPersistent)", isDirectory: true)
    try FileManager.default.copyItem(at: template.folder, to: place)
    defer { try? FileManager.default.removeItem(at: place) }
    let url = place.appendingPathComponent("Album.store")
    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result { try way.run(url) }
    disk.disarm()
    let comment: Comment =
      "\(way), \(fault) at call \(number) of \(disk.count): \(disk.failures.prefix(3)), \(result)"
    let state = try way.state(url, comment)
    #expect(state.missing.isEmpty, comment)
    if case .success = result { #expect(state.isNew, comment) }
    if case .failure(let error) = result { #expect(error is StoreError, comment) }
    try way.expectWhole(url, comment)
    return disk.count
  }

  @Test("A store that another program is writing to stays as it was", arguments: AlbumMigration.allCases)
  func locked(_ way: AlbumMigration) throws {
    let place = try AlbumMigration.place(MappedAlbum.template())
    let other = try Connection(path: place.url.path, mode: .readWrite)
    try other.execute("BEGIN IMMEDIATE; UPDATE ZPICTURE SET Z_OPT = Z_OPT")
    let error = #expect(throws: StoreError.self) { try way.run(place.url) }
    guard case .locked? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    try other.execute("ROLLBACK")
    other.close()
    try way.expectWhole(place.url, "\(way)")
  }

  @Test("A damaged store stays as it was", .damagesStores("a damaged store"), arguments: AlbumMigration.allCases)
  func damaged(_ way: AlbumMigration) throws {
    let place = try AlbumMigration.place(MappedAlbum.template())
    let connection = try Connection(path: place.url.path, mode: .readWrite)
    let page = Int(try connection.integer("SELECT rootpage FROM sqlite_master WHERE name = 'ZPICTURE'") ?? 0)
    let size = Int(try connection.integer("PRAGMA page_size") ?? 0)
    connection.close()
    var data = try Data(contentsOf: place.url)
    data.replaceSubrange((page - 1) * size..<page * size, with: Data(repeating: 0xA5, count: size))
    try data.write(to: place.url)
    let error = #expect(throws: StoreError.self) { try way.run(place.url) }
    #expect(error?.description.contains(place.url.path) == true)
    #expect(try Data(contentsOf: place.url) == data)
    let names = try FileManager.default.contentsOfDirectory(atPath: place.folder.path)
    #expect(!names.contains { $0.contains("migrating") })
    #expect(
      try FileManager.default.contentsOfDirectory(
        atPath: place.folder.path + "/.Album_SUPPORT/_EXTERNAL_DATA"
      ).count == 4)
  }

  @Test(
    "A store that may only be read, or in a folder that may only be read, stays as it was",
    .enabled(if: geteuid() == 0, "needs the superuser, who alone can become somebody else"),
    arguments: AlbumMigration.allCases, [false, true])
  func readOnly(_ way: AlbumMigration, isFolder: Bool) async throws {
    let place = try AlbumMigration.place(MappedAlbum.template())
    chmod(place.url.path, isFolder ? 0o666 : 0o444)
    chmod(place.folder.path, isFolder ? 0o555 : 0o777)
    let before = try Data(contentsOf: place.url)
    await #expect(processExitsWith: .success) {
      [path = place.url.path as String, way = way.rawValue as String, isFolder = isFolder as Bool] in
      guard setgroups(0, nil) == 0, setgid(65_534) == 0, setuid(65_534) == 0 else { exit(2) }
      do { try AlbumMigration(rawValue: way)?.run(URL(fileURLWithPath: path)) } catch let error as StoreError {
        switch error.kind {
        case .fileNotWritable where !isFolder: exit(EXIT_SUCCESS)
        case .folderNotWritable where isFolder: exit(EXIT_SUCCESS)
        default: throw error
        }
      }
      exit(3)
    }
    #expect(try Data(contentsOf: place.url) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.folder.path).count == 2)
  }
}
