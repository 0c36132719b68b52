import Foundation
import SwiftData
import Testing

@Model final class JointNote {
  @Attribute(.unique) var text: String
  init(_ text: String) { self.text = text }
}

@Model final class JointDraft {
  var text: String
  init(_ text: String) { self.text = text }
}

@Model final class JointPlan {
  var text: String
  init(_ text: String) { self.text = text }
}

@Suite("A save into a store of SQLite and into stores that an app writes", .temporaryFolder)
struct CustomStoreJointSaveTests {
  private struct Refusal: Error {}

  private let drafts = DictionaryConfiguration(name: "drafts", schema: Schema([JointDraft.self]))
  private let plans = DictionaryConfiguration(name: "plans", schema: Schema([JointPlan.self]))
  private let container: ModelContainer
  private let context: ModelContext

  init() throws {
    let notes = ModelConfiguration(
      "notes", schema: Schema([JointNote.self]), url: TemporaryFolder.url.appendingPathComponent("notes.store"))
    // The custom store comes first, and is saved last all the same.
    container = try ModelContainer(
      for: Schema([JointNote.self, JointDraft.self, JointPlan.self]), configurations: [drafts, notes, plans])
    context = ModelContext(container)
    context.autosaveEnabled = false
  }

  private func counts() throws -> [Int] {
    let context = ModelContext(container)
    return try [
      context.fetchCount(FetchDescriptor<JointNote>()), context.fetchCount(FetchDescriptor<JointDraft>()),
      context.fetchCount(FetchDescriptor<JointPlan>()),
    ]
  }

  @Test("A new object goes into the app's store that is named, also if both have the default name")
  func chosenStore() throws {
    let schema = Schema([JointDraft.self])
    let stores = (0..<2).map { _ in DictionaryConfiguration(name: "default", schema: schema) }
    let container = try ModelContainer(for: schema, configurations: [stores[0], stores[1]])
    let context = ModelContext(container)
    try context.insert(JointDraft("a"), into: stores[1])
    try context.save()
    #expect(stores.map { $0.box.store?.log.saves } == [0, 1])
  }

  @Test("If the app's store refuses, the store of SQLite is not written, and all stays pending")
  func customRefuses() throws {
    let (note, draft) = (JointNote("a"), JointDraft("b"))
    context.insert(note)
    context.insert(draft)
    drafts.box.saveFailure = Refusal()
    #expect(throws: Refusal.self) { try context.save() }
    #expect(try counts() == [0, 0, 0])
    #expect(context.insertedModelsArray.count == 2)
    #expect(note.persistentModelID.storeIdentifier == nil && draft.persistentModelID.storeIdentifier == nil)
    drafts.box.saveFailure = nil
    try context.save()
    #expect(try counts() == [1, 1, 0])
  }

  @Test("If the store of SQLite refuses, the app's store is not asked to save")
  func fileRefuses() throws {
    let other = ModelContext(container)
    other.insert(JointNote("a"))
    try other.save()
    context.uniquenessPolicy = .fail
    context.insert(JointNote("a"))
    context.insert(JointDraft("b"))
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(drafts.box.store?.log.saves == 0)
    #expect(try counts() == [1, 0, 0])
    #expect(context.insertedModelsArray.count == 2)
  }

  @Test(
    "Of two stores that the app writes, the first may be saved alone; the error says so, and the next save completes the rest"
  )
  func twoCustom() throws {
    context.insert(JointNote("a"))
    let draft = JointDraft("b")
    context.insert(draft)
    context.insert(JointPlan("c"))
    plans.box.saveFailure = Refusal()
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(error?.explanation?.contains("drafts were committed before") == true)
    #expect(try counts() == [0, 1, 0])
    #expect(draft.persistentModelID.storeIdentifier != nil && !draft.hasChanges)
    #expect(context.insertedModelsArray.count == 2)
    plans.box.saveFailure = nil
    try context.save()
    #expect(try counts() == [1, 1, 1])
    #expect(drafts.box.store?.log.saves == 1)
  }
}
