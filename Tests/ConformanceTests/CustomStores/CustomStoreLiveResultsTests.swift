import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Live results over a custom store that another container saves to", .temporaryFolder)
struct CustomStoreLiveResultsTests {
  /// Whether the store keeps a history.
  enum Kind: String, CaseIterable, CustomTestStringConvertible {
    case withHistory, withoutHistory

    var testDescription: String { rawValue }

    func containers() throws -> (here: ModelContainer, there: ModelContainer) {
      let configuration: any DataStoreConfiguration =
        switch self {
        case .withHistory: LedgerConfiguration()
        case .withoutHistory: JSONFileConfiguration(url: TemporaryFolder.url.appendingPathComponent("shared.json"))
        }
      let types: [any PersistentModel.Type] = CustomStoreKind.types + [LedgerItem.self, LedgerNote.self]
      let containers = try (0..<2).map { _ in try ModelContainer(for: Schema(types), configurations: [configuration]) }
      return (containers[0], containers[1])
    }
  }

  private func titles(_ observer: ResultsObserver<LedgerItem, Never>) -> [String] { observer.results.map(\.title) }

  private func texts<Model>(_ difference: ResultsDifference<Model>?, _ title: KeyPath<Model, String>) -> [String] {
    (difference?.changes ?? []).map { change in
      switch change {
      case .insert(let item, let place): "insert \(item[keyPath: title]) at \(place)"
      case .move(let item, let origin, let place): "move \(item[keyPath: title]) from \(origin) to \(place)"
      case .delete(_, let place): "delete at \(place)"
      case .update(let item, let place): "update \(item[keyPath: title]) at \(place)"
      }
    }
  }

  @Test("A difference names what the other container has saved, and no other object", arguments: Kind.allCases)
  func differences(kind: Kind) async throws {
    let (here, there) = try kind.containers()
    let writer = ModelContext(there)
    for title in ["a", "b", "c", "d", "e"] { writer.insert(LedgerItem(title: title)) }
    try writer.save()
    let items = try writer.fetch(FetchDescriptor<LedgerItem>(sortBy: [SortDescriptor(\.title)]))
    let observer = try ResultsObserver<LedgerItem, Never>(
      sortBy: [SortDescriptor(\.title)], modelContext: ModelContext(here), isolation: nil)
    var differences = observer.differences.makeAsyncIterator()
    let held = Array(observer.results)

    // Of another class.
    writer.insert(LedgerNote(text: "n"))
    try writer.save()
    items[1].title = "bb"
    try writer.save()
    try await eventually { titles(observer) == ["a", "bb", "c", "d", "e"] }
    #expect(texts(await differences.next(isolation: nil), \.title) == ["update bb at 1"])
    #expect(held.map(\.title) == ["a", "bb", "c", "d", "e"])

    writer.delete(items[0])
    writer.insert(LedgerItem(title: "f"))
    items[2].title = "z"
    try writer.save()
    try await eventually { titles(observer) == ["bb", "d", "e", "f", "z"] }
    #expect(
      texts(await differences.next(isolation: nil), \.title) == [
        "delete at 0", "move z from 2 to 4", "insert f at 3", "update z at 4",
      ])

    try there.erase()
    try await eventually { titles(observer) == [] }
    #expect(
      texts(await differences.next(isolation: nil), \.title) == (0..<5).map { "delete at \($0)" })
  }

  @Test("A new object that has the identifier of an object deleted in the same save is a result")
  func reusedIdentifier() async throws {
    let configuration = LedgerConfiguration()
    let schema = Schema([LedgerItem.self])
    let here = try ModelContainer(for: schema, configurations: [configuration])
    let there = try ModelContainer(for: schema, configurations: [configuration])
    let writer = ModelContext(there)
    let old = LedgerItem(title: "a")
    writer.insert(old)
    try writer.save()
    let observer = try ResultsObserver<LedgerItem, Never>(
      sortBy: [SortDescriptor(\.title)], modelContext: ModelContext(here), isolation: nil)
    #expect(titles(observer) == ["a"])
    configuration.ledger.reused = old.persistentModelID
    writer.delete(old)
    writer.insert(LedgerItem(title: "b"))
    try writer.save()
    try await eventually { titles(observer) == ["b"] }
  }

  @Test("An object whose members have changed is updated; the others are not", arguments: Kind.allCases)
  func members(kind: Kind) async throws {
    let (here, there) = try kind.containers()
    let writer = ModelContext(there)
    let trips = ["a", "b", "c"].map { StoredTrip(name: $0) }
    for trip in trips { writer.insert(trip) }
    try writer.save()
    let observer = try ResultsObserver<StoredTrip, Never>(
      sortBy: [SortDescriptor(\.name)], modelContext: ModelContext(here), isolation: nil)
    var differences = observer.differences.makeAsyncIterator()
    #expect(observer.results.allSatisfy { $0.stops.isEmpty && $0.travellers.isEmpty })
    trips[1].stops.append(StoredStop(title: "pass"))
    trips[1].travellers.append(StoredTraveller(name: "Ada"))
    try writer.save()
    try await eventually { observer.results[1].stops.count == 1 }
    #expect(texts(await differences.next(isolation: nil), \.name) == ["update b at 1"])
    #expect(observer.results.map { $0.travellers.map(\.name) } == [[], ["Ada"], []])
  }
}
