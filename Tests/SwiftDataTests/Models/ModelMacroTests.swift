import Foundation
import Testing

@testable import SwiftData

@Model final class MacroAuthor {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \MacroBook.author) var books: [MacroBook] = []
  init(name: String) { self.name = name }
}

@Model class MacroBook {
  #Unique<MacroBook>([\.title, \.pages])
  #Index<MacroBook>([\.title])
  @Attribute(.unique) var isbn: String
  var title: String
  var pages = 0
  var created = Date.now
  var kind: Kind = Kind.novel
  var tags: [String] = []
  var author: MacroAuthor?
  @Transient var isOpen = false
  init(isbn: String, title: String) {
    self.isbn = isbn
    self.title = title
  }

  enum Kind: String, Codable { case novel, essay }
}

@Model final class MacroAtlas: MacroBook {
  var scale: Double
  init(scale: Double) {
    self.scale = scale
    super.init(isbn: "1", title: "Atlas")
  }
}

@Suite struct ModelMacroTests {
  @Test func `A detached object is an ordinary object`() {
    let book = MacroBook(isbn: "9", title: "Solaris")
    let author = MacroAuthor(name: "Lem")
    book.author = author
    author.books = [book]
    #expect(book.title == "Solaris" && book.pages == 0 && book.kind == .novel && book.tags.isEmpty)
    #expect(book.author === author && author.books.first === book)
    #expect(book.modelContext == nil && !book.hasChanges && !book.isDeleted)
  }

  @Test func `A subclass has the properties of its superclass before its own`() {
    let atlas = MacroAtlas(scale: 2.5)
    atlas.pages = 7
    #expect(atlas.title == "Atlas" && atlas.scale == 2.5 && atlas.pages == 7)
    let names = ModelClass.of(MacroAtlas.self).properties.map(\.name)
    #expect(names == ["isbn", "title", "pages", "created", "kind", "tags", "author", "scale"])
    #expect(ModelClass.of(MacroAtlas.self).properties.map(\.index) == Array(0..<8))
  }
}
