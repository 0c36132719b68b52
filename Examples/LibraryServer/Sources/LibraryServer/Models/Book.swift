import Foundation
import SwiftData

/// A title of the library. Its number is unique, so a book that is sent again updates the one that is known.
@Model
final class Book {
  #Index<Book>([\.year])

  @Attribute(.unique, .matches("97[89][0-9]{10}")) var isbn: String
  @Attribute(.length(1...500)) var title: String
  @Attribute(.minimum(-800), .maximum(2100)) var year: Int
  /// The copies that stand on the shelf.
  @Attribute(.minimum(0)) var copies: Int
  var author: Author?

  private enum CodingKeys: String, CodingKey { case isbn, title, year, copies, author }

  /// Decodes a book, whose author is the one of that name in a context.
  required init(from decoder: any Decoder, configuration context: ModelContext) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    isbn = try values.decode(String.self, forKey: .isbn)
    title = try values.decode(String.self, forKey: .title)
    year = try values.decode(Int.self, forKey: .year)
    copies = try values.decodeIfPresent(Int.self, forKey: .copies) ?? 1
    guard let name = try values.decodeIfPresent(String.self, forKey: .author) else { return }
    author = try context.author(named: name)
    guard author != nil else {
      throw DecodingError.dataCorruptedError(
        forKey: .author, in: values, debugDescription: "No author has this name. Add the author first.")
    }
  }
}

extension Book: Encodable, DecodableWithConfiguration {
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(isbn, forKey: .isbn)
    try values.encode(title, forKey: .title)
    try values.encode(year, forKey: .year)
    try values.encode(copies, forKey: .copies)
    try values.encodeIfPresent(author?.name, forKey: .author)
  }
}

extension ModelContext {
  /// The author of a name, if there is one.
  func author(named name: String) throws -> Author? {
    try fetch(FetchDescriptor<Author>(predicate: #Predicate { $0.name == name })).first
  }

  /// The book of a number, if there is one.
  func book(_ isbn: String) throws -> Book? {
    try fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.isbn == isbn })).first
  }
}
