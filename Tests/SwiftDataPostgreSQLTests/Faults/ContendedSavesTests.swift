import Foundation
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import Synchronization
import TestSupport
import Testing

private enum Ledger {
  enum V1: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Account.self] }

    @Model final class Account {
      @Attribute(.unique) var name: String
      var balance = 0
      @Relationship(inverse: \Account.partner) var owner: Account?
      var partner: Account?
      init(_ name: String) { self.name = name }
    }
  }

  enum V2: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Account.self] }

    @Model final class Account {
      @Attribute(.unique) var name: String
      var balance = 0
      @Relationship(inverse: \Account.partner) var owner: Account?
      var partner: Account?
      var note: String?
      init(_ name: String) { self.name = name }
    }
  }
}

/// Many workers save the same few objects, whose rows they lock in different orders.
@Suite("Saves of the same objects by many workers", TestServer.condition, .timeLimit(.minutes(5)))
struct ContendedSavesTests {
  private let store: TemporaryStore
  private let server: TestServer

  init() throws {
    store = try TemporaryStore()
    server = try #require(TestServer.shared)
  }

  /// The server looks for deadlocks early, so that the test is short.
  private func container(_ version: any VersionedSchema.Type) throws -> ModelContainer {
    let configuration = PostgreSQLConfiguration(
      server.address + "&options=-c%20deadlock_timeout%3D100ms", databaseSchema: store.databaseSchema,
      connectionLimit: 8, deadline: 60)
    return try ModelContainer(for: Schema(versionedSchema: version), configurations: [configuration])
  }

  /// A container with eight accounts.
  private func filled() throws -> ModelContainer {
    let container = try container(Ledger.V1.self)
    let context = ModelContext(container)
    for number in 0..<8 { context.insert(Ledger.V1.Account("\(number)")) }
    try context.save()
    return container
  }

  /// One save: two accounts change, two become partners, and a new object has the unique value of a row.
  private static func change(_ container: ModelContainer, _ numbers: inout SplitMix) throws {
    let context = ModelContext(container)
    let accounts = try context.fetch(FetchDescriptor<Ledger.V1.Account>()).shuffled(using: &numbers)
    for account in accounts.prefix(2) { account.balance += 1 }
    accounts[2].partner = accounts[3]
    let again = Ledger.V1.Account(accounts[4].name)
    again.balance = -1
    context.insert(again)
    try context.save()
  }

  @Test("Updates, upserts and one-to-one links of the same rows are all saved")
  func saves() throws {
    let container = try filled()
    let errors = Mutex<[String]>([])
    let end = DispatchGroup()
    for worker in 0..<6 {
      end.enter()
      Thread.detachNewThread {
        defer { end.leave() }
        var numbers = SplitMix(seed: UInt64(worker))
        for _ in 0..<10 {
          do { try Self.change(container, &numbers) } catch { errors.withLock { $0.append("\(error)") } }
        }
      }
    }
    end.wait()
    #expect(errors.withLock { $0 } == [])
    let accounts = try ModelContext(container).fetch(FetchDescriptor<Ledger.V1.Account>())
    #expect(accounts.count == 8)
    for account in accounts { #expect(account.partner.map { $0.owner === account } ?? true) }
  }

  @Test("A migration waits for the saves of others and is done")
  func migration() throws {
    let old = try filled()
    let isDone = Mutex(false)
    let saves = Mutex(0)
    let end = DispatchGroup()
    for worker in 0..<4 {
      end.enter()
      Thread.detachNewThread {
        defer { end.leave() }
        var numbers = SplitMix(seed: UInt64(worker))
        // After the migration each save fails.
        while !isDone.withLock({ $0 }) {
          if (try? Self.change(old, &numbers)) != nil { saves.withLock { $0 += 1 } }
        }
      }
    }
    while saves.withLock({ $0 }) < 5 { Thread.sleep(forTimeInterval: 0.001) }
    defer {
      isDone.withLock { $0 = true }
      end.wait()
    }
    let new = try container(Ledger.V2.self)
    #expect(try ModelContext(new).fetchCount(FetchDescriptor<Ledger.V2.Account>()) == 8)
  }
}
