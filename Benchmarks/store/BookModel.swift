import CoreDataStore
import Foundation
import ManagedModel
import StoreRequests

/// Authors and books, with the kinds of values that apps keep.
enum BookModel {
  static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Author",
      properties: [
        .attribute(AttributeDescription(name: "name", type: .string)),
        .relationship(
          RelationshipDescription(
            name: "books", destinationEntityName: "Book", inverseName: "author", inverseEntityName: "Book",
            minimumCount: 0, maximumCount: 0)),
      ]),
    EntityDescription(
      name: "Book",
      properties: [
        .attribute(AttributeDescription(name: "added", type: .date)),
        .attribute(AttributeDescription(name: "identifier", type: .uuid)),
        .attribute(AttributeDescription(name: "pages", type: .integer64)),
        .attribute(AttributeDescription(name: "price", type: .double)),
        .attribute(AttributeDescription(name: "subtitle", type: .string, isOptional: true)),
        .attribute(AttributeDescription(name: "title", type: .string)),
        .relationship(
          RelationshipDescription(
            name: "author", destinationEntityName: "Author", inverseName: "books", inverseEntityName: "Author",
            minimumCount: 1, maximumCount: 1)),
      ]),
  ])

  /// All of a book's columns, in the order in which both contestants read and bind them.
  static let columns = ["added", "identifier", "pages", "price", "subtitle", "title", "author"].map {
    ColumnSelection(entityName: "Book", propertyName: $0)
  }
  static let authorCount = 1_000

  /// A model of many entities, each with a relationship to the next.
  static func large(entityCount: Int) -> ModelDescription {
    ModelDescription(
      entities: (0..<entityCount).map { number in
        let (next, previous) = ((number + 1) % entityCount, (number + entityCount - 1) % entityCount)
        let attributes = (0..<10).map { index in
          PropertyDescription.attribute(
            AttributeDescription(
              name: "value\(index)", type: [.string, .integer64, .date, .double, .boolean][index % 5]))
        }
        let relationships = [
          RelationshipDescription(
            name: "next", destinationEntityName: "Entity\(next)", inverseName: "previous",
            inverseEntityName: "Entity\(next)", maximumCount: 1),
          RelationshipDescription(
            name: "previous", destinationEntityName: "Entity\(previous)", inverseName: "next",
            inverseEntityName: "Entity\(previous)", maximumCount: 0),
        ]
        return EntityDescription(
          name: "Entity\(number)", properties: attributes + relationships.map(PropertyDescription.relationship))
      })
  }
}

/// A book as a program would hold it; both contestants read into an array of these.
struct Book {
  var added: Date
  var identifier: UUID
  var pages: Int64
  var price: Double
  var subtitle: String?
  var title: String
  var author: Int64

  static func all(_ count: Int) -> [Book] {
    (0..<count).map { index in
      let byte = { (shift: Int) in UInt8(truncatingIfNeeded: index >> shift) }
      let bytes = (byte(0), byte(8), byte(16), byte(24))
      return Book(
        added: Date(timeIntervalSinceReferenceDate: 700_000_000.25 + Double(index)),
        identifier: UUID(
          uuid: (bytes.0, bytes.1, bytes.2, bytes.3, 0, 0, 0x40, 0, 0x80, 0, 0, 0, bytes.3, bytes.2, bytes.1, bytes.0)),
        pages: Int64(index % 900), price: Double(index % 5_000) / 100 + 0.125,
        subtitle: index % 3 == 0 ? nil : "A subtitle of some length, number \(index % 1_000)",
        title: "The book with the number \(index)", author: Int64(index % BookModel.authorCount) + 1)
    }
  }

  static func checksum(_ books: [Book]) -> Int {
    books.reduce(0) {
      $0 &+ Int($1.pages) &+ $1.title.utf8.count &+ ($1.subtitle?.utf8.count ?? 0) &+ Int($1.author)
        &+ Int($1.identifier.uuid.0)
    }
  }
}

/// A book that a save binds.
final class BookRow: RowSource {
  private let book: Book
  private let author: ObjectKey

  init(_ book: Book, authorEntity: Int32) {
    self.book = book
    author = ObjectKey(entity: authorEntity, key: book.author)
  }

  func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
    try binder.bind(book.added)
    try binder.bind(book.identifier)
    try binder.bind(book.pages)
    try binder.bind(book.price)
    try binder.bind(book.subtitle)
    try binder.bind(book.title)
    try binder.bind(author)
  }

  func assign(_ object: ObjectKey, wasMerged: Bool) {}
}
