import Foundation
import SQLite
import StoreInspection
import TestSupport
import Testing

@testable import SwiftData

@Suite("Containers")
struct ContainerTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Model final class Memo {
    var text: String
    init(_ text: String) { self.text = text }
  }

  /// Another declaration of an entity named Note.
  enum Other {
    @Model final class Note {
      var text: String
      var extra = 0
      init(_ text: String) { self.text = text }
    }
  }

  enum Plan: SchemaMigrationPlan {
    enum Version: VersionedSchema {
      static var models: [any PersistentModel.Type] { [Memo.self] }
      static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    }
    static var schemas: [any VersionedSchema.Type] { [Version.self] }
    static var stages: [MigrationStage] { [] }
  }

  @Test("A configuration has Apple's defaults")
  func configuration() {
    let configuration = ModelConfiguration()
    #expect(configuration.name == "default" && configuration.url.lastPathComponent == "default.store")
    #expect(configuration.allowsSave && !configuration.isStoredInMemoryOnly && configuration.schema == nil)
    #expect(ModelConfiguration("Notes").url.lastPathComponent == "Notes.store")
    #expect(ModelConfiguration(isStoredInMemoryOnly: true).url.path == "/dev/null")
    let group = ModelConfiguration("Notes", groupContainer: .identifier("group.org.example"))
    #expect(group.url.path.hasSuffix("/group.org.example/Notes.store"))
    #expect(group.groupAppContainerIdentifier == "group.org.example")
    #expect(ModelConfiguration(cloudKitDatabase: .private("iCloud.x")).cloudKitContainerIdentifier == "iCloud.x")
  }

  @Test("Configurations of one store are equal if all their options are")
  func equality() {
    let url = URL(fileURLWithPath: "/nowhere/a.store")
    let original = ModelConfiguration("a", url: url)
    #expect(original == ModelConfiguration("a", url: url))
    var retained = original
    retained.historyRetention = .seconds(60)
    var described = original
    described.schema = Schema([Note.self])
    for other in [
      retained, described, ModelConfiguration("a", url: url, allowsSave: false),
      ModelConfiguration("a", url: url, cloudKitDatabase: .none),
    ] {
      #expect(other != original && Set([other, original]).count == 2)
    }
    let automatic = ModelConfiguration("a")
    #expect(automatic == ModelConfiguration("a") && automatic != ModelConfiguration("a", groupContainer: .none))
  }

  @Test("A context reads while a transaction of another connection is open, and sees what it has committed after it")
  func readsBesideWriter() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let held = Note("held")
    context.insert(held)
    context.insert(Note("other"))
    try context.save()
    let writer = try Connection(path: store.url.path, mode: .readWrite, busyTimeout: .seconds(1))
    try writer.execute("BEGIN IMMEDIATE; UPDATE ZNOTE SET ZTEXT = 'written', Z_OPT = Z_OPT + 1")
    for reader in [context, ModelContext(container)] {
      let notes = try reader.fetch(FetchDescriptor<Note>(sortBy: [SortDescriptor(\.text)]))
      #expect(notes.map(\.text) == ["held", "other"])
      #expect(try reader.fetchCount(FetchDescriptor<Note>()) == 2)
    }
    try writer.execute("COMMIT")
    #expect(try context.fetch(FetchDescriptor<Note>()).map(\.text) == ["written", "written"])
    #expect(held.text == "written")
  }

  @Test("Names that cannot be file names are refused before any file is made")
  func names() {
    for name in ["../x", "", "a/b"] {
      #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
        try ModelContainer(for: Note.self, configurations: ModelConfiguration(name))
      }
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(String(repeating: "x", count: 300)))
    }
  }

  @Test("Several configurations divide the entities by their schemas")
  func configurations() throws {
    let folder = try TemporaryStore()
    let notes = folder.folder.appendingPathComponent("notes.store")
    let memos = folder.folder.appendingPathComponent("memos.store")
    let container = try ModelContainer(
      for: Schema([Note.self, Memo.self]),
      configurations: [
        ModelConfiguration("notes", schema: Schema([Note.self]), url: notes),
        ModelConfiguration("memos", schema: Schema([Memo.self]), url: memos),
      ])
    #expect(container.configurations.count == 2)
    let context = ModelContext(container)
    let note = Note("n")
    let memo = Memo("m")
    context.insert(note)
    context.insert(memo)
    try context.save()
    memo.text = "changed"
    try context.save()
    #expect(note.persistentModelID.storeIdentifier != memo.persistentModelID.storeIdentifier)
    let again = try ModelContainer(for: Memo.self, configurations: ModelConfiguration(url: memos))
    #expect(try ModelContext(again).fetch(FetchDescriptor<Memo>()).map(\.text) == ["changed"])
    #expect(try ModelContext(container).fetch(FetchDescriptor<Note>()).map(\.text) == ["n"])
    #expect(ModelContext(container).model(for: memo.persistentModelID) is Memo)
    for url in [notes, memos] {
      // Not as a fresh store: a save over both has left a table of ours, see KilledJointSaveTests.
      try Oracle.expectSound(url)
    }

    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Note.self, Memo.self,
        configurations: ModelConfiguration("a", schema: Schema([Note.self]), url: notes),
        ModelConfiguration("b", schema: Schema([Memo.self]), url: notes))
    }
    #expect(throws: SwiftDataError.configurationSchemaNotFoundInContainerSchema) {
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(for: Memo.self, isStoredInMemoryOnly: true))
    }
  }

  @Test(arguments: ["link", "hard link", "copy"])
  func `Two configurations of one store, or of a store and its copy, are refused`(kind: String) throws {
    let store = try TemporaryStore()
    let schema = Schema([Note.self])
    do {
      let context = ModelContext(try ModelContainer(for: schema, configurations: ModelConfiguration(url: store.url)))
      context.insert(Note("n"))
      try context.save()
    }
    let other = store.folder.appendingPathComponent("other.store")
    switch kind {
    case "link": try FileManager.default.createSymbolicLink(at: other, withDestinationURL: store.url)
    case "hard link": try FileManager.default.linkItem(at: store.url, to: other)
    default: try FileManager.default.copyItem(at: store.url, to: other)
    }
    let error = #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: schema,
        configurations: [
          ModelConfiguration("a", schema: schema, url: store.url), ModelConfiguration("b", schema: schema, url: other),
        ])
    }
    #expect(error?.explanation?.contains("ModelConfiguration(b, ") == true)
    // Each opens by itself.
    for url in [store.url, other] {
      let container = try ModelContainer(for: schema, configurations: ModelConfiguration(url: url))
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
    }
  }

  @Test("A read-only configuration reads and refuses to save")
  func readOnly() throws {
    let store = try TemporaryStore()
    do {
      let context = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store.url)))
      context.insert(Note("n"))
      try context.save()
    }
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(url: store.url, allowsSave: false))
    let context = ModelContext(container)
    let note = try #require(try context.fetch(FetchDescriptor<Note>()).first)
    note.text = "changed"
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(note.text == "changed" && context.hasChanges)
    #expect(throws: SwiftDataError.storeFailure) { try container.erase() }
  }

  @Test("A store in memory that does not allow saving stays empty")
  func readOnlyInMemory() throws {
    let container = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true, allowsSave: false))
    let context = ModelContext(container)
    context.insert(Note("n"))
    #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 0)
  }

  @Test("A URL that is none of a file is refused", arguments: ["https://example.com/a.store", "a.store", "/a.store"])
  func otherURL(_ text: String) throws {
    let configuration = ModelConfiguration(url: try #require(URL(string: text)))
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Note.self, configurations: configuration)
    }
    #expect(error?.explanation?.contains("make it with URL(fileURLWithPath:)") == true)
    #expect(!FileManager.default.fileExists(atPath: "/a.store"))
  }

  @Test("Erasing deletes all objects in all contexts")
  func erase() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let note = Note("n")
    context.insert(note)
    try context.save()
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 0)
    #expect(note.isDeleted && note.text == "n")
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test("Containers in memory are independent of each other, even if made in parallel")
  func inMemory() async throws {
    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 1...100 {
        group.addTask {
          let container = try ModelContainer(
            for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
          let context = ModelContext(container)
          for _ in 0..<number { context.insert(Note("x")) }
          try context.save()
          return try ModelContext(container).fetchCount(FetchDescriptor<Note>()) - number
        }
      }
      for try await difference in group { #expect(difference == 0) }
    }
  }

  @Test("Contexts of one container save and read in parallel")
  func parallel() async throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store.url))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let context = ModelContext(container)
          for round in 0..<10 {
            context.insert(Note("\(number) \(round)"))
            try context.save()
            let count = try context.fetch(FetchDescriptor<Note>()).count
            #expect(count > round)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 80)
    try Oracle.expectSound(store.url, fresh: true)
  }

  @Test("A container has one main context, which saves automatically and outlives the container")
  @MainActor func mainContext() async throws {
    var container: ModelContainer? = try ModelContainer(
      for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = try #require(container?.mainContext)
    #expect(context === container?.mainContext && context.autosaveEnabled)
    #expect(container.map { !ModelContext($0).autosaveEnabled } == true)
    #expect(context.container === container)
    context.insert(Note("n"))
    while context.hasChanges { try await Task.sleep(for: .milliseconds(20)) }
    container = nil
    #expect(try context.fetchCount(FetchDescriptor<Note>()) == 1)
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Note>()) == 1)
  }

  @Test("A new store's folder is made where it is missing; reading alone makes none")
  func missingFolder() throws {
    let store = try TemporaryStore()
    let folder = store.folder.appendingPathComponent("one").appendingPathComponent("two")
    let url = folder.appendingPathComponent("x.store")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url, allowsSave: false))
    }
    #expect("\(error as Any)".contains("make the store with a configuration that allows saving"))
    #expect(!"\(error as Any)".contains("give a model"))
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    let context = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: url)))
    context.insert(Note("n"))
    try context.save()
    #expect(FileManager.default.fileExists(atPath: url.path))
  }

  @Test(
    "A container may have no classes, and its store opens again", .damagesStores("a model without entities"),
    arguments: [true, false])
  func noClasses(isInMemory: Bool) throws {
    let store = try TemporaryStore()
    let configuration = isInMemory ? ModelConfiguration(isStoredInMemoryOnly: true) : ModelConfiguration(url: store.url)
    for _ in 0..<2 {
      let context = ModelContext(try ModelContainer(for: Schema([]), configurations: configuration))
      #expect(!context.hasChanges)
      try context.save()
      #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Note>()) }
    }
    guard !isInMemory else { return }
    #expect(try StoreChecker.check(store.url) == [])
    #expect(try StoreSummary.read(store.url).entities.isEmpty)
    // The classes of another store may be left out as well.
    let other = try TemporaryStore()
    let notes = ModelContext(try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: other.url)))
    notes.insert(Note("n"))
    try notes.save()
    _ = try ModelContainer(for: Schema([]), configurations: ModelConfiguration(url: other.url))
    #expect(try notes.fetchCount(FetchDescriptor<Note>()) == 1)
  }

  // MARK: Bad input

  /// The contents of a folder, byte by byte.
  private func contents(_ folder: URL) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      result[name] = try? Data(contentsOf: folder.appendingPathComponent(name))
    }
    return result
  }

  @Test(
    "A file that is no store of the classes is an error with its path, and stays as it is",
    arguments: ["file for a folder", "foreign", "empty", "other model", "folder", "other classes"])
  func badStore(kind: String) throws {
    let store = try TemporaryStore()
    var url = store.url
    switch kind {
    case "file for a folder":
      try Data("no folder".utf8).write(to: url)
      url = url.appendingPathComponent("inner").appendingPathComponent("x.store")
    case "foreign": try Data("This is a letter, not a database.".utf8).write(to: url)
    case "empty": try Data().write(to: url)
    case "folder": try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    default:
      let context = ModelContext(try ModelContainer(for: Other.Note.self, configurations: ModelConfiguration(url: url)))
      context.insert(Other.Note("n"))
      try context.save()
    }
    let before = try contents(store.folder)
    // A store of other classes that may be written is migrated.
    let configuration = ModelConfiguration(url: url, allowsSave: kind != "other model" && kind != "other classes")
    let error = #expect(throws: SwiftDataError.loadIssueModelContainer) {
      if kind == "other classes" {
        try ModelContainer(for: Note.self, Memo.self, configurations: configuration)
      } else {
        try ModelContainer(for: Note.self, configurations: configuration)
      }
    }
    #expect(error?.explanation?.contains(url.path) == true)
    if kind == "other model" { #expect(error?.explanation?.contains("extra") == true) }
    #expect(try contents(store.folder) == before)
  }

  @Test("A locked store is an error with its path, and the save can be repeated", .skipsLockWaits)
  func locked() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    context.insert(Note("n"))
    let other = try Connection(path: store.url.path, mode: .readWrite, busyTimeout: .seconds(1))
    try other.execute("BEGIN IMMEDIATE")
    let error = #expect(throws: SwiftDataError.storeFailure) { try context.save() }
    #expect(error?.explanation?.contains(store.url.path) == true && error?.explanation?.contains("locked") == true)
    #expect(error?.recoverySuggestion == "End the other transaction or program, or allow a longer timeout.")
    #expect(context.insertedModelsArray.count == 1)
    try other.execute("ROLLBACK")
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Note>()) == 1)
  }

  @Test("A migration plan that cannot lead to the schema is refused")
  func plan() {
    #expect(throws: SwiftDataError.unknownSchema) {
      try ModelContainer(
        for: Note.self, migrationPlan: Plan.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    }
  }

  @Test("A class outside the schema is an error that names the schema's classes")
  func unknownClass() throws {
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Memo>()) }
    #expect(error?.explanation?.contains("Note") == true)
  }

  @Test func `A class of another version of the schema is told from the schema's class of that name`() throws {
    let context = ModelContext(
      try ModelContainer(for: Note.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    let error = #expect(throws: SwiftDataError.unknownSchema) { try context.fetch(FetchDescriptor<Other.Note>()) }
    let explanation = try #require(error?.explanation)
    #expect(explanation.contains("ContainerTests.Other.Note is not in"))
    #expect(explanation.contains("has \(String(reflecting: Note.self))."))
    context.insert(Other.Note("a"))
    let refusal = #expect(throws: SwiftDataError.unknownSchema) { try context.save() }
    #expect(refusal?.explanation?.contains("ContainerTests.Other.Note was inserted") == true)
  }

  @Test func `Messages name a store by its file, by its name, or as one in memory`() {
    let memory = ModelConfiguration(isStoredInMemoryOnly: true)
    #expect(memory.storeInWords == "the store in memory")
    let file = ModelConfiguration(url: URL(fileURLWithPath: "/data/trips.store"))
    #expect(file.storeInWords == "the store at /data/trips.store")
  }
}
