import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Opening a PostgreSQL store", TestServer.condition)
struct OpeningTests {
  @Model final class Book {
    var title: String
    init(_ title: String) { self.title = title }
  }

  enum Later {
    @Model final class Book {
      var title: String
      var pages: Int = 0
      init(_ title: String) { self.title = title }
    }
  }

  /// A class whose name and properties are words of SQL, and worse.
  @Model final class Select {
    var order: Int = 0
    var from: String = ""
    @Attribute(originalName: "a\"; DROP TABLE x; --") var odd: String = ""
    init() {}
  }

  let store: TemporaryStore
  let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
  }

  private func configuration(_ address: String? = nil, allowsSave: Bool = true) -> PostgreSQLConfiguration {
    PostgreSQLConfiguration(
      address ?? server.address, allowsSave: allowsSave, databaseSchema: store.databaseSchema, deadline: 3)
  }

  private func message(_ body: () throws -> Void) throws -> String {
    "\(try #require(#expect(throws: SwiftDataError.loadIssueModelContainer) { try body() }) as any Error)"
  }

  private func open(_ configuration: PostgreSQLConfiguration) throws -> ModelContainer {
    try ModelContainer(for: Schema([Book.self]), configurations: [configuration])
  }

  enum FirstVersion: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Book.self] }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [FirstVersion.self] }
    static var stages: [MigrationStage] { [] }
  }

  @Test func `A schema's container takes a plan, and configurations one after the other`() throws {
    let schema = Schema(versionedSchema: FirstVersion.self)
    let configuration = configuration()
    let container = try ModelContainer(for: schema, migrationPlan: Plan.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Book("Emma"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Book>()) == 1)
  }

  @Test("Two configurations of one store are refused, each with the name of its type")
  func twice() throws {
    let configurations = ["a", "b"].map {
      PostgreSQLConfiguration(server.address, name: $0, databaseSchema: store.databaseSchema, deadline: 3)
    }
    let error = #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(for: Schema([Book.self]), configurations: configurations)
    }
    let explanation = try #require(error?.explanation)
    for part in ["PostgreSQLConfiguration(a, ", "PostgreSQLConfiguration(b, "] {
      #expect(explanation.contains(part), "\(explanation)")
    }
    #expect(!explanation.contains("ModelConfiguration("))
  }

  @Test("A missing database is named, also if another setting has its name, or the name has a space")
  func missingDatabase() throws {
    for (name, words) in [("library", "database \"library\""), ("our%20library", "database \"our library\"")] {
      let address = server.address(ofDatabase: name, password: "geheim") + "&application_name=library"
      let text = try message { _ = try open(configuration(address)) }
      #expect(text.contains(words + " does not exist") && !text.contains("geheim"), "\(text)")
    }
  }

  @Test("The server's own schemas get no store", arguments: ["information_schema", "pg_catalog", "pg_temp"])
  func serversSchemas(name: String) throws {
    let text = try message {
      _ = try open(PostgreSQLConfiguration(server.address, databaseSchema: name, deadline: 3))
    }
    #expect(text.contains("the schema “\(name)” is the server's own — name another schema"), "\(text)")
    let tables = try Connection(ServerAddress(server.address)).run(
      "SELECT 1 FROM pg_class WHERE relname = '_store' AND relnamespace::regnamespace::text = $1", [.text(name)])
    #expect(tables.rowCount == 0)
  }

  @Test("A store is the same when it is opened again")
  func again() throws {
    let context = ModelContext(try open(configuration()))
    let book = Book("A")
    context.insert(book)
    try context.save()
    let found = ModelContext(try open(configuration())).model(for: book.persistentModelID) as? Book
    #expect(found?.title == "A")
  }

  @Test("A text that is no address gives an error that says so, and never the password")
  func wrongAddresses() throws {
    for address in ["postgresql://app:secret@[::1", "postgresql://app:secret@host/db?colour=red", "no address"] {
      let error = #expect(throws: (any Error).self) { _ = try open(configuration(address)) }
      let text = "\(try #require(error))"
      #expect(text.contains("address") && !text.contains("secret"), "\(text)")
    }
    #expect(!"\(configuration("postgresql://app:secret@h/d").debugDescription)".contains("secret"))
  }

  @Test("Tables of another version of the model are refused to a reader, which migrates nothing")
  func otherVersion() throws {
    _ = try open(configuration())
    let text = try message {
      _ = try ModelContainer(for: Schema([Later.Book.self]), configurations: [configuration(allowsSave: false)])
    }
    #expect(text.contains("“Book”") && text.contains("another version"))
  }

  @Test("A store that is open for reading only is read, and neither made nor written")
  func readOnly() throws {
    #expect(try message { _ = try open(configuration(allowsSave: false)) }.contains("has no store"))
    _ = try open(configuration())
    let context = ModelContext(try open(configuration(allowsSave: false)))
    #expect(try context.fetch(FetchDescriptor<Book>()).isEmpty)
    context.insert(Book("A"))
    #expect(throws: SwiftDataError.self) { try context.save() }
  }

  @Test("Names that are words of SQL, or contain quotation marks, are names")
  func names() throws {
    let container = try ModelContainer(for: Schema([Select.self]), configurations: [configuration()])
    let context = ModelContext(container)
    let object = Select()
    object.odd = "x"
    object.order = 3
    object.from = "y"
    context.insert(object)
    try context.save()
    let found = try ModelContext(container).fetch(
      FetchDescriptor<Select>(predicate: #Predicate { $0.odd == "x" && $0.order > 2 && $0.from != "z" }))
    #expect(found.count == 1)
  }

  @Test("Snapshots are exchanged by programs that use the store without a container")
  func dataStore() throws {
    var configuration = configuration()
    configuration.schema = Schema([Book.self])
    let store = try PostgreSQLDataStore(configuration)
    let context = ModelContext(try open(configuration))
    context.insert(Book("A"))
    try context.save()
    let request = DataStoreFetchRequest<Book>(editingState: EditingState(), descriptor: FetchDescriptor())
    #expect(try store.fetch(request).fetchedSnapshots.count == 1)
    #expect(try store.fetchCount(request) == 1)
    var related: [PersistentIdentifier: any BackingData] = [:]
    let new = DefaultSnapshot(from: Book("B").persistentBackingData, relatedBackingDatas: &related)
    let saved = try store.save(DataStoreSaveChangesRequest(inserted: [new], editingState: EditingState()))
    let token = try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).last?.token
    #expect(saved.historyToken as? DefaultHistoryToken == token && token?.storeIdentifier == store.identifier)
  }

  @Test("A backup to a file is refused, with the way out")
  func backup() throws {
    let container = try open(configuration())
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try container.backup(to: store.url.deletingLastPathComponent().appendingPathComponent("backup.store"))
    }
    let message = "\(try #require(error) as any Error)"
    #expect(message.contains("is no file that can be copied: make the backup by its own means"))
  }
}
