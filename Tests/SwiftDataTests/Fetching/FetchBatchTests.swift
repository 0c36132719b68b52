import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite struct FetchBatchTests {
  typealias Club = PredicateWorld.Club

  @Test("A context fetches the objects that memory selects, saved or not, whole or in batches")
  func contexts() throws {
    let temporary = try TemporaryStore()
    let container = try ModelContainer(
      for: PredicateWorld.Person.self, PredicateWorld.Employee.self, PredicateWorld.Team.self, Club.self,
      configurations: ModelConfiguration(url: temporary.url))
    let context = ModelContext(container)
    for number in 0..<25 {
      let club = Club(name: "Club \(number)")
      club.fee = number % 3 == 0 ? nil : Double(number)
      context.insert(club)
    }
    try context.save()
    for number in 25..<30 { context.insert(Club(name: "Club \(number)")) }
    var descriptor = FetchDescriptor<Club>(
      predicate: #Predicate { $0.name.localizedStandardContains("CLUB") && ($0.fee ?? 0) < 20 },
      sortBy: [SortDescriptor(\.name, order: .reverse)])
    let expected = (0..<30).filter { $0 >= 25 || $0 % 3 == 0 || $0 < 20 }.reversed().map { "Club \($0)" }
    #expect(try context.fetch(descriptor).map(\.name) == expected)
    #expect(try context.fetchCount(descriptor) == expected.count)
    descriptor.fetchLimit = 4
    descriptor.fetchOffset = 3
    #expect(try context.fetch(descriptor).map(\.name) == Array(expected.dropFirst(3).prefix(4)))

    #expect(throws: SwiftDataError.includePendingChangesWithBatchSize) {
      try context.fetch(descriptor, batchSize: 2)
    }
    descriptor.includePendingChanges = false
    let saved = expected.dropFirst(5)
    let batches = try context.fetch(descriptor, batchSize: 3)
    #expect(batches.map(\.name) == Array(saved.dropFirst(3).prefix(4)))
    #expect(batches.last?.name == batches[3].name)
    let identifiers = try context.fetchIdentifiers(descriptor, batchSize: 3)
    #expect(Array(identifiers) == batches.map(\.persistentModelID))
  }
}
