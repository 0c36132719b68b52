import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Full-text search")
struct SearchTests {
  typealias Text = SearchLibrary.Text
  typealias Letter = SearchLibrary.Letter

  let world: SearchWorld

  init() throws {
    world = try SearchWorld()
    world.context.insert(Text("The white whale", "A ship, the sea, and a captain without a leg"))
    world.context.insert(Text("A whale", nil))
    world.context.insert(Text("Café society", "E-mail from Zürich"))
    world.context.insert(Letter("To the sea", "whale, whale and whale again", to: "Starbuck"))
    try world.context.save()
  }

  @Test("Words are found in any property, whatever their case and diacritics, best match first")
  func words() throws {
    #expect(try world.titles("WHALE") == ["To the sea", "A whale", "The white whale"])
    #expect(try world.titles("sea whale") == ["To the sea", "The white whale"])
    #expect(try world.titles("cafe zurich") == ["Café society"])
    #expect(try world.titles("whales") == [])
    #expect(try world.titles("ship society", .anyWord).sorted() == ["Café society", "The white whale"])
    #expect(try world.titles("mail from", .phrase) == ["Café society"])
    #expect(try world.titles("from mail", .phrase) == [])
    #expect(try world.titles("whi wha", .beginnings) == ["The white whale"])
    #expect(try world.titles("sea", in: [\.title]) == ["To the sea"])
    #expect(try world.titles("sea", in: [\.body]) == ["The white whale"])
  }

  @Test(
    "No character of the text is an operator, and a text without words finds nothing",
    arguments: TextSearchForms.all)
  func plainText(form: TextSearch<Text>.Matching) throws {
    for text in ["", " ", "!", "\"", "- *", "\0", "NEAR(", "\"\"\"", "{", "title:", "^", "\u{301}"] {
      #expect(try world.titles(text, form).isEmpty, "\(text)")
    }
    #expect(try world.titles("whale OR NEAR \" NOT", form) == (form == .anyWord ? world.titles("whale") : []))
    #expect(try world.titles("\"society\" *!", form) == ["Café society"])
    let many = Array(repeating: "whale", count: 2_000).joined(separator: " ")
    #expect(try world.titles(many, form).count == (form == .phrase ? 0 : 3))
  }

