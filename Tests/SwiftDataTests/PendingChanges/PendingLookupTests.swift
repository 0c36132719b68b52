import Foundation
import Observation
import StoreRequests
import Testing

@testable import SwiftData

@Suite("Unsaved objects by their values")
struct PendingLookupTests {
  /// The unsaved tags for which a fetch evaluates its predicate.
  private func evaluated(_ predicate: Predicate<Tag>, _ context: ModelContext) throws -> [Tag] {
    let core = context.core
    let binding = try #require(core.container.binding(of: Tag.self))
    let plan = try FetchPlan(
      FetchDescriptor(predicate: predicate), resolver: StoreResolver(store: core.store(binding.tag)))
    return core.pendingObjects(plan, binding, seesEveryChange: false)?.candidates ?? []
  }

  @Test("Find-or-create over unsaved objects evaluates only the objects with the wanted value")
  func findOrCreate() throws {
    let world = try World()
    let context = world.context
    var evaluationCount = 0
    for number in 0..<1_000 {
      let word = "\(number % 500)"
      let predicate = #Predicate<Tag> { $0.word == word }
      evaluationCount += try evaluated(predicate, context).count
      if try context.first(Tag.self, where: predicate) == nil { context.insert(Tag(word)) }
    }
    #expect(context.insertedModelsArray.count == 500)
    // One object for each word that exists; the first few objects have no index. A pass over all of them would be 374,750.
    #expect((500...700).contains(evaluationCount), "\(evaluationCount)")
  }

  @Test("An unsaved object whose value changes is evaluated for its new value, and no longer for the old one")
  func changedValue() throws {
    let world = try World()
    let context = world.context
    let tags = (0..<100).map { Tag("\($0)") }
    for tag in tags { context.insert(tag) }
    #expect(try evaluated(#Predicate { $0.word == "7" }, context) == [tags[7]])
    tags[7].word = "new"
    #expect(try evaluated(#Predicate { $0.word == "new" }, context) == [tags[7]])
    #expect(try evaluated(#Predicate { $0.word == "7" }, context).isEmpty)
    tags[7].word = "7"
    #expect(try evaluated(#Predicate { $0.word == "7" }, context) == [tags[7]])
    try context.save()
    tags[7].word = "changed"
    // Few objects are pending now, so no index is made.
    #expect(try evaluated(#Predicate { $0.word == "changed" }, context) == [tags[7]])
    try world.check()
  }

  @Test func `Objects whose value may change without notice come once for a list of values`() throws {
    let world = try World()
    let core = world.context.core
    for number in 0..<40 {
      let tag = Tag("\(number)")
      world.context.insert(tag)
      // Observers may fetch between the notice and the change.
      guard number > 7 else { continue }
      withObservationTracking {
        _ = tag.word
      } onChange: {
      }
    }
    let binding = try #require(core.container.binding(of: Tag.self))
    let property = try #require(binding.index(of: "word"))
    core.unit.lookup.update(
      inserted: core.unit.inserted, changed: core.unit.changed, deleted: core.unit.deleted)
    let values = ["6", "7", "30", "31", "none", "7"].map { StoreValue.text($0) }
    let found = core.unit.lookup.live(binding.tag, with: values, at: property).compactMap { ($0 as? Tag)?.word }
    #expect(found.count == 34 && Set(found) == Set((6..<40).map(String.init)))
  }

  @Test("Alternatives and lists of values evaluate only the objects with one of the values")
  func alternatives() throws {
    let world = try World()
    let context = world.context
    let books = (0..<200).map { Book("\($0)", pages: $0) }
    for book in books { context.insert(book) }
    func evaluated(_ predicate: Predicate<Book>) throws -> [String] {
      let core = context.core
      let binding = try #require(core.container.binding(of: Book.self))
      let plan = try FetchPlan(
        FetchDescriptor(predicate: predicate), resolver: StoreResolver(store: core.store(binding.tag)))
      let pending = (context.insertedModelsArray + context.changedModelsArray).compactMap { $0 as? Book }
      let candidates = core.pendingObjects(plan, binding, seesEveryChange: false)?.candidates.map(\.title) ?? []
      #expect(try Set(pending.filter(predicate.evaluate).map(\.title)).isSubset(of: candidates))
      return candidates
    }
    let titles = ["7", "150", "none"]
    #expect(try evaluated(#Predicate { titles.contains($0.title) }) == ["7", "150"])
    #expect(try evaluated(#Predicate { $0.title == "7" || $0.pages == 9 || $0.pages == 7 }) == ["7", "9"])
    #expect(try evaluated(#Predicate { ($0.title == "7" || $0.title == "8") && $0.pages > 7 }) == ["7", "8"])
    // One alternative may hold for any object.
    #expect(try evaluated(#Predicate { $0.title == "7" || $0.pages > 190 }).count == 200)
    books[7].title = "none"
    #expect(try evaluated(#Predicate { titles.contains($0.title) }) == ["none", "150"])
    try context.save()
    books[3].title = "150"
    for book in books[20..<60] { book.pages += 1 }
    #expect(try evaluated(#Predicate { titles.contains($0.title) }) == ["150"])
    #expect(try context.fetchCount(FetchDescriptor<Book>(predicate: #Predicate { titles.contains($0.title) })) == 3)
    try world.check()
  }
}
