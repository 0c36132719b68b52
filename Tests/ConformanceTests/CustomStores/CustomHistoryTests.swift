import Foundation
import SwiftData
import Testing

/// A custom store's history is fetched and deleted through a context.
@Suite struct CustomHistoryTests {
  @Test func `A context fetches and deletes the transactions of a custom store in the store's own type`() throws {
    let container = try ModelContainer(for: LedgerItem.self, configurations: LedgerConfiguration())
    let context = ModelContext(container)
    for (author, title) in [("a", "1"), ("b", "2"), ("a", "3")] {
      context.author = author
      context.insert(LedgerItem(title: title))
      try context.save()
    }
    let item = try #require(try context.fetch(FetchDescriptor<LedgerItem>()).first)
    let identifier = item.persistentModelID
    item.title = "changed"
    try context.save()
    context.delete(item)
    try context.save()

    let all = try context.fetchHistory(HistoryDescriptor<LedgerEntry>())
    #expect(all.map(\.author) == ["a", "b", "a", "a", "a"] && all.map(\.changes.count) == [1, 1, 1, 1, 1])
    #expect(all[4].changes.first?.changedPersistentIdentifier == identifier)
    if case .delete(let deletion)? = all[4].changes.first {
      #expect((deletion as? any HistoryDelete<LedgerItem>)?.tombstone[\.title] as? String == "gone")
    } else {
      Issue.record("the last change is no deletion")
    }
    let token = all[1].token
    var descriptor = HistoryDescriptor<LedgerEntry>(
      predicate: #Predicate { $0.token > token }, sortBy: [SortDescriptor(\.token, order: .reverse)])
    descriptor.fetchLimit = 2
    #expect(try context.fetchHistory(descriptor).map(\.id) == [5, 4])
    try context.deleteHistory(HistoryDescriptor<LedgerEntry>(predicate: #Predicate { $0.token <= token }))
    #expect(try context.fetchHistory(HistoryDescriptor<LedgerEntry>()).map(\.id) == [3, 4, 5])

    let error = #expect(throws: SwiftDataError.invalidTransactionFetchRequest) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("DefaultHistoryTransaction"))
  }
}
