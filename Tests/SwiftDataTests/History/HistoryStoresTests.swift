import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// The history of a container with several stores.
@Suite struct HistoryStoresTests {
  @Model final class Note {
    var text: String
    init(_ text: String) { self.text = text }
  }

  @Model final class Memo {
    var text: String
    init(_ text: String) { self.text = text }
  }

  private let folder: TemporaryStore
  private let container: ModelContainer
  private let context: ModelContext
  private let notes: URL
  private let memos: URL

  init() throws {
    folder = try TemporaryStore()
    notes = folder.folder.appendingPathComponent("notes.store")
    memos = folder.folder.appendingPathComponent("memos.store")
    container = try ModelContainer(
      for: Schema([Note.self, Memo.self]),
      configurations: ModelConfiguration("notes", schema: Schema([Note.self]), url: notes),
      ModelConfiguration("memos", schema: Schema([Memo.self]), url: memos))
    context = ModelContext(container)
  }

  private func saveNote(_ text: String) throws {
    context.insert(Note(text))
    try context.save()
  }

  private func saveMemo(_ text: String) throws {
    context.insert(Memo(text))
    try context.save()
  }

  /// `n` and `m` with the transaction's number: of the notes and of the memos.
  private func names(_ transactions: [DefaultHistoryTransaction]) -> [String] {
    transactions.map { transaction in
      "\(transaction.changes.first?.changedPersistentIdentifier.entityName == "Note" ? "n" : "m")\(transaction.id)"
    }
  }

  private func fetch(
    _ predicate: Predicate<DefaultHistoryTransaction>? = nil, limit: UInt64 = 0,
    sortBy: [SortDescriptor<DefaultHistoryTransaction>] = []
  ) throws -> [DefaultHistoryTransaction] {
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(predicate: predicate, sortBy: sortBy)
    descriptor.fetchLimit = limit
    return try context.fetchHistory(descriptor)
  }

  /// Notes 1 to 3 and memos 1 to 3, at the times 1, 2, 5 and 3, 4, 6.
  private func fill() throws {
    for text in ["1", "2", "3"] {
      try saveNote(text)
      try saveMemo(text)
    }
    try PlainSQL.run(notes, "UPDATE ATRANSACTION SET ZTIMESTAMP = CASE Z_PK WHEN 1 THEN 1 WHEN 2 THEN 2 ELSE 5 END")
    try PlainSQL.run(memos, "UPDATE ATRANSACTION SET ZTIMESTAMP = CASE Z_PK WHEN 1 THEN 3 WHEN 2 THEN 4 ELSE 6 END")
  }

  @Test func `Transactions are merged by time, and each token has a number for each store`() throws {
    try fill()
    let all = try fetch()
    #expect(names(all) == ["n1", "n2", "m1", "m2", "n3", "m3"])
    let (first, second) = (try #require(all.first).storeIdentifier, try #require(all.last).storeIdentifier)
    #expect(first != second)
    #expect(
      all.map(\.token.tokenValue) == [
        [first: 1, second: 0], [first: 2, second: 0], [first: 2, second: 1], [first: 2, second: 2],
        [first: 3, second: 2],
        [first: 3, second: 3],
      ])
    #expect(all.map(\.token) == all.map(\.token).sorted())
    #expect(names(try fetch(limit: 4)) == ["n1", "n2", "m1", "m2"])
    let latest = try fetch(limit: 2, sortBy: [SortDescriptor(\.timestamp, order: .reverse)])
    #expect(names(latest) == ["m3", "n3"] && latest.map(\.token) == [all[5].token, all[4].token])
    #expect(names(try fetch(#Predicate { $0.storeIdentifier == second }, limit: 2)) == ["m1", "m2"])
    #expect(names(try fetch(sortBy: [SortDescriptor(\.transactionIdentifier)])).map { $0.last } == Array("112233"))
  }

