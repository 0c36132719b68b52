import Foundation
import SwiftData
import Testing

/// A class with the macro is a persistent model; nothing else is to be declared.
@Suite("Defining models", ChapterPlace.condition)
struct DefiningModelsTests {
  @Model
  final class Errand {
    var title: String
    var isDone: Bool
    var createdAt: Date
    var note: String?
    var effort: Int = 3
    @Relationship(deleteRule: .cascade) var steps: [Step]

    // The relationship is not initialised, as in an article's first sample.
    init(title: String, isDone: Bool = false) {
      self.title = title
      self.isDone = isDone
      self.createdAt = Date()
    }
  }

  @Model
  final class Step {
    var title: String
    var errand: Errand?

    init(title: String) {
      self.title = title
    }
  }

  @Test func `an object has the values of its initialiser and its defaults`() {
    let errand = Errand(title: "Post the letter")
    #expect(errand.title == "Post the letter")
    #expect(!errand.isDone)
    #expect(errand.note == nil)
    #expect(errand.effort == 3)
    #expect(errand.steps.isEmpty)
    #expect(errand.modelContext == nil)
  }

  @Test func `a model is observable, hashable and identifiable`() {
    func requirements(_ model: some PersistentModel & Observable & Hashable & Identifiable) -> PersistentIdentifier {
      model.persistentModelID
    }
    let errand = Errand(title: "Read")
    #expect(requirements(errand) == errand.id)
    #expect(Set([errand, errand]).count == 1)
    #expect(errand != Errand(title: "Read"))
  }

  @Test func `observers hear of a changed property`() {
    let errand = Errand(title: "Read")
    let changed = Changed()
    withObservationTracking {
      _ = errand.title
    } onChange: {
      changed.count += 1
    }
    errand.isDone = true
    #expect(changed.count == 0)
    errand.title = "Write"
    #expect(changed.count == 1)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `stored properties are saved and read`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Errand.self, Step.self)
    let errand = Errand(title: "Bake", isDone: true)
    errand.createdAt = .january(3)
    errand.note = "with nuts"
    errand.steps = [Step(title: "Knead"), Step(title: "Wait")]
    store.context.insert(errand)
    try store.context.save()

    let read = try #require(try store.freshContext().fetch(FetchDescriptor<Errand>()).first)
    #expect(read.title == "Bake")
    #expect(read.isDone)
    #expect(read.createdAt == .january(3))
    #expect(read.note == "with nuts")
    #expect(Set(read.steps.map(\.title)) == ["Knead", "Wait"])
    #expect(read.steps.allSatisfy { $0.errand === read })
  }

  @Test func `a container finds the classes that relationships lead to`() throws {
    let container = try ModelContainer(for: Errand.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(container.schema.entitiesByName.keys.sorted() == ["Errand", "Step"])
  }

  private final class Changed: @unchecked Sendable {
    var count = 0
  }
}
