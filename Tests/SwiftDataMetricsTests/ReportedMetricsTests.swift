import Foundation
import Metrics
import MetricsTestKit
import SwiftData
import SwiftDataMetrics
import Synchronization
import TestSupport
import Testing

@Suite("The counters of swift-metrics")
struct ReportedMetricsTests {
  @Model final class Reading {
    var value: Int
    init(_ value: Int) { self.value = value }
  }

  private let store: TemporaryStore
  private let container: ModelContainer
  private let metrics = TestMetrics()

  init() throws {
    store = try TemporaryStore()
    container = try ModelContainer(for: Reading.self, configurations: ModelConfiguration(url: store.url))
  }

  private func total(_ label: String, _ dimensions: [(String, String)] = []) throws -> Int64 {
    try metrics.expectCounter(label, dimensions).totalValue
  }

  /// One save of three objects, and one fetch of them.
  private func work() throws {
    let context = ModelContext(container)
    for value in 1...3 { context.insert(Reading(value)) }
    try context.save()
    _ = try ModelContext(container).fetch(FetchDescriptor<Reading>(predicate: #Predicate { $0.value > 1 }))
  }

  @Test("Saves, fetches and their objects are counted under the documented labels, which exist from the beginning")
  func labels() throws {
    container.reportMetrics(factory: metrics)
    let labels = [
      "swiftdata_saves_total", "swiftdata_saved_objects_total", "swiftdata_fetches_total",
      "swiftdata_fetched_objects_total", "swiftdata_faults_total",
    ]
    #expect(Set(metrics.counters.map(\.label)) == Set(labels))
    try work()
    #expect(try labels.map { try total($0) } == [1, 3, 1, 2, 0])
    try work()
    #expect(try labels.map { try total($0) } == [2, 6, 2, 6, 0])
  }

  @Test("A prefix and dimensions tell several containers apart")
  func dimensions() throws {
    container.reportMetrics(labelPrefix: "shop", dimensions: [("store", "orders")], factory: metrics)
    try work()
    #expect(try total("shop_saves_total", [("store", "orders")]) == 1)
    #expect(throws: (any Error).self) { try total("shop_saves_total") }
  }

  @Test("Without the call nothing is counted; with it an earlier handler goes on")
  func handler() throws {
    try work()
    #expect(container.activityHandler == nil)
    let saves = Mutex(0)
    container.activityHandler = { activity, amount in
      if activity == .saves { saves.withLock { $0 += amount } }
    }
    container.reportMetrics(factory: metrics)
    try work()
    #expect(saves.withLock { $0 } == 1)
    #expect(try total("swiftdata_saves_total") == 1)
  }
}
