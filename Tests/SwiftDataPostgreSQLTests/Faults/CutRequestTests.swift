import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

@Suite("Connections that are cut at every message of other requests", TestServer.condition)
struct CutRequestTests {
  @Model final class Sheet {
    var number: Int
    var title: String
    init(_ number: Int, _ title: String = "") {
      self.number = number
      self.title = title
    }
  }

  private static let count = 30

  private let store: TemporaryStore
  private let proxy: CuttingProxy
  private let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    let server = try #require(TestServer.shared)
    proxy = try CuttingProxy(to: server.folder)
    let configuration = PostgreSQLConfiguration(
      "postgresql://app@/postgres?host=\(proxy.folder)", databaseSchema: store.databaseSchema, connectionLimit: 4)
    container = try ModelContainer(for: Schema([Sheet.self]), configurations: [configuration])
    let context = ModelContext(container)
    for number in 0..<Self.count { context.insert(Sheet(number)) }
    try context.save()
  }

  /// Runs a request, cut at its first message, its second, and so on, until a request passes without a cut.
  ///
  /// - Parameters:
  ///   - request: given the number of messages before the cut. May fail with the model's words when it is cut.
  ///   - check: told whether the request has failed. Called again after a second attempt.
  ///   - isExpected: whether an error may be that of the request.
  private func cutting(
    _ cut: CuttingProxy.Cut, isExpected: (any Error) -> Bool = { $0 is SwiftDataError },
    _ request: (Int) throws -> Void, check: (_ failed: Bool, Int) throws -> Void = { _, _ in }
  ) throws {
    var messages = 0
    while true {
      proxy.cut(after: messages, cut)
      var failed = false
      do { try request(messages) } catch  where isExpected(error) {
        failed = true
        #expect("\(error)".contains("database postgres on \(proxy.folder)"), "\(error)")
      }
      let hasCut = proxy.stop()
      try check(failed, messages)
      guard hasCut else {
        #expect(!failed)
        break
      }
      if failed {
        try request(messages)
        try check(false, messages)
      }
      messages += 1
    }
    #expect(messages > 0)
  }

  private func number(_ condition: String = "TRUE") throws -> Int64 {
    try #require(TestServer.shared).connect().run(
      "SELECT count(*) FROM \(store.databaseSchema).sheet WHERE \(condition)"
    ).integer(0, 0)
  }

  @Test("Counts, sums, objects one by one and history are whole", arguments: CuttingProxy.Cut.allCases)
  func reads(_ cut: CuttingProxy.Cut) throws {
    let sum = Self.count * (Self.count - 1) / 2
    try cutting(cut) { _ in
      let found = try ModelContext(container).fetchCount(FetchDescriptor<Sheet>())
      #expect(found == Self.count)
    }
    try cutting(cut) { _ in
      let found = try ModelContext(container).sum(of: \Sheet.number)
      #expect(found == sum)
    }
    try cutting(cut) { _ in
      var seen: [Int] = []
      try ModelContext(container).enumerate(FetchDescriptor<Sheet>(), batchSize: 7) { seen.append($0.number) }
      #expect(seen.sorted() == Array(0..<Self.count))
    }
    try cutting(cut) { _ in
      let history = try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
      #expect(history.map(\.changes.count) == [Self.count])
    }
    let query: SQLQuery<Sheet> = "SELECT \(\.number) FROM \(Sheet.self) ORDER BY 1"
    try cutting(cut) { _ in
      let rows = try ModelContext(container).sql(query)
      #expect(rows.map { $0[0, as: Int.self] } == Array(0..<Self.count))
    }
  }

  @Test("A search index is made at once or not at all", arguments: CuttingProxy.Cut.allCases)
  func searchIndexes(_ cut: CuttingProxy.Cut) throws {
    let connection = try #require(TestServer.shared).connect()
    func columns() throws -> [String] {
      try connection.column(
        "SELECT attname FROM pg_attribute WHERE attrelid = $1::text::regclass AND attname LIKE '\\_search%' AND NOT attisdropped",
        [.text("\(store.databaseSchema).sheet")])
    }
    func found() throws -> Int {
      var descriptor = FetchDescriptor<Sheet>()
      descriptor.search = TextSearch("word")
      return try ModelContext(container).fetchCount(descriptor)
    }
    let context = ModelContext(container)
    context.insert(Sheet(-1, "a word"))
    try context.save()
    try cutting(cut) { _ in
      try container.makeSearchIndex(for: Sheet.self, on: [\.title])
    } check: { failed, messages in
      let made = try columns()
      #expect(made == ["_search"] || failed && made.isEmpty, "message \(messages)")
      guard !failed else { return }
      #expect(try found() == 1)
      try connection.execute("ALTER TABLE \(store.databaseSchema).sheet DROP COLUMN _search")
    }
  }

  enum Later {
    @Model final class Sheet {
      var number: Int
      var title: String
      var note: String = ""
      init(_ number: Int) {
        self.number = number
        title = ""
      }
    }
  }

  @Test("The preview of a migration is whole, and changes nothing", arguments: CuttingProxy.Cut.allCases)
  func previews(_ cut: CuttingProxy.Cut) throws {
    let configuration = PostgreSQLConfiguration(
      "postgresql://app@/postgres?host=\(proxy.folder)", databaseSchema: store.databaseSchema, connectionLimit: 4)
    let schema = Schema([Later.Sheet.self])
    let whole = try #require(try configuration.migrationPreview(for: schema))
    #expect(whole.statements.contains { $0.contains("note") })
    // The preview throws the server's errors as they are.
    try cutting(cut, isExpected: { $0 is PostgreSQLError }) { _ in
      let plan = try configuration.migrationPreview(for: schema)
      #expect(plan?.statements == whole.statements && plan?.changes == whole.changes)
    }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Sheet>()) == Self.count)
  }

  @Test("An update of many objects is done to all of them or to none", arguments: CuttingProxy.Cut.allCases)
  func updates(_ cut: CuttingProxy.Cut) throws {
    try cutting(cut) { messages in
      let context = ModelContext(container)
      try context.update(model: Sheet.self) { $0.set(\.title, to: "u\(messages)") }
      try context.save()
    } check: { failed, messages in
      let updated = try number("title = 'u\(messages)'")
      #expect(updated == Self.count || failed && updated == 0, "message \(messages)")
    }
  }

  @Test("A deletion of many objects is done to all of them or to none", arguments: CuttingProxy.Cut.allCases)
  func deletions(_ cut: CuttingProxy.Cut) throws {
    try cutting(cut) { _ in
      let context = ModelContext(container)
      try context.delete(model: Sheet.self, where: #Predicate { $0.number < 10 })
      try context.save()
    } check: { failed, messages in
      let left = try number("number < 10")
      #expect(left == 0 || failed && left == 10, "message \(messages)")
      guard !failed else { return }
      let context = ModelContext(container)
      for number in 0..<10 { context.insert(Sheet(number)) }
      try context.save()
      #expect(try number() == Self.count)
    }
  }

  @Test("History goes at once or not at all", arguments: CuttingProxy.Cut.allCases)
  func historyDeletions(_ cut: CuttingProxy.Cut) throws {
    func transactions() throws -> Int {
      try ModelContext(container).fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count
    }
    var expected = try transactions()
    try cutting(cut) { _ in
      try ModelContext(container).deleteHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    } check: { failed, messages in
      let left = try transactions()
      #expect(left == 0 || failed && left == expected, "message \(messages)")
      guard !failed else { return }
      let context = ModelContext(container)
      for title in ["a", "b"] {
        context.insert(Sheet(100, title))
        try context.save()
      }
      expected = try transactions()
    }
  }
}
