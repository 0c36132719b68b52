import Foundation
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

/// `ModelContainer.backup(to:)`.
@Suite("Backups of a container") struct BackupTests {
  @Model final class Photo {
    var title: String
    @Attribute(.externalStorage) var image: Data?

    init(_ title: String, image: Data? = nil) {
      self.title = title
      self.image = image
    }
  }

  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  private static let image = Data(repeating: 7, count: 200_000)

  private func titles(_ url: URL) throws -> [String] {
    let context = ModelContext(try ModelContainer(for: Photo.self, configurations: ModelConfiguration(url: url)))
    let photos = try context.fetch(FetchDescriptor<Photo>(sortBy: [SortDescriptor(\.title)]))
    #expect(photos.allSatisfy { $0.image == nil || $0.image == Self.image })
    return photos.map(\.title)
  }

  @Test func `A backup opens like the store and has what was saved`() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Photo.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    context.insert(Photo("a"))
    context.insert(Photo("b", image: Self.image))
    try context.save()
    context.insert(Photo("unsaved"))
    let target = try TemporaryStore(name: "Backup.store")
    #expect(try container.backup(to: target.url) == [target.url])
    #expect(try titles(target.url) == ["a", "b"])
    #expect(try StoreChecker.check(target.url) == [])
    // The store and its contexts go on.
    try context.save()
    let error = #expect(throws: SwiftDataError.self) { try container.backup(to: target.url) }
    #expect(error == .storeFailure && error?.description.contains("the file exists already") == true)
    #expect(try titles(target.url) == ["a", "b"])
    try container.backup(to: target.url, replacesExisting: true)
    #expect(try titles(target.url) == ["a", "b", "unsaved"])
    try Oracle.expectSound(target.url)
  }

  @Test func `A store in memory is backed up to a file`() throws {
    let container = try ModelContainer(
      for: Photo.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    context.insert(Photo("a", image: Self.image))
    try context.save()
    let target = try TemporaryStore()
    try container.backup(to: target.url)
    #expect(try titles(target.url) == ["a"])
  }

  @Test func `Several stores are backed up to a folder, by the names of their configurations`() throws {
    let store = try TemporaryStore()
    let photos = ModelConfiguration(
      "photos", schema: Schema([Photo.self]), url: store.folder.appendingPathComponent("1.store"))
    let notes = ModelConfiguration(
      "notes", schema: Schema([Note.self]), url: store.folder.appendingPathComponent("2.store"))
    let container = try ModelContainer(for: Schema([Photo.self, Note.self]), configurations: [photos, notes])
    let context = ModelContext(container)
    context.insert(Photo("a"))
    context.insert(Note("n"))
    try context.save()
    let target = try TemporaryStore()
    let files = try container.backup(to: target.folder)
    #expect(files.map(\.lastPathComponent) == ["photos.store", "notes.store"])
    #expect(try titles(files[0]) == ["a"])
    for file in files { #expect(try StoreChecker.check(file) == []) }
  }
}
