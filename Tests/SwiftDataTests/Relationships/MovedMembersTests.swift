import Foundation
import Testing

@testable import SwiftData

/// Members whose place in an ordered relationship changes: their rows change, too.
@Suite("Members that move in an ordered relationship")
struct MovedMembersTests {
  private let world: ShapeWorld
  private let playlist = ShapeModels.Playlist("p")

  init() throws {
    world = try ShapeWorld()
    playlist.songs = ["a", "b", "c"].map(ShapeModels.Song.init)
    world.context.insert(playlist)
    try world.context.save()
  }

  @Test("CD-6, CD-7 Their versions grow in every context, so that a later change causes no conflict")
  func versions() throws {
    let (mine, other) = (world.fresh, world.fresh)
    mine.conflictPolicy = .fail
    other.conflictPolicy = .fail
    let theirs = try other.all(ShapeModels.Song.self).sorted { $0.title < $1.title }
    let songs = try mine.all(ShapeModels.Song.self).sorted { $0.title < $1.title }
    let read = try #require(try mine.all(ShapeModels.Playlist.self).first)
    read.songs = [songs[2], songs[0], songs[1]]
    try mine.save()
    #expect(songs.map { $0._$state.version } == [1, 1, 2])
    songs[2].title = "C"
    try mine.save()
    #expect(songs.map { $0._$state.version } == [1, 1, 3])
    theirs[2].title = "theirs"
    #expect(throws: SwiftDataError.saveConflict) { try other.save() }
    other.rollback()
    read.songs = songs
    try mine.save()
    _ = try other.all(ShapeModels.Song.self)
    theirs[2].title = "D"
    try other.save()
    #expect(try world.fresh.all(ShapeModels.Playlist.self).first?.songs.map(\.title) == ["a", "b", "D"])
    try world.check()
  }

  @Test("An unsaved order stays when others add a member, also if nobody reads it before the save")
  func unsavedOrder() throws {
    let other = world.fresh
    playlist.songs = playlist.songs.reversed()
    try #require(try other.all(ShapeModels.Playlist.self).first).songs.append(ShapeModels.Song("d"))
    try other.save()
    try world.context.save()
    #expect(playlist.songs.map(\.title) == ["c", "b", "a", "d"])
    #expect(try world.fresh.all(ShapeModels.Playlist.self).first?.songs.map(\.title) == ["c", "b", "a", "d"])
    try world.check()
  }
}
