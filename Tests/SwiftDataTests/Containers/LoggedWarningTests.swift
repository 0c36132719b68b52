import CoreDataStore
import Foundation
import SQLite
import TestSupport
import Testing

@testable import SwiftData

/// What is no error for the caller, and yet must not stay unsaid.
struct LoggedWarningTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  enum Newer {
    @Model final class Note {
      var text: String
      var pages: Int = 7
      var stars: Int = 3
      init(_ text: String) { self.text = text }
    }
  }

  @Model final class Draft {
    init() {}
  }

  /// A plan whose stage removes two properties.
  enum Shorter: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Long.self, Short.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Long.self, toVersion: Short.self)] }

    enum Long: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 0, 0)
      static var models: [any PersistentModel.Type] { [Newer.Note.self] }
    }
    enum Short: VersionedSchema {
      static let versionIdentifier = Schema.Version(2, 0, 0)
      static var models: [any PersistentModel.Type] { [Note.self] }
    }
  }

  struct Style: Codable, Equatable {
    var font: String?
    var size: Double?
  }

  @Model final class Styled {
    var style: Style = LoggedWarningTests.Style(font: "serif")
    init() {}
  }

  private let folder: TemporaryStore
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryStore()
    container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: folder.url))
  }

  @Test func `Automatic saves of a context without an actor do not happen, and a warning says what to do`() throws {
    let context = ModelContext(container)
    #expect(RecordedLog.lines { context.autosaveEnabled = true }.isEmpty, "an executor may come later")
    let lines = RecordedLog.lines { context.insert(Note("a")) }
    #expect(lines.count == 1 && lines[0].hasPrefix("warning: autosaveEnabled has no effect"), "\(lines)")
    #expect(lines.joined().contains("or call save()"))
    #expect(RecordedLog.lines { context.autosaveEnabled = true }.isEmpty, "once is enough")
    #expect(RecordedLog.lines { context.insert(Note("b")) }.isEmpty, "once is enough")
    context.rollback()
  }

  @Test func `A context with changes that is to save automatically without an actor warns at once`() throws {
    let context = ModelContext(container)
    context.insert(Note("a"))
    let lines = RecordedLog.lines { context.autosaveEnabled = true }
    #expect(lines.count == 1 && lines[0].hasPrefix("warning: autosaveEnabled has no effect"), "\(lines)")
    context.rollback()
  }

  @Test
  func `A model actor whose initializer enables automatic saves before it makes the executor saves, without a warning`()
    async throws
  {
    let lines = RecordedLog.lines { _ = OwnPlace(container) }
    #expect(lines.isEmpty, "\(lines)")
    let actor = OwnPlace(container)
    await actor.add()
    let reader = ModelContext(container)
    for _ in 0..<100 where try reader.fetchCount(FetchDescriptor<Note>()) == 0 {
      try await Task.sleep(for: .milliseconds(50))
    }
    #expect(try reader.fetchCount(FetchDescriptor<Note>()) == 1)
    await actor.end()
  }

  @ModelActor fileprivate actor OwnPlace {
    init(_ container: ModelContainer) {
      let context = ModelContext(container)
      context.autosaveEnabled = true
      modelContainer = container
      modelExecutor = DefaultSerialModelExecutor(modelContext: context)
    }

    func add() { modelContext.insert(Note("a")) }
    func end() { modelContext.autosaveEnabled = false }
  }

  @Test @MainActor func `A context that is released before its automatic save says that changes are lost`() throws {
    func lines(autosaves: Bool, saves: Bool) throws -> [String] {
      try RecordedLog.lines {
        let context = ModelContext(container)
        context.autosaveEnabled = autosaves
        context.insert(Note("a"))
        if saves { try context.save() }
      }
    }
    let lost = try lines(autosaves: true, saves: false)
    #expect(lost.count == 1 && lost[0].contains("its unsaved changes are lost: call save()"), "\(lost)")
    #expect(try lines(autosaves: true, saves: true).isEmpty && lines(autosaves: false, saves: false).isEmpty)
  }

  @Test func `Configurations that are assigned to an open container change no store, and a warning says so`() throws {
    let own = container.configurations
    #expect(RecordedLog.lines { container.configurations = own }.isEmpty)
    let lines = RecordedLog.lines { container.configurations = [] }
    #expect(lines.count == 1 && lines[0].contains("the open stores stay as they are"), "\(lines)")
  }

  @Test(.damagesStores("a table is taken away"))
  func `A store that has lost a table of its history says at the first save that it records none`() throws {
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    try connection.execute("DROP TABLE ATRANSACTION")
    connection.close()
    let context = ModelContext(container)
    func lines() throws -> [String] {
      try RecordedLog.lines {
        context.insert(Note("a"))
        try context.save()
      }
    }
    let first = try lines()
    #expect(first.count == 1 && first[0].contains("has lost the table ATRANSACTION of its history"), "\(first)")
    #expect(try lines().isEmpty, "once is enough")
  }

  @Test(.damagesStores("a table without its key"))
  func `A repair is not advised for a table of history that has lost its primary key`() throws {
    let connection = try Connection(path: folder.url.path, mode: .readWrite)
    try connection.execute(
      """
      CREATE TABLE KEPT AS SELECT * FROM ATRANSACTION; DROP TABLE ATRANSACTION; ALTER TABLE KEPT RENAME TO ATRANSACTION
      """)
    connection.close()
    let context = ModelContext(container)
    let lines = try RecordedLog.lines {
      context.insert(Note("a"))
      try context.save()
    }
    #expect(lines.count == 1 && lines[0].contains("has no primary key in the table ATRANSACTION"), "\(lines)")
    #expect(!lines.joined().contains("doctor"))
  }

  @Test func `A store whose model has more than the classes loses it, and a warning says what`() throws {
    let configuration = ModelConfiguration(url: folder.url)
    let added = try RecordedLog.lines { _ = try ModelContainer(for: Newer.Note.self, configurations: configuration) }
    #expect(added.isEmpty, "\(added)")
    let lines = try RecordedLog.lines { _ = try ModelContainer(for: Note.self, configurations: configuration) }
    #expect(lines.count == 1 && lines[0].hasPrefix("warning: The store at \(folder.url.path)"), "\(lines)")
    #expect(lines.joined().contains("pages") && lines.joined().contains("stars"), "\(lines)")
    let again = try RecordedLog.lines { _ = try ModelContainer(for: Note.self, configurations: configuration) }
    #expect(again.isEmpty)
  }

  @Test func `A stage that removes properties gives no warning, also if a class of no version has rows`() throws {
    let other = try TemporaryStore()
    let configuration = ModelConfiguration(url: other.url)
    _ = try ModelContainer(for: Newer.Note.self, Draft.self, configurations: configuration)
    let lines = try RecordedLog.lines {
      _ = try ModelContainer(
        for: Schema(versionedSchema: Shorter.Short.self), migrationPlan: Shorter.self, configurations: [configuration])
    }
    #expect(lines.isEmpty, "\(lines)")
  }

  @Test func `An unsaved change of an object that another context deletes is named in a warning`() throws {
    let (first, second) = (ModelContext(container), ModelContext(container))
    first.insert(Note("a"))
    try first.save()
    let note = try #require(try first.fetch(FetchDescriptor<Note>()).first)
    try second.delete(model: Note.self)
    try second.save()
    note.text = "b"
    let lines = try RecordedLog.lines { try first.save() }
    #expect(lines.count == 1 && lines[0].hasPrefix("warning: Unsaved changes of"), "\(lines)")
  }

  @Test func `A structure of members that are all nil is read without a warning`() throws {
    let container = try ModelContainer(
      for: Styled.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let styled = Styled()
    styled.style = Style()
    context.insert(styled)
    try context.save()
    let fresh = ModelContext(container)
    var styles: [Style] = []
    let lines = try RecordedLog.lines { styles = try fresh.fetch(FetchDescriptor<Styled>()).map(\.style) }
    #expect(styles == [Style()] && lines.isEmpty, "\(lines)")
  }

  @Test(.damagesStores("a table is renamed"))
  func `A property that cannot be read gives its default, and the failure is logged`() throws {
    let context = ModelContext(container)
    context.insert(Note("a"))
    try context.save()
    let fresh = ModelContext(container)
    let identifier = try #require(try fresh.fetchIdentifiers(FetchDescriptor<Note>()).first)
    let note = try #require(fresh.model(for: identifier) as? Note)
    let other = try Connection(path: folder.url.path, mode: .readWrite)
    try other.execute("ALTER TABLE ZNOTE RENAME TO ZGONE")
    let lines = RecordedLog.lines { #expect(note.text.isEmpty) }
    #expect(lines.contains { $0.hasPrefix("error: ") }, "\(lines)")
  }

  @Test func `CD-3.1 A relationship to a missing row reads as nil, and one warning names owner and row`() throws {
    let world = try World()
    for number in 0..<6 { world.context.insert(Book("\(number)", author: Author("A\(number % 3)"))) }
    try world.context.save()
    let author = try #require(try world.context.all(Author.self).first { $0.name == "A1" })
    try #require(world.container.core.stores[0].engine as? PersistentStore).write {
      try $0.execute("DELETE FROM ZAUTHOR WHERE ZNAME = 'A1'")
    }
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    // Not one for each read, nor for each of the two books.
    let lines = RecordedLog.lines {
      for _ in 0..<2 { #expect(books.filter { $0.author == nil }.map(\.title) == ["1", "4"]) }
    }
    #expect(lines.count == 1, "\(lines)")
    let (owner, row) = (books[1].persistentModelID, author.persistentModelID)
    #expect(lines.first?.hasPrefix("warning: Book.author of \(owner) leads to \(row), whose row is missing") == true)
  }

  @Test func `Relationships of deleted objects, and those that another context has changed, give no warning`() throws {
    let world = try World()
    for title in ["a", "b"] { world.context.insert(Book(title, author: Author(title))) }
    try world.context.save()
    let context = world.fresh
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title)]))
    let book = try #require(try world.context.all(Book.self).first { $0.title == "b" })
    for author in try world.context.all(Author.self) { world.context.delete(author) }
    world.context.delete(book)
    try world.context.save()
    let lines = try RecordedLog.lines {
      #expect(books[0].author == nil)
      let remaining = try context.fetch(FetchDescriptor<Book>())
      #expect(remaining.map(\.title) == ["a"])
      #expect(books[0].author == nil && books[1].isDeleted && books[1].author == nil)
    }
    #expect(lines.isEmpty, "\(lines)")
  }
}
