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

  private let folder: TemporaryStore
  private let container: ModelContainer

  init() throws {
    folder = try TemporaryStore()
    container = try ModelContainer(for: Note.self, configurations: ModelConfiguration(url: folder.url))
  }

  @Test func `Automatic saves of a context without an actor do not happen, and a warning says what to do`() throws {
    let context = ModelContext(container)
    let lines = RecordedLog.lines { context.autosaveEnabled = true }
    #expect(lines.count == 1 && lines[0].hasPrefix("warning: autosaveEnabled has no effect"), "\(lines)")
    #expect(lines.joined().contains("or call save()"))
    #expect(RecordedLog.lines { context.autosaveEnabled = true }.isEmpty, "once is enough")
  }

  @Test func `Configurations that are assigned to an open container change no store, and a warning says so`() throws {
    let own = container.configurations
    #expect(RecordedLog.lines { container.configurations = own }.isEmpty)
    let lines = RecordedLog.lines { container.configurations = [] }
    #expect(lines.count == 1 && lines[0].contains("the open stores stay as they are"), "\(lines)")
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

  @Test func `A property that cannot be read gives its default, and the failure is logged`() throws {
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
}
