import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Captured collections, predicates of predicates, and what a fetch says of its parts.
@Suite struct FetchedCollectionTests {
  @Model final class Parent {
    var number: Int
    var text = ""
    @Relationship(inverse: \Child.parent) var children: [Child] = []
    init(_ number: Int) { self.number = number }
  }

  @Model final class Child {
    var parent: Parent?
    init() {}
  }

  let context: ModelContext

  init() throws {
    context = ModelContext(
      try ModelContainer(
        for: Parent.self, Child.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    for number in 0..<6 { context.insert(Parent(number)) }
    try context.save()
  }

  private func numbers(_ predicate: Predicate<Parent>) throws -> [Int] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number)])).map(\.number)
  }

  @Test func `An element that a captured collection lacks selects nothing, where evaluation reaches it`() throws {
    let none: [Int] = []
    let some = [2]
    let lists = [[1], [], [4]]
    #expect(try numbers(#Predicate { none.isEmpty || none[0] == $0.number }) == Array(0..<6))
    #expect(try numbers(#Predicate { some.isEmpty || some[0] == $0.number }) == [2])
    #expect(try numbers(#Predicate { some.count > 5 && some[5] == $0.number }).isEmpty)
    #expect(try numbers(#Predicate { some[5] == $0.number || $0.number == 1 }).isEmpty)
    #expect(try numbers(#Predicate { $0.number == 1 || some[5] == $0.number }) == [1])
    #expect(try numbers(#Predicate { parent in lists.contains { $0[0] == parent.number } }) == [1, 4])
  }

  @Test func `Predicates of predicates may be many, and made in a loop`() throws {
    let many = stride(from: 0, to: 2000, by: 2).map { number in #Predicate<Parent> { $0.number == number } }
    #expect(try numbers(Predicate(any: many)) == [0, 2, 4])
    var any = #Predicate<Parent> { $0.number == 1 }
    var all = #Predicate<Parent> { $0.number != 1 }
    for number in 4..<404 {
      any = Predicate(any: [any, #Predicate<Parent> { $0.number == number }])
      all = Predicate(all: [all, #Predicate<Parent> { $0.number != number }])
    }
    #expect(try numbers(any) == [1, 4, 5] && numbers(all) == [0, 2, 3])
    #expect(try numbers(Predicate(not: any)) == [0, 2, 3] && numbers(Predicate(not: all)) == [1, 4, 5])
    context.insert(Parent(7))
    #expect(try numbers(any) == [1, 4, 5, 7] && numbers(Predicate(not: any)) == [0, 2, 3])
  }

  @Test func `Predicates that compute may be many, too`() throws {
    let many = (0..<1200).map { number in #Predicate<Parent> { $0.number + 1 == number } }
    #expect(try numbers(Predicate(any: many)) == Array(0..<6))
    #expect(try numbers(Predicate(all: many.map { Predicate(not: $0) })).isEmpty)
    context.insert(Parent(.max))
    try context.save()
    // The sum overflows in the first predicate that memory evaluates.
    #expect(try numbers(Predicate(any: many)) == Array(0..<6))
    #expect(try numbers(Predicate(not: Predicate(any: many))).isEmpty)
  }

  @Test(arguments: 0..<40 as Range<UInt64>)
  func `A predicate that cannot be computed counts only where the earlier ones leave the result open`(seed: UInt64)
    throws
  {
    var random = SplitMix(seed: seed)
    let rows = Array(0..<6) + [.max - 2, .max - 1, .max]
    for number in rows.suffix(3) { context.insert(Parent(number)) }
    try context.save()
    let terms = (0..<random.below(9) + 1).map { _ in
      Term(addend: random.below(4), bound: random.below(7), isEqual: .random(using: &random))
    }
    let any = Predicate(any: terms.map(\.predicate)), all = Predicate(all: terms.map(\.predicate))
    func result(_ isAny: Bool, _ row: Int) -> Bool? {
      for term in terms {
        guard let truth = term.truth(for: row) else { return nil }
        if truth == isAny { return isAny }
      }
      return !isAny
    }
    #expect(try numbers(any) == rows.filter { result(true, $0) == true })
    #expect(try numbers(all) == rows.filter { result(false, $0) == true })
    #expect(try numbers(Predicate(not: any)) == rows.filter { result(true, $0) == false })
    let both = rows.filter { row in result(false, row).map { $0 || result(true, row) == true } ?? false }
    #expect(try numbers(Predicate(any: [all, any])) == both)
  }

  /// A condition on a sum, which may overflow.
  private struct Term {
    let addend: Int
    let bound: Int
    let isEqual: Bool

    var predicate: Predicate<Parent> {
      isEqual ? #Predicate { $0.number + addend == bound } : #Predicate { $0.number + addend > bound }
    }

    /// `nil` if the sum overflows.
    func truth(for number: Int) -> Bool? {
      let (sum, overflows) = number.addingReportingOverflow(addend)
      return overflows ? nil : isEqual ? sum == bound : sum > bound
    }
  }

  @Test func `Equal texts of other bytes are told apart where their bytes matter`() throws {
    let texts = ["A\u{130}", "Az"]
    for (parent, text) in zip(try context.fetch(FetchDescriptor<Parent>()), texts) { parent.text = text }
    try context.save()
    let before = ComparisonResult.orderedAscending
    for word in ["\u{c4}", "A\u{308}", "\u{c4}"] {
      let predicate = #Predicate<Parent> { $0.text.caseInsensitiveCompare(word) == before }
      let expected = try context.fetch(FetchDescriptor<Parent>()).filter { try predicate.evaluate($0) }.count
      #expect(try context.fetchCount(FetchDescriptor(predicate: predicate)) == expected)
    }
  }

  @Test func `The store sorts by the number of members, and memory agrees`() throws {
    func add(_ count: Int, to number: Int) throws {
      let parent = try #require(
        context.fetch(FetchDescriptor<Parent>(predicate: #Predicate { $0.number == number })).first)
      for _ in 0..<count {
        let child = Child()
        context.insert(child)
        child.parent = parent
      }
    }
    try add(2, to: 4)
    try add(1, to: 3)
    try context.save()
    var descriptor = FetchDescriptor<Parent>(
      sortBy: [SortDescriptor(\.children.count, order: .reverse), SortDescriptor(\.number)])
    descriptor.fetchLimit = 3
    let store = context.core.container.stores[0]
    #expect(try !FetchPlan(descriptor, resolver: StoreResolver(store: store)).sortsInMemory)
    #expect(try ModelContext(context.container).fetch(descriptor).map(\.number) == [4, 3, 0])
    try add(5, to: 5)
    #expect(try context.fetch(descriptor).map(\.number) == [5, 4, 3])
  }

  @Test func `The values of one property are a sequence of their own`() throws {
    #expect(Set(try context.fetchValues(FetchDescriptor<Parent>(), \.number)) == Set(0..<6))
    #expect(try context.fetchValues(FetchDescriptor<Parent>(), \.text).count == 6)
    context.insert(Parent(9))
    #expect(try context.fetchValues(FetchDescriptor<Parent>(), \.number).reduce(0, +) == 24)
  }

  @Test func `A message names the part of the descriptor that is wrong`() throws {
    var properties = FetchDescriptor<Parent>()
    properties.propertiesToFetch = [\.persistentModelID]
    var relationships = FetchDescriptor<Parent>()
    relationships.relationshipKeyPathsForPrefetching = [\.number]
    for (descriptor, part) in [
      (properties, "propertiesToFetch of"), (relationships, "relationshipKeyPathsForPrefetching of"),
    ] {
      let error = #expect(throws: SwiftDataError.unsupportedKeyPath) { try context.fetch(descriptor) }
      #expect(error?.explanation?.hasPrefix("\(part) Parent has a part") == true, "\(error?.explanation ?? "")")
    }
  }
}
