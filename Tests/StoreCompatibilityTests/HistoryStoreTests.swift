import Foundation
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import SwiftData

/// The history that Core Data and SwiftData wrote, read through `ModelContext` and compared with plain SQL.
@Suite(.enabled(if: Fixtures.areAvailable, "needs ../shared/fixtures"))
struct HistoryStoreTests {
  /// The history as SQL tells it: a line for each change of the given entities, one without change for other transactions.
  private static func plain(_ url: URL, _ entities: [String]) throws -> [String] {
    let names = entities.map { "'\($0)'" }.joined(separator: ", ")
    return try PlainSQL.rows(
      url,
      """
      SELECT t.Z_PK || '|' || t.ZTIMESTAMP || '|' || ifnull(a.ZNAME, '-') || '|' || ifnull(b.ZNAME, '') || '|' ||
        ifnull(p.ZNAME, '') || '|' || ifnull(e.Z_NAME || '/p' || c.ZENTITYPK || ' ' || c.ZCHANGETYPE || ' ' || c.Z_PK, '')
      FROM ATRANSACTION t
      LEFT JOIN ATRANSACTIONSTRING a ON a.Z_PK = t.ZAUTHORTS LEFT JOIN ATRANSACTIONSTRING b ON b.Z_PK = t.ZBUNDLEIDTS
      LEFT JOIN ATRANSACTIONSTRING p ON p.Z_PK = t.ZPROCESSIDTS
      LEFT JOIN ACHANGE c ON c.ZTRANSACTIONID = t.Z_PK
        AND c.ZENTITY IN (SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME IN (\(names)))
      LEFT JOIN Z_PRIMARYKEY e ON e.Z_ENT = c.ZENTITY
      ORDER BY t.Z_PK, c.Z_PK
      """
    ).map { row in if case .text(let text) = row[0] { text } else { "?" } }
  }

  /// The same lines from transactions.
  private static func lines(_ transactions: [DefaultHistoryTransaction]) -> [String] {
    transactions.flatMap { transaction in
      let head = [
        "\(transaction.transactionIdentifier)", time(transaction.timestamp), transaction.author ?? "-",
        transaction.bundleIdentifier, transaction.processIdentifier,
      ].joined(separator: "|")
      let changes = transaction.changes.map { change in
        let (kind, number): (Int, Any) =
          switch change {
          case .insert(let insert): (0, insert.changeIdentifier)
          case .update(let update): (1, update.changeIdentifier)
          case .delete(let delete): (2, delete.changeIdentifier)
          }
        let identifier = change.changedPersistentIdentifier
        return "\(head)|\(identifier.entityName)/\(identifier.primaryKey) \(kind) \(number)"
      }
      return changes.isEmpty ? ["\(head)|"] : changes
    }
  }

  /// SQLite's text of a time, which has 15 digits.
  private static func time(_ date: Date) -> String {
    var text = String(format: "%.15g", date.timeIntervalSinceReferenceDate)
    if !text.contains(".") { text += ".0" }
    return text
  }

  private func history(
    of file: String, _ types: [any PersistentModel.Type], entities: [String]
  ) throws -> (TemporaryStore, ModelContext, [DefaultHistoryTransaction]) {
    let copy = try Fixtures.copyOfStore(file)
    let context = ModelContext(
      try ModelContainer(for: Schema(types), configurations: ModelConfiguration(url: copy.url)))
    let transactions = try context.fetchHistory(HistoryDescriptor())
    #expect(Self.lines(transactions) == (try Self.plain(copy.url, entities)))
    return (copy, context, transactions)
  }

