import Foundation
import SwiftData
import TestSupport
import Testing

/// Compares the page "Core Data's features in Swift" with a program that uses the features it names.
@Suite("Core Data's features in Swift") struct CoreDataFeaturesTests {
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test("All Swift on the page compiles") func page() throws {
    let page = try String(
      contentsOf: Self.root.appendingPathComponent("Sources/SwiftData/SwiftData.docc/CoreDataFeatures.md"),
      encoding: .utf8)
    let program = try String(
      contentsOf: Self.root.appendingPathComponent("Tests/ConformanceTests/CoreDataFeatures.swift"), encoding: .utf8)
    var count = 0
    for line in page.split(separator: "\n") where line.hasPrefix("|") {
      let cells = line.split(separator: "|")
      guard cells.count == 3 else { continue }
      for code in cells[1].split(separator: "`", omittingEmptySubsequences: false).enumerated()
      where code.offset % 2 == 1 {
        count += 1
        // `FetchDescriptor(format:)` names a call; a program writes an argument after the colon.
        let text = code.element.hasSuffix(":)") ? code.element.dropLast() : code.element
        #expect(program.contains(text), "\(code.element)")
      }
    }
    #expect(count > 80)
  }

  @Test(
    "The page's program saves and fetches",
    .damagesStores("derived attributes with a filter, whose hash the checker does not compute")) func program() throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("Features-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { LeftStores.remove(folder) }
    let schema = Schema(versionedSchema: LibrarySchemaV2.self)
    let container = try ModelContainer(
      for: schema,
      configurations: ModelConfiguration(schema: schema, url: folder.appendingPathComponent("library.store")))
    let context = ModelContext(container)
    let author = LibrarySchemaV2.Author(name: "Vazov")
    let book = LibrarySchemaV2.Book(code: "1", title: "Pod igoto", year: 1894)
    book.author = author
    book.chapters = [LibrarySchemaV2.Chapter(pages: 12), LibrarySchemaV2.Chapter(pages: 7)]
    book.similar = [LibrarySchemaV2.Book(code: "2", title: "Chichovtsi", year: 1885)]
    let picture = LibrarySchemaV2.Picture()
    picture.asset = LibrarySchemaV2.Asset(title: "front")
    book.pictures = [picture]
    context.insert(book)
    try context.save()

    let other = ModelContext(container)
    let found = try other.fetch(LibrarySchemaV2.books(since: 1890))
    #expect(found.map(\.title) == ["Pod igoto"])
    #expect(try other.fetch(LibrarySchemaV2.books(like: "CHICH*")).map(\.title) == ["Chichovtsi"])
    let read = try #require(found.first)
    #expect(read.chapterCount == 2)
    #expect(read.chapters?.map(\.pages) == [12, 7])
    #expect(read.pictures.first?.asset?.title == "front")
    #expect(read.author?.recent.map(\.title) == ["Pod igoto"])
    #expect(read.similar?.first?.similar?.first === read)
  }

  @Test("An inverse that does not lead back is in the schema, and its relationship is saved and read") func oneWay()
    throws
  {
    let schema = Schema(versionedSchema: OneWaySchema.self)
    let options = try #require(schema.entitiesByName["Picture"]?.relationshipsByName["asset"]?.options)
    #expect(options.contains(.inverse(named: "asset", of: "Asset")))
    #expect(schema.entitiesByName["Asset"]?.relationshipsByName["asset"]?.inverseName == nil)
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let picture = OneWaySchema.Picture()
    context.insert(picture)
    picture.asset = OneWaySchema.Asset()
    try context.save()
    let read = try #require(try ModelContext(container).fetch(FetchDescriptor<OneWaySchema.Picture>()).first)
    #expect(read.asset != nil && read.asset?.asset == nil)
  }
}
