import Foundation
import SwiftData
import SwiftDataPostgreSQL

/// Where the books are kept. The classes are the same.
enum Database: Sendable {
  case file(URL)
  case server(address: String, schema: String)

  /// - Parameter address: such as `postgresql://app@db.example/library`, or the path of a file.
  init(_ address: String) {
    if address.hasPrefix("postgresql://") || address.hasPrefix("postgres://") {
      self = .server(address: address, schema: "library")
    } else {
      self = .file(URL(fileURLWithPath: address))
    }
  }

  /// Opens the store; it is made if there is none.
  func container() throws -> ModelContainer {
    switch self {
    case .file(let url):
      try ModelContainer(for: Book.self, configurations: ModelConfiguration(url: url))
    case .server(let address, let schema):
      try ModelContainer(for: Book.self, configurations: PostgreSQLConfiguration(address, databaseSchema: schema))
    }
  }
}
