import Foundation
import Notes
import SwiftData

/// Stores a book with classes generated at build time and a note with generated classes kept in the package, and reads
/// both back.
@main
struct LibraryApp {
  static func main() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "LibraryApp-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }

    let library = try context(LibrarySchemaV3.self, in: folder.appending(path: "Library.sqlite"))
    let book = Book(identifier: UUID(), title: "To the Lighthouse", isbn: "9780156907392", pageCount: 209)
    library.insert(book)
    book.authors = [Author(familyName: "Woolf", givenName: "Virginia", identifier: UUID())]
    try library.save()
    let notes = try context(NotesSchemaV1.self, in: folder.appending(path: "Notes.sqlite"))
    notes.insert(Note(text: "return it by Friday"))
    try notes.save()

    for book in try library.fetch(FetchDescriptor<Book>()) { print("\(book.title), \(book.pageCount) pages") }
    for note in try notes.fetch(FetchDescriptor<Note>()) { print("note: \(note.summary)") }
  }

  private static func context(_ schema: any VersionedSchema.Type, in store: URL) throws -> ModelContext {
    let schema = Schema(versionedSchema: schema)
    return ModelContext(
      try ModelContainer(for: schema, configurations: ModelConfiguration(schema: schema, url: store)))
  }
}
