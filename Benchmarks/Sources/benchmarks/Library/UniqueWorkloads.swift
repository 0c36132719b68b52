import Foundation
import GRDB
import SwiftData

@Model final class Account {
  @Attribute(.unique) var email: String
  var balance: Int

  init(email: String, balance: Int) {
    self.email = email
    self.balance = balance
  }
}

struct AccountRecord: FetchableRecord, PersistableRecord {
  static let databaseTableName = "account"
  var id: Int64?
  var email: String
  var balance: Int

  init(email: String, balance: Int) {
    self.email = email
    self.balance = balance
  }

  init(row: Row) {
    id = row[0]
    email = row[1]
    balance = row[2]
  }

  func encode(to container: inout PersistenceContainer) {
    container["id"] = id
    container["email"] = email
    container["balance"] = balance
  }
}

extension Workload {
  /// Rows with a unique value.
  static var unique: [Workload] {
    [
      Workload(
        "insert-unique", "insert 50,000 unique",
        swiftData: { folder in
          let context = try accountContext(folder)
          return { try context.insertAccounts(balance: 1) }
        },
        grdb: { folder in
          let queue = try accountQueue(folder)
          return { try queue.insertAccounts() }
        }),
      Workload(
        "upsert", "upsert 50,000 unique",
        swiftData: { folder in
          _ = try accountContext(folder).insertAccounts(balance: 1)
          let context = try accountContext(folder)
          return { try context.insertAccounts(balance: 2) }
        },
        grdb: { folder in
          let queue = try accountQueue(folder)
          _ = try queue.insertAccounts()
          return {
            try queue.write { database in
              for index in 0..<accountCount { try AccountRecord(email: email(index), balance: 2).upsert(database) }
            }
            return accountCount
          }
        }),
      Workload(
        "find-or-create", "find or create 4,000 by a unique value, then save",
        swiftData: { folder in
          let context = try accountContext(folder)
          return {
            for index in 0..<4000 {
              let email = email(index / 2)
              var descriptor = FetchDescriptor<Account>(predicate: #Predicate { $0.email == email })
              descriptor.fetchLimit = 1
              if let account = try context.fetch(descriptor).first {
                account.balance += 1
              } else {
                context.insert(Account(email: email, balance: 1))
              }
            }
            try context.save()
            return 2000
          }
        },
        grdb: { folder in
          let queue = try accountQueue(folder)
          return {
            try queue.write { database in
              for index in 0..<4000 {
                let email = email(index / 2)
                if var account = try AccountRecord.filter(Column("email") == email).fetchOne(database) {
                  account.balance += 1
                  try account.update(database)
                } else {
                  try AccountRecord(email: email, balance: 1).insert(database)
                }
              }
            }
            return 2000
          }
        }),
    ]
  }
}

private let accountCount = 50_000

private func email(_ index: Int) -> String { "account.\(index)@example.com" }

private func accountContext(_ folder: URL) throws -> ModelContext {
  let url = folder.appendingPathComponent("accounts.store")
  return ModelContext(try ModelContainer(for: Account.self, configurations: ModelConfiguration(url: url)))
}

private func accountQueue(_ folder: URL) throws -> DatabaseQueue {
  let queue = try DatabaseQueue.inFolder(folder, "accounts")
  try queue.write { database in
    try database.create(table: "account") { table in
      table.autoIncrementedPrimaryKey("id")
      table.column("email", .text).unique()
      table.column("balance", .integer)
    }
  }
  return queue
}

extension ModelContext {
  fileprivate func insertAccounts(balance: Int) throws -> Int {
    for index in 0..<accountCount { insert(Account(email: email(index), balance: balance)) }
    try save()
    return accountCount
  }
}

extension DatabaseQueue {
  fileprivate func insertAccounts() throws -> Int {
    try write { database in
      for index in 0..<accountCount { try AccountRecord(email: email(index), balance: 1).insert(database) }
    }
    return accountCount
  }
}
