import Foundation
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore
@testable import StoreInspection

/// A copy during which a call to the operating system fails leaves the store alone, and at the target the copy or what was there.
@Suite("Copies that are interrupted") struct FaultyCopyTests {
  private typealias World = ExternalDataWorld

  @Test(
    "Any failing call leaves the copy or what was there",
    arguments: FaultyFileSystem.Fault.allCases, [true, false])
  func anyCall(_ fault: FaultyFileSystem.Fault, replaces: Bool) throws {
    let total = try run(fault, replaces: replaces, at: 0, isPersistent: false)
    #expect(total > 0)
    for isPersistent in [false, true] {
      for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 2)) {
        _ = try run(fault, replaces: replaces, at: number, isPersistent: isPersistent)
      }
    }
  }

  private func run(
    _ fault: FaultyFileSystem.Fault, replaces: Bool, at number: Int, isPersistent: Bool
  ) throws -> Int {
    let world = try World()
    try world.insert(["title": .text("small"), "image": .blob(Data([1]))])
    try world.insert(["title": .text("big"), "image": .blob(World.big(1))])
    let images = try world.images()
    let target = try World(name: "Copy.store")
    try target.insert(["title": .text("former"), "image": .blob(World.big(7))])
    let former = try target.images()
    target.store.close()
    if !replaces {
      try FileManager.default.removeItem(at: target.folder.url)
      try FileManager.default.removeItem(at: target.filesFolder().deletingLastPathComponent())
    }
    let disk = FaultyFileSystem(target.folder.folder)
    disk.arm(fault, at: number, isPersistent: isPersistent)
    let result = Result {
      try StoreCopy.copy(from: world.folder.url, to: target.folder.url, replaces: replaces, busyTimeout: .zero)
    }
    disk.disarm()
    let comment: Comment = "\(fault) at call \(number) of \(disk.count): \(disk.failures.prefix(3)), \(result)"
    #expect(try world.images() == images, comment)
    #expect(try world.externalFiles().missing == [], comment)
    if case .failure(let error) = result {
      #expect(Self.names(error, target.folder.url, not: world.folder.url), comment)
    }
    let names = try FileManager.default.contentsOfDirectory(atPath: target.folder.folder.path)
    #expect(!names.contains { $0.contains("copying") }, comment)
    guard FileManager.default.fileExists(atPath: target.folder.url.path) else {
      if case .success = result { Issue.record(comment) }
      #expect(!replaces, comment)
      return disk.count
    }
    let store = try target.another()
    defer { store.close() }
    let found = try target.images(in: store)
    if case .success = result { #expect(found == images, comment) }
    #expect(found == images || (replaces && found == former), comment)
    #expect(try target.externalFiles(of: store).missing == [], comment)
    if number == 0 { #expect(found == images, comment) }
    return disk.count
  }

  /// Whether a message names the place where a call failed, and not the other one.
  private static func names(_ error: any Error, _ place: URL, not other: URL) -> Bool {
    "\(error)".contains(place.path) && !"\(error)".contains(other.deletingLastPathComponent().path)
  }

  // Both files have the process's memory.
  @Test(
    "A failing call for a file of the source is no failure of the copy",
    arguments: FaultyFileSystem.Fault.allCases.filter { $0 != .outOfMemory })
  func source(_ fault: FaultyFileSystem.Fault) throws {
    let world = try World()
    try world.insert(["title": .text("big"), "image": .blob(World.big(1))])
    world.store.close()
    let source = FaultyFileSystem(world.folder.folder)
    func copy(failingAt number: Int) throws {
      let target = try TemporaryStore()
      source.arm(fault, at: number, isPersistent: true)
      defer { source.disarm() }
      do { try StoreCopy.copy(from: world.folder.url, to: target.url, busyTimeout: .zero) } catch {
        #expect(Self.names(error, world.folder.url, not: target.url), "\(source.failures.prefix(1)): \(error)")
      }
    }
    try copy(failingAt: 0)
    let total = source.count
    for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 4)) {
      try copy(failingAt: number)
    }
  }

  @Test("A failing change of a file at the target is no failure of the source")
  func target() throws {
    let world = try World()
    try world.insert(["title": .text("big"), "image": .blob(World.big(1))])
    func copy(failingAt number: Int) throws -> Int {
      let target = try World(name: "Copy.store")
      try target.insert(["title": .text("former"), "image": .blob(World.big(7))])
      target.store.close()
      let changes = FaultyFileChanges(target.folder.folder)
      defer { changes.end() }
      changes.arm(.failure, at: number)
      let result = Result { try StoreCopy.copy(from: world.folder.url, to: target.folder.url, replaces: true) }
      let calls = changes.calls
      changes.disarm()
      if case .failure(let error) = result {
        #expect(Self.names(error, target.folder.url, not: world.folder.url), "\(calls.last ?? ""): \(error)")
      }
      return calls.count
    }
    let total = try copy(failingAt: 0)
    for number in stride(from: 1, through: total, by: FullTests.areWanted ? 1 : max(1, total / 8)) {
      _ = try copy(failingAt: number)
    }
  }

  @Test func `A disk without room is told before anything is written`() throws {
    let world = try World()
    try world.insert(["title": .text("big"), "image": .blob(World.big(1))])
    let target = try TemporaryStore()
    let place = try CopyTarget(target.url, source: nil, replaces: false)
    let error = #expect(throws: StoreCopyError.self) { try place.checkSpace(.max) }
    #expect(error?.description.contains("free some space, or name a place on another disk") == true)
  }
}
