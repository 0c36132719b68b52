import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("Reads of deleted objects in strict mode", .serialized)
struct DeletedObjectReadsTests {
  @Model class StrictNote {
    var text: String
    var other: StrictNote?
    init(_ text: String) { self.text = text }
  }

  @Model final class StrictLetter: StrictNote {
    var receiver: String
    init(_ text: String, to receiver: String) {
      self.receiver = receiver
      super.init(text)
    }
  }

  private final class Reports: Sendable {
    private let list = Mutex<[String]>([])
    /// Other tests of the process read deleted objects as well.
    func add(_ object: PersistentIdentifier, _ property: String) {
      if object.entityName.hasPrefix("Strict") { list.withLock { $0.append("\(object.entityName).\(property)") } }
    }
    func take() -> [String] {
      list.withLock { list in
        defer { list = [] }
        return list
      }
    }
  }

  @Test("A read of a deleted object is told with its property; it gives the last value, and other reads are not told")
  func reads() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: StrictNote.self, StrictLetter.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let (kept, gone) = (StrictNote("kept"), StrictLetter("gone", to: "Ada"))
    context.insert(kept)
    context.insert(gone)
    try context.save()
    let reports = Reports()
    ModelContext.deletedObjectHandler = { reports.add($0, $1) }
    defer { ModelContext.deletedObjectHandler = nil }
    #expect(kept.text == "kept" && gone.receiver == "Ada")
    context.delete(gone)
    #expect(gone.text == "gone")
    try context.save()
    #expect(reports.take() == [])
    #expect(gone.receiver == "Ada" && gone.text == "gone" && kept.text == "kept")
    #expect(reports.take() == ["StrictLetter.receiver", "StrictLetter.text"])
    #expect(gone.isDeleted && gone.modelContext == nil)
    #expect(reports.take() == [])

    // The row is deleted by another context.
    let other = ModelContext(container)
    try other.delete(model: StrictNote.self)
    try other.save()
    _ = try context.fetch(FetchDescriptor<StrictNote>())
    #expect(kept.text == "kept" && kept.other == nil)
    #expect(reports.take() == ["StrictNote.text", "StrictNote.other"])

    ModelContext.deletedObjectHandler = nil
    #expect(gone.text == "gone")
    #expect(reports.take() == [])
  }

  @Test("Observation tracks reads in strict mode, too")
  func observation() throws {
    ModelContext.deletedObjectHandler = { _, _ in }
    defer { ModelContext.deletedObjectHandler = nil }
    let note = StrictNote("a")
    let changes = Atomic(0)
    withObservationTracking {
      _ = note.text
    } onChange: {
      changes.add(1, ordering: .relaxed)
    }
    note.text = "b"
    #expect(changes.load(ordering: .relaxed) == 1)
  }
}
