import Foundation
import SwiftData
import TestSupport
import Testing

/// Faults of a class whose properties have initial values.
@Suite struct FaultInitialValueTests {
  @Model final class Note {
    var text: String = ""
    var count: Int = 0
    var remark: String?
    var day = Date(timeIntervalSinceReferenceDate: 0)
    var pile: Pile?
    var tags: [String] = []
    @Transient var scratch = 7

    init() {}
  }

  @Model final class Pile {
    var name: String = "none"
    @Relationship(inverse: \Note.pile) var notes: [Note] = []

    init() {}
  }

  @Test("The object of an identifier has its row's values, whichever property is read first")
  func initialValues() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Note.self, Pile.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let (note, pile) = (Note(), Pile())
    context.insert(note)
    note.text = "text"
    note.count = 2
    note.remark = "remark"
    note.day = Date(timeIntervalSinceReferenceDate: 5)
    note.tags = ["tag"]
    note.pile = pile
    pile.name = "pile"
    try context.save()

    func first<Model: PersistentModel, Value>(_ object: Model, _ read: (Model) -> Value) throws -> Value {
      let context = ModelContext(container)
      let fault = try #require(context.model(for: object.persistentModelID) as? Model)
      return withExtendedLifetime(context) { read(fault) }
    }
    #expect(try first(note) { $0.text } == "text")
    #expect(try first(note) { $0.count } == 2)
    #expect(try first(note) { $0.remark } == "remark")
    #expect(try first(note) { $0.day.timeIntervalSinceReferenceDate } == 5)
    #expect(try first(note) { $0.tags } == ["tag"])
    #expect(try first(note) { $0.pile?.name } == "pile")
    #expect(try first(note) { $0.scratch } == 7)
    #expect(try first(pile) { $0.name } == "pile")
    #expect(try first(pile) { $0.notes.count } == 1)
  }
}
