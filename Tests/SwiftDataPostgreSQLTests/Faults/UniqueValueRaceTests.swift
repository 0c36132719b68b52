import Foundation
import ManagedModel
import PostgreSQL
import PostgreSQLStore
import PostgreSQLTestSupport
import StoreRequests
import Synchronization
import TestSupport
import Testing

/// Saves that insert equal unique values at the same moment.
@Suite("Saves of equal new unique values", TestServer.condition, .timeLimit(.minutes(5)))
struct UniqueValueRaceTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "User", properties: [.attribute("email", .string), .attribute("number", .integer64)],
      uniquenessConstraints: [["email"]])
  ])

  let server: TestServer
  private let temporary: TemporaryStore

  init() throws {
    server = try #require(TestServer.shared)
    temporary = try TemporaryStore()
  }

  /// Lets threads save the same new values at once.
  ///
  /// - Returns: the errors, and how often a transaction began.
  private func race(threads: Int, _ values: [[String]]) throws -> (errors: [String], attempts: Int) {
    var options = ServerOptions()
    options.schema = temporary.databaseSchema
    options.deadline = 60
    let attempts = Mutex(0)
    let store = try ServerStore.open(
      server.address + "&options=-c%20deadlock_timeout%3D200ms", options: options, model: Self.model
    ) { sql in
      if sql.hasPrefix("BEGIN") { attempts.withLock { $0 += 1 } }
    }
    let entity = try store.entities.existingEntity("User").number
    let columns = ["email", "number"].map { ColumnSelection(entityName: "User", propertyName: $0) }
    attempts.withLock { $0 = 0 }
    let errors = Mutex<[String]>([])
    for values in values {
      let (begin, end) = (DispatchSemaphore(value: 0), DispatchGroup())
      for thread in 0..<threads {
        end.enter()
        Thread.detachNewThread {
          defer { end.leave() }
          var changes = ChangeSet()
          // Every other thread has them the other way round.
          for value in thread.isMultiple(of: 2) ? values : values.reversed() {
            changes.insertions.append(
              ChangeSet.Insertion(
                entity: entity, columns: columns,
                source: StoreValuesRow(values: ["email": .text(value), "number": .integer(Int64(thread))])))
          }
          begin.wait()
          do { _ = try store.save(changes) } catch { errors.withLock { $0.append("\(error)") } }
        }
      }
      for _ in 0..<threads { begin.signal() }
      end.wait()
    }
    return (errors.withLock { $0 }, attempts.withLock { $0 })
  }

  private func rowCount() throws -> Int64 {
    try server.connect().run("SELECT count(*) FROM \(Identifier(temporary.databaseSchema)).\"user\"").integer(0, 0)
  }

  @Test("A save waits for another one of the same value, and overwrites its row")
  func fewValues() throws {
    let values = (0..<10).map { round in (0..<3).map { "\(round)-\($0)" } }
    let (errors, attempts) = try race(threads: 8, values)
    #expect(errors == [])
    // None of them has met a deadlock.
    #expect(attempts == 80)
    #expect(try rowCount() == 30)
  }

  @Test("Saves of many equal values are all done")
  func manyValues() throws {
    let (errors, _) = try race(threads: 6, [(0..<200).map { "\($0)" }])
    #expect(errors == [])
    #expect(try rowCount() == 200)
  }
}
