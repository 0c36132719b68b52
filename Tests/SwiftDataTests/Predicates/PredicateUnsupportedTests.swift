import CoreDataStore
import Foundation
import StoreRequests
import Testing

@testable import SwiftData

@Suite struct PredicateUnsupportedTests {
  typealias Person = PredicateWorld.Person
  let store: PredicateStore

  init() throws { store = try PredicateStore() }

  private func explanation(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch { return (error as? SwiftDataError)?.explanation }
  }

  @Test(
    "An unsupported predicate throws and names the unsupported part, or is evaluated in memory if allowed"
  )
  func refused() throws {
    let name = "a", tag = "x", captured = "secret"
    let table: [(Predicate<Person>, String)] = [
      (#Predicate { $0.shoutedName == captured }, "Person.(a property of type String)"),
      (
        #Predicate { $0.tags.contains(tag) },
        "$0.tags — the store cannot look into the form in which its values are stored"
      ),
      (#Predicate { $0.tags.isEmpty }, "cannot look into"), (#Predicate { $0.tags.count > 1 }, "cannot look into"),
      (#Predicate { $0.tags.contains { $0 == tag } }, "cannot look into"),
      (#Predicate { $0.tags.max() == tag }, "max()"),
      (#Predicate { $0.name.contains(/a+/) }, "the store does not support regular expressions"),
      (#Predicate { $0.reports[0].name == name }, "by index"),
      (#Predicate { $0.home.street.shouted == name }, "it is computed, not stored"),
      (#Predicate { $0.persistentModelID > $0.persistentModelID }, "the order of PersistentIdentifier"),
      (#Predicate { $0.age > 5 && ($0.shoutedName == name || $0.isActive) }, "Person.(a property of type String)"),
      (#Predicate { ($0.boss ?? $0).name == name }, "an object can be compared only with an object or nil"),
    ]
    for (predicate, text) in table {
      let message = explanation {
        _ = try FetchPlan(FetchDescriptor(predicate: predicate), resolver: store.resolver, allowsInMemory: false)
      }
      #expect(message?.contains(text) == true, "\(message ?? "nothing was thrown") instead of \(text)")
      #expect(message?.contains("Person") == true && message?.contains(captured) == false)

      // In memory, for the objects that the store selects by the other operands.
      var descriptor = FetchDescriptor(predicate: predicate)
      descriptor.fetchLimit = 3
      descriptor.fetchOffset = 1
      let plan = try FetchPlan(descriptor, resolver: store.resolver)
      #expect(plan.filtersInMemory && plan.request.limit == nil && plan.request.offset == nil)
      let selected = try store.numbers(plan).map { store.people[$0] }
      let expected = store.people.filter { (try? predicate.evaluate($0)) ?? false }
      func wanted() throws -> [Int] { try plan.finish(selected.sorted { $0.number < $1.number }).map(\.number) }
      #expect(try wanted() == Array(expected.dropFirst().prefix(3).map(\.number)), "\(text)")
    }
  }

  @Test("The store evaluates the supported terms of a conjunction")
  func narrowed() throws {
    let name = "a!"
    let predicate = #Predicate<Person> { $0.age > 5 && $0.shoutedName == name && $0.isActive }
    let plan = try FetchPlan(FetchDescriptor(predicate: predicate), resolver: store.resolver)
    let selected = try store.numbers(plan)
    #expect(selected.sorted() == store.people.filter { $0.age > 5 && $0.isActive }.map(\.number))
    #expect(selected.count < store.people.count)
  }

  @Test("A division by 0 selects nothing, in the store and in memory")
  func divisions() throws {
    let expected = store.people.filter { $0.age != 0 && 10 / $0.age > 1 }.map(\.number)
    let name = "no!"
    let inMemory = #Predicate<Person> { $0.shoutedName == name || 10 / $0.age > 1 }
    let rest = try FetchPlan(FetchDescriptor(predicate: inMemory), resolver: store.resolver)
    #expect(rest.filtersInMemory)
    #expect(try store.people.filter(rest.isWanted).map(\.number) == expected)
    let inStore = #Predicate<Person> { 10 / $0.age > 1 }
    let plan = try FetchPlan(FetchDescriptor(predicate: inStore), resolver: store.resolver)
    #expect(try store.numbers(plan).sorted() == expected)
    #expect(try store.people.filter(plan.evaluation()).map(\.number) == expected)
  }

  @Test("A deeply nested predicate is refused or evaluated, but never ends the program")
  func deep() throws {
    var predicate = #Predicate<Person> { $0.age > 5 }
    for _ in 0..<400 { predicate = Predicate(not: predicate) }
    let message = explanation {
      _ = try FetchPlan(FetchDescriptor(predicate: predicate), resolver: store.resolver, allowsInMemory: false)
    }
    #expect(message?.contains("levels deep") == true)
  }

  @Test("Objects are compared by their rows")
  func identities() throws {
    let boss = store.identifier(of: 3), people = [store.identifier(of: 3), store.identifier(of: 7)]
    let unsaved = PredicateWorld.Person(number: 1000).persistentModelID
    let chess = store.people[0].clubs.first
    func numbers(_ predicate: Predicate<Person>) throws -> [Int] {
      try store.numbers(FetchPlan(FetchDescriptor(predicate: predicate), resolver: store.resolver)).sorted()
    }
    func expected(_ condition: (Person) -> Bool) -> [Int] { store.people.filter(condition).map(\.number) }
    #expect(try numbers(#Predicate { $0.persistentModelID == boss }) == [3])
    #expect(try numbers(#Predicate { people.contains($0.persistentModelID) }) == [3, 7])
    #expect(try numbers(#Predicate { $0.boss?.persistentModelID == boss }) == expected { $0.boss?.number == 3 })
    #expect(try numbers(#Predicate { $0.boss?.persistentModelID != boss }) == expected { $0.boss?.number != 3 })
    #expect(try numbers(#Predicate { $0.persistentModelID == unsaved }) == [])
    #expect(try numbers(#Predicate { $0.boss?.persistentModelID == unsaved }) == [])
    #expect(try numbers(#Predicate { $0.persistentModelID != unsaved }).count == store.people.count)
    #expect(
      try numbers(#Predicate { $0.reports.contains { people.contains($0.persistentModelID) } })
        == expected { $0.reports.contains { [3, 7].contains($0.number) } })
    #expect(chess != nil)
  }

  @Test("Key paths through protocols lead to the same columns")
  func throughProtocols() throws {
    func named<Model: PersistentModel & Named>(_ type: Model.Type, _ name: String) -> Predicate<Model> {
      #Predicate<Model> { $0.name == name }
    }
    let plan = try FetchPlan(
      FetchDescriptor(predicate: named(Person.self, "ab")), resolver: store.resolver, allowsInMemory: false)
    #expect(try store.numbers(plan).sorted() == store.people.filter { $0.name == "ab" }.map(\.number))
  }
}

/// An object with a name.
protocol Named {
  var name: String { get }
}

extension PredicateWorld.Person: Named {}

extension String {
  fileprivate var shouted: String { self + "!" }
}