  @Test("A text is found in either Unicode normal form, saved or not", arguments: TextSearchForms.all)
  func normalForms(form: TextSearch<Text>.Matching) throws {
    let words = ["май", "한글", "ёлка", "Άλφα"]
    for word in words {
      world.context.insert(Text("composed", "a \(word) - B \(word.precomposedStringWithCanonicalMapping) c"))
      world.context.insert(Text("decomposed", "a \(word.decomposedStringWithCanonicalMapping) - B c"))
    }
    for _ in 0..<2 {
      for word in words {
        let composed = word.precomposedStringWithCanonicalMapping
        let decomposed = word.decomposedStringWithCanonicalMapping
        let phrases = ["a \(composed)", "\(decomposed) - \"B\"", "* \(composed)", "≠ ∄ \(composed)"]
        for text in [composed, decomposed] + phrases {
          let found = try world.titles(text, form)
          let isWhole = form != .anyWord || text == composed || text == decomposed || text.first == "*"
          #expect(Set(found).isSuperset(of: ["composed", "decomposed"]), "\(text)")
          if isWhole { #expect(found.count == 2, "\(text): \(found)") }
        }
      }
      try world.context.save()
    }
    // Latin letters have no diacritics in the index; other letters have theirs.
    #expect(try world.titles("елка", form).count == 1)
    let many = Array(repeating: "май", count: 2_000).joined(separator: " ")
    #expect(try world.titles(many, form).count == (form == .phrase ? 0 : 2))
    try world.check()
  }

  @Test("A search is one condition of a descriptor: predicate, order, limit, count and identifiers apply")
  func descriptors() throws {
    var descriptor = FetchDescriptor<Text>(
      predicate: #Predicate { $0.title != "A whale" }, sortBy: [SortDescriptor(\.title)])
    descriptor.search = TextSearch("whale")
    #expect(try world.context.fetch(descriptor).map(\.title) == ["The white whale", "To the sea"])
    #expect(try world.context.fetchCount(descriptor) == 2)
    descriptor.fetchLimit = 1
    descriptor.fetchOffset = 1
    #expect(try world.context.fetch(descriptor).map(\.title) == ["To the sea"])
    #expect(try world.context.fetchCount(descriptor) == 1 && world.context.fetchIdentifiers(descriptor).count == 1)
    var letters = FetchDescriptor<Letter>()
    letters.search = TextSearch("whale")
    #expect(try world.context.fetch(letters).map(\.receiver) == ["Starbuck"])
    var seen: [String] = []
    descriptor = FetchDescriptor()
    descriptor.search = TextSearch("whale")
    try world.context.enumerate(descriptor, batchSize: 1) { seen.append($0.title) }
    #expect(seen == ["To the sea", "A whale", "The white whale"])
    #expect("\(descriptor)".contains("whale") && descriptor != FetchDescriptor<Text>())
  }

  @Test("Saves of any kind update the index: changes, deletions, batches, other contexts, plain SQL")
  func upkeep() throws {
    let context = world.context
    let whale = try #require(
      try context.fetch(FetchDescriptor<Text>(predicate: #Predicate { $0.title == "A whale" })).first)
    whale.title = "A shark"
    whale.rating = 3
    try context.save()
    #expect(try world.titles("whale").count == 2 && world.titles("shark") == ["A shark"])
    context.delete(whale)
    try context.save()
    #expect(try world.titles("shark").isEmpty)
    try context.update(model: Text.self, where: #Predicate { $0.title == "To the sea" }) { $0.set(\.body, to: "squid") }
    try context.save()
    #expect(try world.titles("squid") == ["To the sea"] && world.titles("whale") == ["The white whale"])
    try ModelContext(world.container).delete(model: Letter.self)
    let other = ModelContext(world.container)
    try other.delete(model: Letter.self)
    try other.save()
    #expect(try world.titles("squid").isEmpty)
    try world.setBody("harpoon", ofTitle: "The white whale")
    #expect(try world.titles("harpoon", context: ModelContext(world.container)) == ["The white whale"])
    try world.check()
  }

  @Test("Unsaved objects are found by the same rules, and come last")
  func pending() throws {
    let context = world.context
    context.insert(Text("Another WHÁLE"))
    let old = try #require(
      try context.fetch(FetchDescriptor<Text>(predicate: #Predicate { $0.title == "A whale" })).first)
    old.title = "A dolphin"
    #expect(try world.titles("whale") == ["To the sea", "The white whale", "Another WHÁLE"])
    #expect(try world.titles("dolphin") == ["A dolphin"] && world.titles("dolph", .beginnings) == ["A dolphin"])
    var descriptor = FetchDescriptor<Text>(sortBy: [SortDescriptor(\.title)])
    descriptor.search = TextSearch("whale")
    #expect(try context.fetch(descriptor).map(\.title) == ["Another WHÁLE", "The white whale", "To the sea"])
    #expect(try context.fetchCount(descriptor) == 3)
    descriptor.sortBy = []
    descriptor.fetchLimit = 1
    #expect(try context.fetch(descriptor).map(\.title) == ["To the sea"])
    descriptor.fetchOffset = 2
    #expect(try context.fetch(descriptor).map(\.title) == ["Another WHÁLE"])
    descriptor.fetchOffset = nil
    descriptor.fetchLimit = nil
    #expect(try context.fetchIdentifiers(descriptor).count == 3)
    var seen: [String] = []
    try context.enumerate(descriptor, batchSize: 1, allowEscapingMutations: true) { seen.append($0.title) }
    #expect(seen == ["To the sea", "The white whale", "Another WHÁLE"])
    descriptor.includePendingChanges = false
    #expect(try context.fetch(descriptor).count == 3 && context.fetchCount(descriptor) == 3)
    context.rollback()
    #expect(try world.titles("whale") == ["To the sea", "A whale", "The white whale"])
  }

  @Test("Live results of a search follow changes")
  func live() throws {
    var descriptor = FetchDescriptor<Text>()
    descriptor.search = TextSearch("whale")
    let results = try LiveResults(LiveQuery<Text, Never>(descriptor, nil), world.context)
    #expect(results.list.count == 3)
    let text = Text("whale")
    world.context.insert(text)
    try results.update()
    #expect(results.list.count == 4)
    text.title = "herring"
    try results.update()
    #expect(results.list.count == 3)
  }

  @Test("Making an index again does nothing, other properties replace it, and a removed index finds nothing")
  func lifetime() throws {
    let fresh = try SearchWorld(hasIndex: false)
    fresh.context.insert(Text("whale"))
    try fresh.context.save()
    #expect(throws: SwiftDataError.unsupportedPredicate) { try fresh.titles("whale") }
    try fresh.container.makeSearchIndex(for: Text.self, on: [\.title])
    try fresh.container.makeSearchIndex(for: Text.self, on: [\.title])
    #expect(try fresh.titles("whale") == ["whale"])
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try fresh.titles("whale", in: [\.body]) }
    try fresh.container.makeSearchIndex(for: Text.self, on: [\.title, \.body])
    #expect(try fresh.titles("whale", in: [\.body]) == [] && fresh.titles("whale", in: [\.title]) == ["whale"])
    #expect(try fresh.container.removeSearchIndex(for: Text.self))
    #expect(try !fresh.container.removeSearchIndex(for: Text.self))
    #expect(throws: SwiftDataError.unsupportedPredicate) { try fresh.titles("whale") }
    fresh.context.insert(Text("more"))
    try fresh.context.save()
  }

  @Test("A subclass may have an index of its own")
  func subclass() throws {
    let fresh = try SearchWorld(hasIndex: false)
    try fresh.container.makeSearchIndex(for: Letter.self, on: [\.receiver, \.title])
    fresh.context.insert(Letter("whale", to: "Ahab"))
    fresh.context.insert(Text("whale"))
    try fresh.context.save()
    var descriptor = FetchDescriptor<Letter>()
    descriptor.search = TextSearch("whale")
    #expect(try fresh.context.fetch(descriptor).map(\.receiver) == ["Ahab"])
    #expect(try fresh.context.fetchCount(descriptor) == 1)
    #expect(throws: SwiftDataError.unsupportedPredicate) { try fresh.titles("whale") }
    try fresh.check()
  }

  @Test("Properties that no index may have are errors that name them")
  func refused() throws {
    func refuses(_ properties: [PartialKeyPath<Text>], _ words: String) {
      let error = #expect(throws: SwiftDataError.unsupportedKeyPath) {
        try world.container.makeSearchIndex(for: Text.self, on: properties)
      }
      #expect(error?.description.contains(words) == true, "\(String(describing: error))")
    }
    refuses([\.rating], "rating")
    refuses([\.owner], "owner")
    refuses([\.owner?.name], "search index")
    refuses([\.kind], "kind")
    refuses([], "property")
    #expect(throws: SwiftDataError.unknownSchema) {
      try world.container.makeSearchIndex(for: SearchLibrary.Stranger.self, on: [\.title])
    }
  }

  @Test("Values of found objects come in the same order")
  func values() throws {
    var descriptor = FetchDescriptor<Text>()
    descriptor.search = TextSearch("whale")
    #expect(try world.context.fetchValues(descriptor, \.title) == ["To the sea", "A whale", "The white whale"])
    descriptor.propertiesToFetch = [\.rating]
    #expect(try world.context.fetch(descriptor).map(\.title) == ["To the sea", "A whale", "The white whale"])
  }

  @Test("A container that was open before the index was made saves and searches")
  func otherContainers() throws {
    let fresh = try SearchWorld(hasIndex: false)
    fresh.context.insert(Text("whale"))
    try fresh.context.save()
    let other = try SearchLibrary.container(fresh.store)
    try other.makeSearchIndex(for: Text.self, on: [\.title])
    fresh.context.insert(Text("another whale"))
    try fresh.context.save()
    #expect(try fresh.titles("whale").count == 2)
    try other.removeSearchIndex(for: Text.self)
    fresh.context.insert(Text("a third whale"))
    try fresh.context.save()
    #expect(throws: SwiftDataError.unsupportedPredicate) { try fresh.titles("whale") }
    try other.makeSearchIndex(for: Text.self, on: [\.title])
    #expect(try fresh.titles("whale").count == 3)
  }
}

enum TextSearchForms {
  static let all: [TextSearch<SearchLibrary.Text>.Matching] = [.allWords, .anyWord, .phrase, .beginnings]
}
