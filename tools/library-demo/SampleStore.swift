import Foundation
import SwiftData

/// The store that belongs to the sample model; made anew with `library-demo --make-store` when the model changes.
enum SampleStore {
  struct AlreadyThere: Error, CustomStringConvertible {
    var path: String
    var description: String { "\(path): already there — move it away first" }
  }

  static func make(at url: URL) throws {
    guard !FileManager.default.fileExists(atPath: url.path) else { throw AlreadyThere(path: url.path) }
    let schema = Schema(versionedSchema: LibrarySchemaV3.self)
    let container = try ModelContainer(
      for: schema, configurations: ModelConfiguration(schema: schema, url: url))
    let context = ModelContext(container)
    let novels = Category(name: "Novels", shelfOrder: 1)
    let classics = Category(name: "Classics", shelfOrder: 2, parent: novels)
    context.insert(classics)
    insertBooks(into: context, in: classics)
    try insertMembers(into: context)
    try context.save()
  }

  private static func insertBooks(into context: ModelContext, in category: Category) {
    let books: [(title: String, isbn: String, pages: Int32, given: String, family: String, chapters: [String])] = [
      (
        "The Count of Monte Cristo", "9780140449266", 1276, "Alexandre", "Dumas",
        ["Marseilles — The Arrival", "Father and Son", "The Catalans"]
      ),
      (
        "The Brothers Karamazov", "9780374528379", 824, "Fyodor", "Dostoevsky",
        ["A Nice Little Family", "An Inappropriate Gathering"]
      ),
      ("Pod igoto", "9789540900001", 480, "Ivan", "Vazov", ["Gost", "Burya"]),
      ("A Room with a View", "9780141183299", 256, "Edward", "Forster", ["The Bertolini"]),
    ]
    for (index, entry) in books.enumerated() {
      let book = Book(
        acquiredOn: Date(timeIntervalSinceReferenceDate: 700_000_000 + Double(index) * 86400),
        identifier: identifier(index), rating: Float(index) + 0.5, title: entry.title, category: category,
        isbn: entry.isbn, pageCount: entry.pages)
      context.insert(book)
      book.authors = [Author(familyName: entry.family, givenName: entry.given, identifier: identifier(100 + index))]
      for (number, title) in entry.chapters.enumerated() {
        context.insert(Chapter(number: Int16(number + 1), title: title, wordCount: 3200, book: book))
      }
    }
    for issue in [12, 13] {
      context.insert(
        Magazine(
          identifier: identifier(200 + issue), title: "Reading Room", issn: "1234-5679", issueNumber: Int32(issue)))
    }
  }

  private static func insertMembers(into context: ModelContext) throws {
    let members = ["Elena", "Ján", "Мария"].enumerated().map { index, name in
      Member(
        address: Address(city: "Sofia", postalCode: "100\(index)", street: nil),
        joinedOn: Date(timeIntervalSinceReferenceDate: 650_000_000), memberNumber: Int64(index + 1), name: name)
    }
    for member in members {
      context.insert(member)
      context.insert(LibraryCard(branchCode: "C", number: member.memberNumber, member: member))
    }
    members[0].friends = [members[1]]
    let books = try context.fetch(FetchDescriptor<Book>(sortBy: [SortDescriptor(\.title, comparator: .lexical)]))
    if let book = books.first { context.insert(Loan(item: book, member: members[0])) }
    let list = ReadingList(name: "Long winter", owner: members[1])
    context.insert(list)
    list.items = books.reversed()
  }

  /// Fixed identifiers, so that the store says the same each time it is made.
  private static func identifier(_ number: Int) -> UUID {
    UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012d", number)) ?? UUID()
  }
}
