import Foundation
import Testing

@testable import SwiftData

/// Foundation's text of a predicate ends the program where an operator is not Foundation's: nothing of ours may ask for it.
@Suite struct PredicatePrintingTests {
  typealias Person = PredicateWorld.Person

  @Test("A descriptor prints its predicate as it was written, without captured values")
  func descriptors() {
    let secret = "secret"
    var descriptor = FetchDescriptor<Person>(
      predicate: #Predicate { $0.name.localizedStandardContains(secret) && $0.age > 5 },
      sortBy: [SortDescriptor(\.name), SortDescriptor(\.age, order: .reverse)])
    descriptor.fetchLimit = 3
    descriptor.relationshipKeyPathsForPrefetching = [\.boss]
    let text = "\(descriptor)"
    #expect(
      text == "FetchDescriptor<Person>(predicate: $0.name.localizedStandardContains((a captured String)) && "
        + "$0.age > (a captured Int), sortBy: [\"name ascending\", \"age descending\"], fetchLimit: 3, "
        + "relationshipKeyPathsForPrefetching: [\"boss\"])")
    #expect(!text.contains(secret))
    #expect(String(reflecting: descriptor) == text)
    var dumped = ""
    dump(descriptor, to: &dumped)
    #expect(dumped.contains("localizedStandardContains") && !dumped.contains(secret))
    #expect("\(FetchDescriptor<Person>())" == "FetchDescriptor<Person>()")
  }

  @Test("Predicates of predicates, and those in NSPredicate's format, can be printed with their descriptor")
  func compositions() throws {
    let name = "a"
    let one = #Predicate<Person> { $0.name.localizedStandardContains(name) }
    let descriptor = FetchDescriptor(predicate: Predicate(any: [one, Predicate(not: one)]))
    #expect("\(descriptor)".contains("localizedStandardContains"))
    // An operator printed by itself.
    #expect("\(try #require(descriptor.predicate).expression)".contains("localizedStandardContains"))
    let format = try FetchDescriptor<Person>(format: "name BEGINSWITH 'a'")
    #expect("\(format)".contains("BEGINSWITH"))
  }
}
