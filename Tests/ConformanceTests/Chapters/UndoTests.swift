import Foundation
import SwiftData
import Testing

/// A context with an undo manager takes changes back, and makes them again.
@Suite("Undo")
@MainActor
struct UndoTests {
  @Model final class Sketch {
    var title: String
    var strokes: Int = 0
    @Relationship(deleteRule: .cascade, inverse: \Comment.sketch) var comments: [Comment] = []
    init(title: String) { self.title = title }
  }

  @Model final class Comment {
    var text: String
    var sketch: Sketch?
    init(text: String) { self.text = text }
  }

  private func filled(_ place: ChapterPlace) throws -> (ChapterStore, Sketch, UndoManager) {
    let store = try ChapterStore(place, Sketch.self)
    let context = store.container.mainContext
    let sketch = Sketch(title: "House")
    sketch.comments = [Comment(text: "nice")]
    context.insert(sketch)
    try context.save()
    let manager = UndoManager()
    context.undoManager = manager
    return (store, sketch, manager)
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a changed value comes back`(_ place: ChapterPlace) throws {
    let (store, sketch, manager) = try filled(place)
    #expect(!manager.canUndo)
    sketch.title = "Castle"
    sketch.strokes = 4
    manager.undo()
    #expect(sketch.title == "House")
    #expect(sketch.strokes == 0)
    manager.redo()
    #expect(sketch.title == "Castle")
    withExtendedLifetime(store) {}
  }

  @Test(arguments: ChapterPlace.allCases)
  func `an insertion and a deletion are undone`(_ place: ChapterPlace) throws {
    let (store, sketch, manager) = try filled(place)
    let context = store.container.mainContext
    context.insert(Sketch(title: "Tree"))
    context.processPendingChanges()
    context.delete(sketch)
    context.processPendingChanges()
    #expect(try context.fetchCount(FetchDescriptor<Sketch>()) == 1)
    manager.undo()
    #expect(sketch.comments.map(\.text) == ["nice"])
    #expect(try context.fetchCount(FetchDescriptor<Sketch>()) == 2)
    manager.undo()
    #expect(try context.fetch(FetchDescriptor<Sketch>()).map(\.title) == ["House"])
  }
}
