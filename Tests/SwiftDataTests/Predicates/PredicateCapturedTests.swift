import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// A model class that a predicate may capture: the compiler accepts only `Codable` values.
@Model final class Porter: Codable {
  var name: String
  var load: Int
  var chief: Porter?

  init(_ name: String, load: Int) {
    self.name = name
    self.load = load
  }

  init(from decoder: any Decoder) throws {
    name = try decoder.singleValueContainer().decode(String.self)
    load = 0
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}

/// Properties of captured values and objects in predicates.
@Suite struct PredicateCapturedTests {
  private struct Limits: Codable {
    struct Range: Codable { var least, most: Int }
    var loads: Range
    var names: [String]
    var bonus: [String: Int]?
  }

  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try ModelContainer(for: Porter.self, configurations: ModelConfiguration(url: store.url)))
    let porters = [Porter("a", load: 10), Porter("b", load: 20), Porter("c", load: 30)]
    for porter in porters { context.insert(porter) }
    porters[2].chief = porters[0]
    try context.save()
  }

  /// The names that a new context finds. SQL has to evaluate the whole predicate.
  private func names(_ predicate: Predicate<Porter>) throws -> [String] {
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
    let resolver = StoreResolver(store: context.container.core.stores[0])
    _ = try FetchPlan(descriptor, resolver: resolver, allowsInMemory: false)
    return try ModelContext(context.container).fetch(descriptor).map(\.name)
  }

  private func porter(_ name: String) throws -> Porter {
    try #require(try context.fetch(FetchDescriptor<Porter>()).first { $0.name == name })
  }

  @Test func `Properties of a captured value are constants of the SQL`() throws {
    let limits = Limits(loads: Limits.Range(least: 15, most: 25), names: ["c", "b"], bonus: nil)
    #expect(try names(#Predicate { $0.load >= limits.loads.least && $0.load <= limits.loads.most }) == ["b"])
    #expect(try names(#Predicate { limits.names.contains($0.name) }) == ["b", "c"])
    #expect(try names(#Predicate { $0.load > limits.names.count * 10 }) == ["c"])
    #expect(try names(#Predicate { limits.bonus == nil && $0.name != "a" }) == ["b", "c"])
  }

  @Test func `Properties of a captured object are constants of the SQL`() throws {
    let b = try porter("b")
    #expect(try names(#Predicate { $0.name == b.name }) == ["b"])
    #expect(try names(#Predicate { $0.load >= b.load && $0.name != b.name }) == ["c"])
    #expect(try names(#Predicate { $0.persistentModelID == b.persistentModelID }) == ["b"])
    // A path through the object's relationship, with a chief and without one.
    let c = try porter("c")
    #expect(try names(#Predicate { $0.load == c.chief?.load ?? 20 }) == ["a"])
    #expect(try names(#Predicate { $0.load == b.chief?.load ?? 20 }) == ["b"])
  }

  @Test func `Each fetch reads the captured object anew, with its unsaved changes`() throws {
    let b = try porter("b")
    let heavier = #Predicate<Porter> { $0.load > b.load }
    #expect(try names(heavier) == ["c"])
    b.load = 5
    #expect(try names(heavier) == ["a", "b", "c"])
    context.rollback()
    #expect(try names(heavier) == ["c"])
  }

  @Test func `Elements of a large collection that a test compares with one value are a list for the store`() throws {
    struct Wanted: Codable { var name: String, load: Int }
    let many = (0..<5_000).map { Wanted(name: ["a", "x\($0)"][min($0, 1)], load: $0) }
    let names = many.map(\.name)
    let optionals: [String?] = names
    let identifiers: [PersistentIdentifier?] = try context.fetchIdentifiers(FetchDescriptor<Porter>())
    #expect(try self.names(#Predicate { porter in names.contains { $0 == porter.name } }) == ["a"])
    #expect(
      try self.names(#Predicate { porter in many.contains { $0.name == porter.name || $0.load == porter.load } })
        == ["a", "b", "c"])
    #expect(try self.names(#Predicate { porter in many.allSatisfy { $0.name != porter.name } }) == ["b", "c"])
    #expect(try self.names(#Predicate { porter in !optionals.contains { porter.chief?.name == $0 } }) == ["a", "b"])
    #expect(try self.names(#Predicate { porter in optionals.allSatisfy { porter.chief?.name != $0 } }) == ["a", "b"])
    #expect(
      try self.names(#Predicate { porter in identifiers.contains { porter.chief?.persistentModelID == $0 } }) == ["c"])
    let some: [String?] = ["a", nil, "q"]
    #expect(try self.names(#Predicate { porter in some.contains { porter.chief?.name == $0 } }) == ["a", "b", "c"])
    #expect(try self.names(#Predicate { porter in some.allSatisfy { porter.chief?.name != $0 } }) == [])
  }
}
