import Foundation
import HTTPTypes
import SwiftData

/// The work of one request: JSON in, JSON out.
///
/// Objects stay inside the actor, and so do changes that could not be saved: each request has a library of its own.
@ModelActor
actor Library {
  private let decoder = JSONDecoder()
  private let encoder = JSONEncoder()

  func authors() throws -> Data {
    var all = FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)])
    all.relationshipKeyPathsForPrefetching = [\.books]
    return try encoder.encode(modelContext.fetch(all))
  }

  func author(named name: String) throws -> Data { try encoder.encode(existingAuthor(name)) }

  /// Adds an author whose name is not known yet.
  func addAuthor(_ json: Data) throws -> Data {
    let author = try decoder.decode(Author.self, from: json)
    modelContext.uniquenessPolicy = .fail
    modelContext.insert(author)
    try modelContext.save()
    return try encoder.encode(author)
  }

  func removeAuthor(named name: String) throws {
    modelContext.delete(try existingAuthor(name))
    try modelContext.save()
  }

  func books(_ query: BookQuery) throws -> Data {
    var descriptor = query.descriptor
    descriptor.fetchLimit = query.page + 1
    let books = try modelContext.fetch(descriptor)
    let page = Array(books.prefix(query.page))
    return try encoder.encode(BookPage(books: page, next: books.count > page.count ? page.last?.isbn : nil))
  }

  func book(_ isbn: String) throws -> Data { try encoder.encode(existingBook(isbn)) }

  /// Inserts books, all of them or none; those that are known take the new values.
  func put(_ json: Data) throws -> Data {
    let books = try decoder.decode([Book].self, from: json, configuration: modelContext)
    for book in books { modelContext.insert(book) }
    try modelContext.save()
    return try encoder.encode(books)
  }

  /// Takes copies from the shelf, or puts them back.
  ///
  /// The new number depends on the old one, so the save fails if another request has changed the book meanwhile.
  func changeCopies(of isbn: String, by change: Int) throws -> Data {
    modelContext.conflictPolicy = .fail
    let book = try existingBook(isbn)
    let (copies, isTooLarge) = book.copies.addingReportingOverflow(change)
    guard !isTooLarge else { throw Refusal(.badRequest, "This is more than a number can hold.") }
    book.copies = copies
    try modelContext.save()
    return try encoder.encode(book)
  }

  func removeBook(_ isbn: String) throws {
    modelContext.delete(try existingBook(isbn))
    try modelContext.save()
  }

  private func existingAuthor(_ name: String) throws -> Author {
    guard let author = try modelContext.author(named: name) else {
      throw Refusal(.notFound, "No author has this name.")
    }
    return author
  }

  private func existingBook(_ isbn: String) throws -> Book {
    guard let book = try modelContext.book(isbn) else { throw Refusal(.notFound, "No book has this number.") }
    return book
  }
}
