import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import PropertyLists
import StoreRequests
import SwiftDataPostgreSQL
import TestSupport
import Testing

@testable import SwiftData

@Suite("Migrations of array columns", TestServer.condition)
struct ArrayMigrationTests {
  enum First: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model final class Book {
      var name: String
      var tags: [String] = []
      var old: [Int] = []
      var numbers: [Int]?
      var ratios: [Double] = []
      var dates: [Date] = []
      var codes: [UUID] = []
      var flags: [Bool] = []
      var words: [String] = []
      var prices: [Decimal] = []
      var blobs: [Data] = []
      var shares: [Float] = []
      var colors: [ArrayElementTests.Color] = []
      init(_ name: String) { self.name = name }
    }
  }

  enum Second: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }

    @Model final class Book {
      var name: String
      @Attribute(originalName: "tags") var labels: [String] = []
      var new: [Int]?
      var numbers: [Int32]?
      var ratios: [Double?] = []
      var dates: [Date?] = []
      var codes: [UUID?] = []
      var flags: [Bool?] = []
      var words: [String?] = []
      var prices: [Decimal?] = []
      var blobs: [Data?] = []
      var shares: [Double] = []
      var colors: [String] = []
      init(_ name: String) { self.name = name }
    }
  }

  let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func open(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    try TestEngine.postgreSQL.container(Schema(versionedSchema: version), store)
  }

  private func types() throws -> [String: String] {
    let rows = try #require(TestServer.shared).connect().run(
      "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = '\"\(store.databaseSchema)\".book'::regclass AND attnum > 0"
    )
    return Dictionary(
      (0..<rows.rowCount).map { (rows.text($0, 0) ?? "", rows.text($0, 1) ?? "") }, uniquingKeysWith: { $1 })
  }

  @Test("Arrays are added, removed and renamed; an array of other elements becomes JSON, and keeps its values")
  func changes() throws {
    let context = ModelContext(try open(First.self))
    let book = First.Book("A")
    book.tags = ["x", "y\""]
    book.numbers = [1, .max]
    book.ratios = [
      1, -0.0, 0.1, 1e300, -1e20, 9.3e18, .leastNonzeroMagnitude, .nan, .infinity, -.infinity, 1e-7,
      123456.789012345678, 0x1p53,
    ]
    book.dates = [
      Date(timeIntervalSinceReferenceDate: 0.000001), .distantPast, Date(timeIntervalSinceReferenceDate: .infinity),
    ]
    book.codes = [UUID(), ArrayColumnTests.code]
    book.flags = [true, false]
    book.words = ["a", "$uuid", ""]
    book.prices = [12.5, -0.001, 0, .nan, Decimal(sign: .plus, exponent: 127, significand: 1)]
    book.blobs = [Data(), Data((0..<200).map { UInt8($0) })]
    book.shares = [0.1, -0.0, .infinity, .nan, 1e20, .leastNonzeroMagnitude]
    book.colors = [.red, .blue]
    context.insert(book)
    context.insert(First.Book("B"))
    try context.save()

    let container = try open(Second.self)
    let books = try ModelContext(container).fetch(FetchDescriptor<Second.Book>(sortBy: [SortDescriptor(\.name)]))
    try #require(books.count == 2)
    #expect(books[0].labels == book.tags && books[1].labels.isEmpty && books[0].new == nil)
    // A number that the new type cannot hold makes the array unreadable, as in every store.
    #expect(books[0].numbers == nil && books[1].numbers == nil)
    #expect(books[0].ratios.map { $0?.bitPattern } == book.ratios.map(\.bitPattern) && books[1].ratios.isEmpty)
    #expect(books[0].dates == book.dates && books[0].codes == book.codes && books[0].flags == book.flags)
    #expect(books[0].words == book.words && books[1].words.isEmpty)
    #expect(books[0].prices.map { $0?.description } == book.prices.map(\.description) && books[0].blobs == book.blobs)
    #expect(books[0].shares.map(\.bitPattern) == book.shares.map { Double($0).bitPattern })
    // An enumeration's values are texts already.
    #expect(books[0].colors == book.colors.map(\.rawValue))
    let types = try types()
    #expect(types["labels"] == "text[]" && types["new"] == "bigint[]" && types["colors"] == "text[]")
    for column in ["numbers", "ratios", "dates", "codes", "flags", "words", "prices", "blobs", "shares"] {
      #expect(types[column] == "jsonb", "\(column)")
    }

    let other = ModelContext(container)
    let saved = try #require(
      try other.fetch(FetchDescriptor<Second.Book>(predicate: #Predicate { $0.name == "A" })).first)
    saved.new = [7]
    saved.numbers = [2]
    saved.words.append(nil)
    try other.save()
    let again = try ModelContext(try open(Second.self)).fetch(
      FetchDescriptor<Second.Book>(sortBy: [SortDescriptor(\.name)]))
    #expect(again[0].new == [7] && again[0].numbers == [2] && again[0].words == ["a", "$uuid", "", nil])
  }

  @Test("A reader whose class has another kind of collection reads array columns as they are")
  func reader() throws {
    let context = ModelContext(try open(First.self))
    let book = First.Book("A")
    book.words = ["a"]
    context.insert(book)
    try context.save()
    let model = try Schema(versionedSchema: First.self).lowered().mappingAttributes { attribute, _ in
      var attribute = attribute
      if attribute.contents != nil { attribute.contents = .archive }
      return attribute
    }
    var options = ServerOptions()
    options.schema = store.databaseSchema
    options.isReadOnly = true
    let engine = try ServerStore.open(try #require(TestServer.shared).address, options: options, model: model)
    let columns = [ColumnSelection(entityName: "Book", propertyName: "words")]
    let rows = try engine.fetch(FetchRequest(entityName: "Book", columns: columns))
    #expect(try rows.next())
    #expect(rows.value(0) == .blob(try ArchivedValue.list([.string("a")]).archived()))
    #expect(try types()["words"] == "text[]")
  }
}
