import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// A schema of the tests' server, with what a case of ``BadInput`` needs to spoil it. The password is in each address.
struct BadInputWorld {
  @Model final class Book {
    var title: String
    var pages: Int = 0
    init(_ title: String) { self.title = title }
  }

  static let password = "geheim"

  let store: TemporaryStore
  let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try TestServer.required()
  }

  var schema: String { store.databaseSchema }

  /// The address of a database that the tests' server may have, for a user that it may know.
  func address(database: String = "postgres", user: String = "app") -> String {
    server.address(ofDatabase: database, user: user, password: Self.password)
  }

  /// Opens the store. Each attempt to connect, and each wait for a connection, takes at most a second.
  @discardableResult
  func open(_ address: String? = nil, schema: String? = nil) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      address ?? self.address(), databaseSchema: schema ?? self.schema, connectionLimit: 2, deadline: 1)
    return try ModelContainer(for: Schema([Book.self]), configurations: [configuration])
  }

  /// A context of the open store, which has one book.
  func context() throws -> ModelContext {
    let context = ModelContext(try open())
    context.autosaveEnabled = false
    context.insert(Book("A"))
    try context.save()
    return context
  }

  func fetch(_ context: ModelContext) throws { _ = try context.fetch(FetchDescriptor<Book>()) }

  func save(_ context: ModelContext, title: String = "B") throws {
    context.insert(Book(title))
    try context.save()
  }

  /// Runs statements as an administrator of the database.
  func execute(_ sql: String) throws { try server.connect().execute(sql) }

  /// Makes a user with the name of the schema, and without any right. Roles belong to the whole server.
  func makeUser() throws { try execute("CREATE ROLE \(Identifier(schema)) LOGIN") }
}