  @Test func `CD-7 ResourcesManager: the history agrees with SQL, and with the rows that it left`() throws {
    let types: [any PersistentModel.Type] = [
      Resources.Item.self, Resources.CraftingRecipe.self, Resources.Component.self,
    ]
    let (copy, context, transactions) = try history(
      of: "sergd2005__ResourcesManager__histbc3d34e_default.store", types,
      entities: ["Item", "CraftingRecipe", "Component"])
    #expect(transactions.count == 13)
    // Replays insertions and deletions: the objects that remain are the rows.
    var objects: Set<PersistentIdentifier> = []
    for change in transactions.flatMap(\.changes) {
      switch change {
      case .insert: #expect(objects.insert(change.changedPersistentIdentifier).inserted)
      case .update: #expect(objects.contains(change.changedPersistentIdentifier))
      case .delete: #expect(objects.remove(change.changedPersistentIdentifier) != nil)
      }
    }
    var rows: Set<PersistentIdentifier> = []
    rows.formUnion(try context.fetchIdentifiers(FetchDescriptor<Resources.Item>()))
    rows.formUnion(try context.fetchIdentifiers(FetchDescriptor<Resources.CraftingRecipe>()))
    rows.formUnion(try context.fetchIdentifiers(FetchDescriptor<Resources.Component>()))
    #expect(objects == rows && !rows.isEmpty)

    // The third save made a recipe for an item: only the item's key changed. The fifth deleted the recipe's component.
    guard case .update(let made as DefaultHistoryUpdate<Resources.Item>)? = transactions[2].changes.last,
      case .update(let emptied as DefaultHistoryUpdate<Resources.CraftingRecipe>)? = transactions[4].changes.first
    else {
      Issue.record("the changes are of other kinds or classes")
      return
    }
    #expect(made.updatedAttributes.map { $0 as AnyKeyPath } == [\Resources.Item.craftingRecipe])
    #expect(emptied.updatedAttributes.map { $0 as AnyKeyPath } == [\Resources.CraftingRecipe.requiredComponents])

    let token = transactions[9].token
    #expect(
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token }))
        .map(\.id) == [11, 12, 13])
    context.author = "here"
    context.insert(Resources.Item(name: "new"))
    try context.save()
    let own = try context.fetchHistory(
      HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == "here" }))
    #expect(own.map(\.id) == [14] && own.first?.changes.count == 1)
    try context.deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token <= token }))
    #expect(try context.fetchHistory(HistoryDescriptor()).map(\.id) == [11, 12, 13, 14])
    try Oracle.expectSound(copy.url)
  }

  @Test func `CD-7 myhome: the one transaction inserts the expense`() throws {
    let (_, _, transactions) = try history(
      of: "nobelnrj__myhome__MyHomeV1Seed.store", [MyHome.Expense.self], entities: ["Expense"])
    #expect(transactions.map(\.changes.count) == [1] && transactions[0].author == nil)
  }

  enum ScreenTime {
    @Model final class UsageRequest {
      var acknowledgedDate: Date?
      var forUserDSID: Int64?
      var isBackgroundTask: Bool?
      var requestedDate: Date

      init(requestedDate: Date) { self.requestedDate = requestedDate }
    }
  }

  @Test func `CD-7 RMAdminStore: updates name their properties, and tokens before the purge have expired`() throws {
    let (_, context, transactions) = try history(
      of: "log2timeline__plaso__RMAdminStore-Local.sqlite", [ScreenTime.UsageRequest.self], entities: ["UsageRequest"])
    #expect(transactions.count == 939 && transactions.first?.id == 101 && transactions.last?.id == 1039)
    let updates: [DefaultHistoryUpdate<ScreenTime.UsageRequest>] = transactions.flatMap(\.changes).compactMap {
      change in
      if case .update(let update as DefaultHistoryUpdate<ScreenTime.UsageRequest>) = change { update } else { nil }
    }
    #expect(updates.count == 428)
    #expect(
      updates.allSatisfy {
        !$0.updatedAttributes.isEmpty
          && Set($0.updatedAttributes).isSubset(of: [
            \.acknowledgedDate, \.requestedDate, \.forUserDSID, \.isBackgroundTask,
          ])
      })
    let store = try #require(transactions.first).storeIdentifier
    for (number, isThere) in [(1, false), (99, false), (100, true), (1030, true), (1039, true), (1040, false)] {
      let coded = Data("{\"tokenValue\": {\"\(store)\": \(number)}}".utf8)
      let token = try JSONDecoder().decode(DefaultHistoryToken.self, from: coded)
      let later = HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.token > token })
      if isThere {
        #expect(try context.fetchHistory(later).count == 1039 - number)
      } else {
        #expect(throws: SwiftDataError.historyTokenExpired, "\(number)") { try context.fetchHistory(later) }
      }
    }
  }

  enum Photos {
    @Model final class LimitedLibraryFetchFilter {
      @Attribute(.unique) var applicationIdentifier: String
      var designatedRequirement: String?
      var fetchFilterData: Data

      init(applicationIdentifier: String, fetchFilterData: Data) {
        self.applicationIdentifier = applicationIdentifier
        self.fetchFilterData = fetchFilterData
      }
    }
  }

  @Test func `CD-7 Photos: times, authors and processes agree with SQL, and authors can be asked for`() throws {
    let (_, context, transactions) = try history(
      of: "openhouse__osxphotos__Test-14.0.0_Photos.sqlite", [Photos.LimitedLibraryFetchFilter.self],
      entities: ["LimitedLibraryFetchFilter"])
    #expect(Set(transactions.map(\.author)).count == 19)
    for author in Set(transactions.map(\.author)) {
      let count = transactions.filter { $0.author == author }.count
      #expect(
        try context.fetchHistory(
          HistoryDescriptor<DefaultHistoryTransaction>(predicate: #Predicate { $0.author == author })
        ).count == count)
      #expect(
        try context.fetchHistory(
          HistoryDescriptor<DefaultHistoryTransaction>(
            predicate: #Predicate { $0.author == nil || $0.author != author })
        ).count == transactions.count - (author == nil ? 0 : count))
    }
  }
}
