import CoreDataStore
import Foundation
import StoreRequests
import Testing

@testable import SwiftData

@Suite struct FetchSortTests {
  typealias Person = PredicateWorld.Person
  let store: PredicateStore

  init() throws { store = try PredicateStore() }

  /// Every kind of sort descriptor, each ending in the number, so that the order is total.
  private var sorts: [[SortDescriptor<Person>]] {
    var result: [[SortDescriptor<Person>]] = [[]]
    func add(_ sorts: SortDescriptor<Person>...) { result.append(sorts) }
    add(SortDescriptor(\.name))
    add(SortDescriptor(\.name, order: .reverse))
    add(SortDescriptor(\.nick))
    add(SortDescriptor(\.nick, order: .reverse))
    add(SortDescriptor(\.nick, comparator: .localized))
    add(SortDescriptor(\.name, comparator: .localizedStandard, order: .reverse))
    add(SortDescriptor(\.name, comparator: .lexical))
    add(SortDescriptor(\.nick, comparator: .lexical, order: .reverse))
    add(SortDescriptor(\.mentor?.name), SortDescriptor(\.boss?.name, order: .reverse))
    add(SortDescriptor(\.mentor?.salary, order: .reverse))
    add(SortDescriptor(\.age))
    add(SortDescriptor(\.score, order: .reverse))
    add(SortDescriptor(\.ratio))
    add(SortDescriptor(\.rating))
    add(SortDescriptor(\.born, order: .reverse))
    add(SortDescriptor(\.died))
    add(SortDescriptor(\.token))
    add(SortDescriptor(\.price))
    add(SortDescriptor(\.isActive))
    add(SortDescriptor(\.flag, order: .reverse))
    add(SortDescriptor(\.mood))
    add(SortDescriptor(\.level, order: .reverse))
    add(SortDescriptor(\.boss?.name))
    add(SortDescriptor(\.boss?.age, order: .reverse))
    add(SortDescriptor(\.boss?.boss?.score))
    add(SortDescriptor(\.team?.rank))
    add(SortDescriptor(\.home.zip))
    add(SortDescriptor(\.home.country))
    add(SortDescriptor(\.isActive), SortDescriptor(\.age, order: .reverse), SortDescriptor(\.name))
    return result.map { $0 + [SortDescriptor(\.number)] }
  }

  @Test("Sorts, limits and offsets: SQL and sorting in memory give the same")
  func storeAndMemory() throws {
    let active = #Predicate<Person> { $0.isActive }
    for sort in sorts {
      for (limit, offset) in [(nil, nil), (5, nil), (nil, 7), (4, 3), (0, nil), (100, 55)] as [(Int?, Int?)] {
        for predicate in [nil, active] {
          var descriptor = FetchDescriptor(predicate: predicate, sortBy: sort)
          descriptor.fetchLimit = limit
          descriptor.fetchOffset = offset
          let plan = try FetchPlan(descriptor, resolver: store.resolver, allowsInMemory: false)
          let wanted = predicate == nil ? store.people : store.people.filter(\.isActive)
          let expected = wanted.sorted(using: sort).dropFirst(offset ?? 0).prefix(limit ?? .max).map(\.number)
          #expect(
            try store.numbers(plan) == Array(expected), "\(sort.first?.keyPath.map { "\($0)" } ?? "") \(limit ?? -1)")
          #expect(plan.slice(plan.sorted(wanted)).map(\.number) == Array(expected))
        }
      }
    }
  }

  @Test("Strings are sorted by Apple's default, localised, unless a comparator is given")
  func strings() throws {
    let standard = try FetchPlan(
      FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name)]), resolver: store.resolver)
    #expect(standard.request.sortTerms.first?.collation == .localizedStandard)
    let lexical = try FetchPlan(
      FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]), resolver: store.resolver)
    #expect(lexical.request.sortTerms.first?.collation == .binary)
  }

  @Test("An order that the store lacks is made in memory, before limit and offset apply")
  func inMemory() throws {
    var descriptor = FetchDescriptor<Person>(sortBy: [SortDescriptor(\.name.count), SortDescriptor(\.number)])
    descriptor.fetchLimit = 5
    let plan = try FetchPlan(descriptor, resolver: store.resolver)
    #expect(plan.sortsInMemory && plan.request.limit == nil)
    let expected = store.people.sorted(using: descriptor.sortBy).prefix(5).map(\.number)
    #expect(try plan.finish(store.numbers(plan).map { store.people[$0] }).map(\.number) == Array(expected))
    #expect(throws: SwiftDataError.unsupportedSortDescriptor) {
      try FetchPlan(descriptor, resolver: store.resolver, allowsInMemory: false)
    }
  }

  @Test func `An order that is set after a sort descriptor is made counts in memory as in the store`() throws {
    let wanted: [[SortDescriptor<Person>]] = [
      [SortDescriptor(\.nick, order: .reverse)], [SortDescriptor(\.age, order: .reverse)],
      [SortDescriptor(\.mood), SortDescriptor(\.name, comparator: .lexical, order: .reverse)],
    ]
    let turned: [[SortDescriptor<Person>]] = [
      [SortDescriptor(\.nick)], [SortDescriptor(\.age)],
      [SortDescriptor(\.mood, order: .reverse), SortDescriptor(\.name, comparator: .lexical)],
    ]
    for (wanted, turned) in zip(wanted, turned) {
      var sort = turned
      for index in sort.indices { sort[index].order = wanted[index].order }
      let plan = try FetchPlan(
        FetchDescriptor(sortBy: sort + [SortDescriptor(\.number)]), resolver: store.resolver, allowsInMemory: false)
      let expected = store.people.sorted(using: wanted + [SortDescriptor(\.number)]).map(\.number)
      #expect(try store.numbers(plan) == expected)
      #expect(plan.sorted(store.people).map(\.number) == expected)
    }
  }

  @Test("Descriptors are equal if they describe the same fetch")
  func equality() {
    func descriptor(_ name: String, limit: Int? = nil) -> FetchDescriptor<Person> {
      var result = FetchDescriptor<Person>(
        predicate: #Predicate { $0.name.localizedStandardContains(name) && $0.age > 3 },
        sortBy: [SortDescriptor(\.name)])
      result.fetchLimit = limit
      return result
    }
    #expect(descriptor("a") == descriptor("a"))
    #expect(descriptor("a") != descriptor("b"))
    #expect(descriptor("a") != descriptor("a", limit: 1))
    #expect(FetchDescriptor<Person>() == FetchDescriptor<Person>())
    #expect(FetchDescriptor<Person>(predicate: .true) != FetchDescriptor<Person>(predicate: .false))
  }

  @Test("Prefetching takes relationships, and refuses other key paths")
  func prefetching() throws {
    var descriptor = FetchDescriptor<Person>()
    descriptor.relationshipKeyPathsForPrefetching = [\.boss, \.clubs, \.boss?.team]
    descriptor.propertiesToFetch = [\.name, \.home]
    let plan = try FetchPlan(descriptor, resolver: store.resolver)
    #expect(plan.prefetchedRelationships == [["boss"], ["clubs"], ["boss", "team"]])
    #expect(plan.selectedProperties == ["name", "home"])
    descriptor.relationshipKeyPathsForPrefetching = [\.name]
    #expect(throws: SwiftDataError.unsupportedKeyPath) { try FetchPlan(descriptor, resolver: store.resolver) }
  }
}
