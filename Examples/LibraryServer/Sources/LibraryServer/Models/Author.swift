import SwiftData

/// An author, and the books that the library has of them. An author with books cannot be deleted.
@Model
final class Author: Codable {
  @Attribute(.unique, .length(1...200)) var name: String
  @Attribute(.minimum(-800), .maximum(2100)) var born: Int?

  @Relationship(deleteRule: .deny, inverse: \Book.author) var books: [Book] = []

  private enum CodingKeys: String, CodingKey { case name, born, books }

  required init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    name = try values.decode(String.self, forKey: .name)
    born = try values.decodeIfPresent(Int.self, forKey: .born)
  }

  /// Books are written as their numbers.
  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(name, forKey: .name)
    try values.encodeIfPresent(born, forKey: .born)
    try values.encode(books.map(\.isbn).sorted(), forKey: .books)
  }
}
