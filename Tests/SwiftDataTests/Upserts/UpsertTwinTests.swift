import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// After random upserts the objects of a context have the values that the store has, and their next changes are no conflict.
@Suite(.everyEngine) struct UpsertTwinTests {
  @Model final class Mark {
    @Attribute(.unique) var code: Int
    var note: String
    var place: Place?
    var seal: Seal?

    init(_ code: Int, _ note: String) {
      self.code = code
      self.note = note
    }
  }

  @Model final class Place {
    var name: String
    @Relationship(inverse: \Mark.place) var marks: [Mark] = []
    init(_ name: String) { self.name = name }
  }

  @Model final class Seal {
    var label: String
    @Relationship(inverse: \Mark.seal) var mark: Mark?
    init(_ label: String) { self.label = label }
  }

  private struct Values: Equatable {
    let note: String
    let place: String?
    let seal: String?

    init(_ mark: Mark) {
      note = mark.note
      place = mark.place?.name
      seal = mark.seal?.label
    }
  }

  private func expectStored(
    _ marks: [Mark], _ container: ModelContainer, _ comment: Comment, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let stored = try ModelContext(container).fetch(FetchDescriptor<Mark>())
    let values = Dictionary(uniqueKeysWithValues: stored.map { ($0.code, Values($0)) })
    for mark in marks {
      #expect(Values(mark) == values[mark.code], comment, sourceLocation: sourceLocation)
    }
  }

  @Test(arguments: TestEngine.seeds(FullTests.areWanted ? 24 : 12))
  func `Objects have the values of their rows, and can be changed and saved again`(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Mark.self, Place.self, Seal.self]), store)
    let first = ModelContext(container)
    for name in ["a", "b", "c"] {
      first.insert(Place(name))
      first.insert(Seal(name))
    }
    try first.save()
    for round in 0..<8 {
      let comment: Comment = "seed \(seed), round \(round)"
      let context = ModelContext(container)
      context.conflictPolicy = .fail
      let places = try context.fetch(FetchDescriptor<Place>(sortBy: [SortDescriptor(\.name)]))
      let seals = try context.fetch(FetchDescriptor<Seal>(sortBy: [SortDescriptor(\.label)]))
      let limit = Int.random(in: 0...8, using: &random)
      var marks = try context.fetch(
        FetchDescriptor<Mark>(predicate: #Predicate { $0.code < limit }, sortBy: [SortDescriptor(\.code)]))
      for mark in marks where Bool.random(using: &random) { mark.note = "changed \(round)" }
      for number in 0..<Int.random(in: 1...6, using: &random) {
        let mark = Mark(Int.random(in: 0..<8, using: &random), "\(round).\(number)")
        context.insert(mark)
        mark.place = Bool.random(using: &random) ? places.randomElement(using: &random) : nil
        if Int.random(in: 0..<3, using: &random) == 0 { mark.seal = seals.randomElement(using: &random) }
        marks.append(mark)
      }
      try context.save()
      try expectStored(marks, container, comment)
      for mark in marks { mark.note += "+" }
      try context.save()
      try expectStored(marks, container, comment)
      for place in places { #expect(place.marks.allSatisfy { $0.place === place }, comment) }
    }
    if TestEngine.current == .file { try Oracle.expectSound(store.url) }
  }
}
