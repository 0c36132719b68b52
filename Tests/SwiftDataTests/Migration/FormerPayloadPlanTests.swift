import Foundation
import SwiftData
import TestSupport
import Testing

@Suite("Migration plans for stores with payloads in former columns")
struct FormerPayloadPlanTests {
  private let store: TemporaryStore

  init() throws { store = try TemporaryStore() }

  @Test("A plan knows the version of a store with former columns, and its stages follow")
  func plan() throws {
    let configuration = ModelConfiguration(url: store.url)
    let context = ModelContext(
      try ModelContainer(for: Schema(versionedSchema: FormerPayloads.V1.self), configurations: configuration))
    context.insert(FormerPayloads.V1.Expense("a", FormerPayloads.Former(mail: "Hello")))
    context.insert(
      FormerPayloads.V1.Expense("b", FormerPayloads.Former(file: FormerPayloads.File(sha256: "abc", path: nil))))
    try context.save()
    let migrated = ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: FormerPayloads.V3.self), migrationPlan: FormerPayloads.Plan.self,
        configurations: configuration))
    let read = try migrated.fetch(FetchDescriptor<FormerPayloads.V3.Expense>(sortBy: [SortDescriptor(\.label)]))
    #expect(read.map(\.receipt) == [.mail(subject: "Hello", sender: nil), .file(sha256: "abc", path: nil)])
  }
}
