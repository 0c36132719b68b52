import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Payloads of enumerations in the columns of earlier versions")
struct FormerPayloadTests {
  /// The engines that migrate stores.
  static let engines = TestEngine.allCases.filter { $0.rawValue == "file" || $0.rawValue == "postgreSQL" }

  private typealias Former = FormerPayloads.V1.Expense
  private typealias Expense = FormerPayloads.V2.Expense

  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  private func open(_ engine: TestEngine, _ version: any VersionedSchema.Type) throws -> ModelContext {
    ModelContext(try engine.container(Schema(versionedSchema: version), store))
  }

  private func fill(_ engine: TestEngine) throws -> ModelContext {
    let context = try open(engine, FormerPayloads.V1.self)
    for (index, pair) in FormerPayloads.values.enumerated() { context.insert(Former("\(index)", pair.former)) }
    try context.save()
    return context
  }

  @Test("A store of an earlier version is carried over with every value", arguments: engines)
  func rows(_ engine: TestEngine) throws {
    _ = try fill(engine)
    let context = try open(engine, FormerPayloads.V2.self)
    let read = try context.fetch(FetchDescriptor<Expense>(sortBy: [SortDescriptor(\.label)]))
    #expect(read.map(\.receipt) == FormerPayloads.values.map(\.now))
    let mail = FormerPayloads.Receipt.mail(subject: "Hello")
    #expect(try context.fetchCount(FetchDescriptor<Expense>(predicate: #Predicate { $0.receipt == mail })) == 1)
    read[0].receipt = .nothing
    try context.save()
    let again = try open(engine, FormerPayloads.V2.self)
    #expect(try again.fetch(FetchDescriptor<Expense>(sortBy: [SortDescriptor(\.label)])).first?.receipt == .nothing)
  }

  @Test("The history of deleted objects is carried over, too", arguments: engines)
  func tombstones(_ engine: TestEngine) throws {
    let context = try fill(engine)
    for object in try context.fetch(FetchDescriptor<Former>(sortBy: [SortDescriptor(\.label)])) {
      context.delete(object)
      try context.save()
    }
    let migrated = try open(engine, FormerPayloads.V2.self)
    let kept = try migrated.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).flatMap(\.changes).compactMap {
      change -> HistoryTombstone<Expense>? in
      guard case .delete(let deletion) = change else { return nil }
      return (deletion as? DefaultHistoryDelete<Expense>)?.tombstone
    }
    #expect(kept.map { $0[\.receipt] as? FormerPayloads.Receipt } == FormerPayloads.values.map(\.now))
  }

  @Test("A case that had one value and has several is refused with a way out", arguments: engines)
  func ambiguous(_ engine: TestEngine) throws {
    _ = try fill(engine)
    let error = #expect(throws: SwiftDataError.self) { try open(engine, FormerPayloads.V3.self) }
    let text = error?.errorDescription ?? ""
    #expect(text.contains("subject") && text.contains("give a migration plan"), "\(text)")
  }
}
