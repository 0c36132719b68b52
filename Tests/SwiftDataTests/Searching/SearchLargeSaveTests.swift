import Foundation
import SwiftData
import Testing

@Suite("Saves of many objects with a search index, and the weights of properties")
struct SearchLargeSaveTests {
  typealias Text = SearchLibrary.Text
  typealias Letter = SearchLibrary.Letter

  @Test("All rows of a large save are found, whatever else the save does", arguments: [1, 31, 32, 500])
  func large(count: Int) throws {
    let world = try SearchWorld()
    try world.container.makeSearchIndex(for: Letter.self, on: [\.receiver])
    let old = (0..<40).map { Text("old \($0)", "whale") }
    old.forEach(world.context.insert)
    try world.context.save()
    for (index, text) in old.enumerated() {
      if index < 10 { world.context.delete(text) } else if index < 20 { text.body = "shark" }
    }
    for index in 0..<count {
      world.context.insert(
        index.isMultiple(of: 2) ? Text("new \(index)", "walrus") : Letter("new \(index)", "walrus", to: "Ahab"))
    }
    world.context.insert(SearchLibrary.Owner("nobody"))
    try world.context.save()
    #expect(try world.titles("whale").count == 20)
    #expect(try world.titles("shark").count == 10)
    #expect(try world.titles("walrus").count == count)
    try world.checkIndexes()
    // The triggers run again.
    world.context.insert(Text("single", "narwhal"))
    try world.context.save()
    #expect(try world.titles("narwhal") == ["single"])
    try world.checkIndexes()
  }

  @Test("A weight puts matches in a property before other matches")
  func weights() throws {
    let world = try SearchWorld()
    world.context.insert(Text("whale", "a long text about ships and the sea"))
    world.context.insert(Text("a long title about ships and the sea", "whale"))
    try world.context.save()
    func first(_ weights: [PartialKeyPath<Text>: Double]) throws -> String? {
      var descriptor = FetchDescriptor<Text>()
      descriptor.search = TextSearch("whale")
      descriptor.search?.weights = weights
      return try world.context.fetch(descriptor).first?.title
    }
    #expect(try first([\.title: 10, \.body: 1]) == "whale")
    #expect(try first([\.title: 0.1]) == "a long title about ships and the sea")
    for wrong in [-1, Double.nan, .infinity] {
      #expect(throws: SwiftDataError.unsupportedKeyPath) { try first([\.title: wrong]) }
    }
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try first([\.rating: 1]) }
  }

  @Test("A limit and an offset give the same matches as the whole search, with ties, weights, classes and predicates")
  func limits() throws {
    let world = try SearchWorld()
    for index in 0..<60 {
      let title = ["sea", "the sea", "sea, sea", "a ship"][index % 4]
      let body = index % 3 == 0 ? "a sea of words \(index % 5)" : nil
      let text = index % 7 == 0 ? Letter(title, body, to: "Ahab") : Text(title, body)
      text.rating = index
      world.context.insert(text)
    }
    try world.context.save()

    func check<T: Text>(_: T.Type, _ weights: [PartialKeyPath<T>: Double], _ predicate: Predicate<T>?) throws {
      var descriptor = FetchDescriptor<T>(predicate: predicate)
      descriptor.search = TextSearch("sea")
      descriptor.search?.weights = weights
      let context = ModelContext(world.container)
      let all = try context.fetch(descriptor).map(\.rating)
      try #require(all.count > 6)
      for (offset, limit) in [(0, 1), (0, 5), (2, 4), (all.count - 2, 9), (all.count, 3), (0, 0), (0, 1_000)] {
        descriptor.fetchOffset = offset
        descriptor.fetchLimit = limit
        let expected = Array(all.dropFirst(offset).prefix(limit))
        #expect(try context.fetch(descriptor).map(\.rating) == expected, "\(T.self) \(offset) \(limit)")
        #expect(try context.fetchIdentifiers(descriptor).count == expected.count)
        #expect(try context.fetchCount(descriptor) == expected.count)
      }
    }
    try check(Text.self, [:], nil)
    try check(Text.self, [\.title: 9, \.body: 0.5], nil)
    try check(Text.self, [:], #Predicate { $0.rating > 20 })
    try check(Letter.self, [:], nil)
  }
}
