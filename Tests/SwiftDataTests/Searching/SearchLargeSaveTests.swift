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
}
