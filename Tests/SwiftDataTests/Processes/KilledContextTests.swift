import Foundation
import SwiftData
import TestSupport
import Testing

/// A process is killed while its context saves: the store has exactly the saves for which `save()` has returned.
@Suite(.startsProcesses) struct KilledContextTests {
  private static let goal = FullTests.areWanted ? (saves: 500, kills: 40) : (saves: 20, kills: 3)

  @Test("A process killed during many saves loses no acknowledged save, including big values and links")
  func killed() async throws {
    let folder = try TemporaryStore()
    _ = try KilledProcess.container(folder.url)
    var (kills, done) = (0, 0)
    var random = SplitMix(seed: 19)
    while done < Self.goal.saves || kills < Self.goal.kills {
      // Waits longer each round, in case the machine is too busy to finish a save.
      let longest: UInt32 = kills.isMultiple(of: 2) ? 80_000 : 8_000
      let delay = UInt32.random(in: 1...longest * UInt32(1 + kills / Self.goal.kills), using: &random)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [path = folder.url.path as String, delay = delay as UInt32, first = done + 1 as Int] in
        try KilledProcess(path: path, first: first).run(killedAfter: delay)
      }
      kills += 1
      let least = max(done, KilledProcess.acknowledged(folder.url.path))
      done = try KilledProcess.check(folder.url)
      #expect(least...(least + 1) ~= done, "killed after \(delay) µs")
      try #require(kills < 30 * Self.goal.kills, "the processes save nothing")
    }
  }
}

/// Each save increments an album's count, adds a picture with a big image, changes the last image, and deletes a picture.
private struct KilledProcess {
  @Model final class Album {
    var count = 0
    @Relationship(deleteRule: .cascade, inverse: \Picture.album) var pictures: [Picture] = []

    init() {}
  }

  @Model final class Picture {
    @Attribute(.unique) var number: Int
    @Attribute(.externalStorage) var image: Data
    var album: Album?

    init(_ number: Int, _ image: Data, _ album: Album) {
      self.number = number
      self.image = image
      self.album = album
    }
  }

  let path: String
  let first: Int

  static func container(_ url: URL) throws -> ModelContainer {
    try ModelContainer(for: Album.self, Picture.self, configurations: ModelConfiguration(url: url))
  }

  private static func image(_ number: Int, isNew: Bool) -> Data {
    Data(repeating: UInt8(truncatingIfNeeded: isNew ? number : ~number), count: 150_000 + number)
  }

  private static func log(_ path: String) -> String { path + "-acknowledged" }

  /// The last save whose line is complete.
  static func acknowledged(_ path: String) -> Int {
    let text = (try? String(contentsOfFile: log(path), encoding: .utf8)) ?? ""
    return Int(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last ?? "0") ?? 0
  }

  func run(killedAfter microseconds: UInt32) throws {
    let log = open(KilledProcess.log(path), O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let context = ModelContext(try KilledProcess.container(URL(fileURLWithPath: path)))
    context.autosaveEnabled = false
    Thread.detachNewThread {
      usleep(microseconds)
      kill(getpid(), SIGKILL)
    }
    for number in first... {
      try KilledProcess.save(number, context)
      let line = "\(number)\n"
      write(log, line, line.utf8.count)
    }
  }

  private static func save(_ number: Int, _ context: ModelContext) throws {
    let album = try context.fetch(FetchDescriptor<Album>()).first ?? Album()
    album.count = number
    context.insert(album)
    context.insert(Picture(number, image(number, isNew: true), album))
    for picture in album.pictures where picture.number == number - 1 {
      picture.image = image(picture.number, isNew: false)
    }
    for picture in album.pictures where picture.number == number - 4 { context.delete(picture) }
    try context.save()
  }

  /// The number of saves in the store; expects each save to be complete.
  static func check(_ url: URL) throws -> Int {
    let context = ModelContext(try container(url))
    let albums = try context.fetch(FetchDescriptor<Album>())
    let done = albums.first?.count ?? 0
    #expect(albums.count == (done == 0 ? 0 : 1))
    let pictures = try context.fetch(FetchDescriptor<Picture>(sortBy: [SortDescriptor(\.number)]))
    #expect(pictures.map(\.number) == Array(max(1, done - 3)..<(done + 1)))
    for picture in pictures {
      #expect(picture.image == image(picture.number, isNew: picture.number == done))
      #expect(picture.album === albums.first)
    }
    #expect(Set(albums.first?.pictures.map(\.number) ?? []) == Set(pictures.map(\.number)))
    return done
  }
}
