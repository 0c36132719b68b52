import Foundation
import GRDB
import SwiftData

@Model final class Author {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Book.author) var books: [Book] = []

  init(name: String) { self.name = name }
}

@Model final class Book {
  var title: String
  var pages: Int
  var rating: Double
  var published: Date
  var author: Author?

  init(_ sample: BookSample, author: Author?) {
    title = sample.title
    pages = sample.pages
    rating = sample.rating
    published = sample.published
    self.author = author
  }
}

struct AuthorRecord: FetchableRecord, MutablePersistableRecord {
  static let databaseTableName = "author"
  static let books = hasMany(BookRecord.self)
  var id: Int64?
  var name: String

  init(name: String) { self.name = name }

  init(row: Row) {
    id = row[0]
    name = row[1]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["name"] = name
  }

  mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

struct BookRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "book"
  static let author = belongsTo(AuthorRecord.self)
  var id: Int64?
  var title: String
  var pages: Int
  var rating: Double
  var published: Date
  var authorId: Int64?

  init(_ sample: BookSample, authorId: Int64?) {
    title = sample.title
    pages = sample.pages
    rating = sample.rating
    published = sample.published
    self.authorId = authorId
  }

  init(row: Row) {
    id = row[0]
    title = row[1]
    pages = row[2]
    rating = row[3]
    published = Date(timeIntervalSinceReferenceDate: row[4])
    authorId = row[5]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["title"] = title
    container["pages"] = pages
    container["rating"] = rating
    container["published"] = published.timeIntervalSinceReferenceDate
    container["authorId"] = authorId
  }
}
