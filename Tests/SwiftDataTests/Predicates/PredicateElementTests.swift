import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Model final class Crate {
  var name: String
  var sizes: [Int]
  var marks: [String: Int]

  init(_ name: String, sizes: [Int] = [], marks: [String: Int] = [:]) {
    self.name = name
    self.sizes = sizes
    self.marks = marks
  }
}

/// Elements of arrays and dictionaries in predicates: `min()`, ranges and keys.
@Suite struct PredicateElementTests {
  private let store: TemporaryStore
  private let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    context = ModelContext(try ModelContainer(for: Crate.self, configurations: ModelConfiguration(url: store.url)))
    context.insert(Crate("a", sizes: [5, 3, 9], marks: ["x": 1]))
    context.insert(Crate("b", sizes: [4], marks: ["y": 2]))
    context.insert(Crate("c"))
    try context.save()
  }

  /// The names of the crates that a fetch in a new context selects.
  private func names(_ predicate: Predicate<Crate>) throws -> [String] {
    let descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.name)])
    return try ModelContext(context.container).fetch(descriptor).map(\.name)
  }

  /// The part of a predicate that the store refuses; `nil` if SQL evaluates all of it.
  private func refusal(_ predicate: Predicate<Crate>) throws -> String? {
    let resolver = StoreResolver(store: context.container.core.stores[0])
    do {
      _ = try FetchPlan(FetchDescriptor(predicate: predicate), resolver: resolver, allowsInMemory: false)
      return nil
    } catch let error as SwiftDataError where error == .unsupportedPredicate {
      return error.explanation
    }
  }

  @Test func `Elements of a stored collection are read in memory, and the refusal names the expression`() throws {
    let key = "x"
    let table: [(Predicate<Crate>, [String], String)] = [
      // An empty array has no minimum.
      (#Predicate { $0.sizes.min() == 3 }, ["a"], "$0.sizes.min()"),
      (#Predicate { $0.sizes.min() == nil }, ["c"], "$0.sizes.min()"),
      // A range that leaves the array selects nothing, and does not end the program.
      (#Predicate { $0.sizes[0..<2].contains(3) }, ["a"], "$0.sizes[((a captured Int) ..< (a captured Int))]"),
      (#Predicate { $0.marks[key] == 1 }, ["a"], "$0.marks[(a captured String)]"),
      (#Predicate { $0.marks[key] == nil }, ["b", "c"], "$0.marks[(a captured String)]"),
      (#Predicate { $0.marks[key, default: 2] == 2 }, ["b", "c"], "$0.marks[(a captured String), default: …]"),
    ]
    for (predicate, expected, part) in table {
      let found = try (names: names(predicate), refusal: refusal(predicate))
      #expect(found.names == expected, "\(part)")
      #expect(found.refusal?.contains("\(part) — the store cannot look into") == true, "\(found.refusal ?? "SQL")")
    }
  }

  @Test func `Elements of a captured collection are read in memory if the store has the key`() throws {
    let (ranks, letters) = (["a": 1, "b": 5], ["a", "b", "c"])
    let table: [(Predicate<Crate>, [String], String)] = [
      (#Predicate { ranks[$0.name] == 5 }, ["b"], "(a captured Dictionary<String, Int>)[$0.name]"),
      (#Predicate { ranks[$0.name, default: 7] == 7 }, ["c"], "[$0.name, default: …]"),
      (#Predicate { letters[1..<3].contains($0.name) }, ["b", "c"], "(a captured Array<String>)["),
    ]
    for (predicate, expected, part) in table {
      let found = try (names: names(predicate), refusal: refusal(predicate))
      #expect(found.names == expected && found.refusal?.contains(part) == true, "\(found)")
    }
  }

  @Test func `Elements of captured collections at captured keys are constants of the SQL`() throws {
    let (ranks, sizes, key) = (["a": 1, "b": 5], [3, 1, 2], "b")
    let table: [(Predicate<Crate>, [String])] = [
      (#Predicate { sizes.min() == 1 && $0.name != "a" }, ["b", "c"]),
      (#Predicate { ranks[key] == 5 && $0.name != "a" }, ["b", "c"]),
      (#Predicate { ranks["z", default: 7] == 7 && $0.name == "b" }, ["b"]),
      (#Predicate { ranks["z", default: 7] == 1 && $0.name == "b" }, []),
    ]
    for (predicate, expected) in table {
      let found = try (names: names(predicate), refusal: refusal(predicate))
      #expect(found.names == expected && found.refusal == nil, "\(found)")
    }
  }
}