  @Test func `Whoever continues after the last token of any part meets each transaction once`() throws {
    try fill()
    let all = names(try fetch())
    for limit in 1...6 as ClosedRange<UInt64> {
      var token: DefaultHistoryToken?
      var met: [String] = []
      while true {
        let part =
          if let token { try fetch(#Predicate { $0.token > token }, limit: limit) } else { try fetch(limit: limit) }
        guard let last = part.last else { break }
        met += names(part)
        token = last.token
      }
      #expect(met == all, "in parts of \(limit)")
    }
    // A save whose clock is behind comes late, and is met nevertheless.
    let token = try #require(try fetch().last).token
    try saveNote("4")
    try PlainSQL.run(notes, "UPDATE ATRANSACTION SET ZTIMESTAMP = 0 WHERE Z_PK = 4")
    #expect(names(try fetch(#Predicate { $0.token > token })) == ["n4"])
  }

  @Test func `A token without a store selects all of its transactions; a purge of one store expires a token`() throws {
    try fill()
    let all = try fetch()
    let early = all[1].token
    #expect(names(try fetch(#Predicate { $0.token > early })) == ["m1", "m2", "n3", "m3"])
    let second = try #require(all.last).storeIdentifier
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.storeIdentifier == second && $0.transactionIdentifier < 3 }))
    #expect(names(try fetch()) == ["n1", "n2", "n3", "m3"])
    let middle = all[2].token
    #expect(throws: SwiftDataError.historyTokenExpired) { try fetch(#Predicate { $0.token > middle }) }
    let late = all[4].token
    #expect(names(try fetch(#Predicate { $0.token > late })) == ["m3"])
    var oldest = HistoryDescriptor<DefaultHistoryTransaction>()
    oldest.fetchLimit = 3
    try context.deleteHistory(oldest)
    #expect(names(try fetch()) == ["m3"])
    for store in [notes, memos] {
      try Oracle.expectSound(store)
    }
  }

  @Test func `An observer hears of each store, and a token for one store leaves the others where they are`()
    async throws
  {
    try fill()
    let second = try #require(try fetch().last).storeIdentifier
    let memos = try HistoryObserver(observedModels: [Memo.self], modelContainer: container)
    let early = try HistoryObserver(
      historyTokens: [second: DefaultHistoryToken([second: 1])], modelContainer: container)
    try await eventually { early.eventCounter == 1 }
    #expect(early.eventCounter == 1 && memos.eventCounter == 0)
    try saveNote("4")
    try await eventually { early.eventCounter == 2 }
    try saveMemo("4")
    try await eventually { early.eventCounter == 3 && memos.eventCounter == 1 }
    #expect(early.eventCounter == 3 && memos.eventCounter == 1)
  }

  @Test func `A DefaultStore gives the history of its store`() throws {
    try saveNote("1")
    let store = try DefaultStore(ModelConfiguration("notes", schema: Schema([Note.self]), url: notes))
    let history = try store.fetchHistory(HistoryDescriptor())
    #expect(history == (try fetch()) && history.first?.storeIdentifier == store.identifier)
    #expect(DefaultStore.historyType == DefaultHistoryTransaction.self)
    try store.deleteHistory(HistoryDescriptor())
    #expect(try fetch().isEmpty)
  }

  @Test func `A reader of one store goes on when another store has lost transactions out of the middle`() throws {
    try fill()
    let token = try #require(try fetch().first).token
    let memos = try #require(try fetch().last).storeIdentifier
    let notes = try #require(try fetch().first).storeIdentifier
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(
        predicate: #Predicate { $0.storeIdentifier == memos && $0.transactionIdentifier == 2 }))
    #expect(throws: SwiftDataError.historyTokenExpired) { try fetch(#Predicate { $0.token > token }) }
    #expect(names(try fetch(#Predicate { $0.token > token && $0.storeIdentifier == notes })) == ["n2", "n3"])
    for store in [self.notes, self.memos] { try Oracle.expectSound(store) }
  }

  @Test func `A token expires with the unread transactions of any store, also of one that it has seen none of`() throws
  {
    try saveNote("a")
    let token = try #require(try fetch().last).token
    let memo = Memo("b")
    context.insert(memo)
    try context.save()
    #expect(names(try fetch(#Predicate { $0.token > token })) == ["m1"])
    let last = try #require(try fetch().last).token
    try context.deleteHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= last }))
    memo.text = "c"
    try context.save()
    #expect(throws: SwiftDataError.historyTokenExpired) { try fetch(#Predicate { $0.token > token }) }
    #expect(names(try fetch(#Predicate { $0.token > last })) == ["m2"])
    let empty = try #require(try fetch().last).token
    #expect(try fetch(#Predicate { $0.token > empty }).isEmpty)
  }
}
