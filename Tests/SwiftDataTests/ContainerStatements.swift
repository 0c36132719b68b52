import CoreDataStore
import SQLite
import Synchronization
import Testing

@testable import SwiftData

/// The statements that a container's first store runs, one reader at a time.
final class ContainerStatements: Sendable {
  private let statements = Mutex<[String]>([])

  /// - Parameter container: on a Core Data store.
  init(_ container: ModelContainer) throws {
    try #require(container.core.stores[0].engine as? PersistentStore).read { connection in
      try connection.onStatement { sql in self.statements.withLock { $0.append(sql) } }
    }
  }

  /// The queries that a closure runs.
  func queries(_ body: () throws -> Void) rethrows -> [String] {
    statements.withLock { $0 = [] }
    try body()
    return statements.withLock { $0 }.filter { $0.hasPrefix("SELECT") }
  }
}
