import Foundation
import SwiftData
import TestSupport
import Testing

@Model final class LineOfText {
  var number: Int
  var text: String

  init(number: Int, text: String) {
    self.number = number
    self.text = text
  }
}

@Suite("Fetches with a limit and a condition for memory") struct FetchFirstTests {
  private let context: ModelContext

  init() throws {
    let store = try TemporaryStore(name: "Lines.store")
    let container = try ModelContainer(for: LineOfText.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    for number in 0..<500 { context.insert(LineOfText(number: number, text: number % 100 == 99 ? "" : "text")) }
    try context.save()
    self.context = ModelContext(container)
  }

  /// What a fetch finds, and how many objects it has read.
  private func fetch(
    _ predicate: Predicate<LineOfText>, order: SortOrder = .forward, offset: Int = 0
  ) throws -> (numbers: [Int], read: Int) {
    let context = ModelContext(context.container)
    var descriptor = FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.number, order: order)])
    descriptor.fetchLimit = 3
    descriptor.fetchOffset = offset
    let lines = try context.fetch(descriptor)
    let identifiers = try context.fetchIdentifiers(FetchDescriptor<LineOfText>())
    let read = identifiers.count { (context.registeredModel(for: $0) as LineOfText?) != nil }
    return (lines.map(\.number), read)
  }

  @Test func `The first rows are read if they are enough`() throws {
    let filled = try fetch(#Predicate { $0.text.first != nil })
    #expect(filled.numbers == [0, 1, 2] && filled.read < 100)
    let last = try fetch(#Predicate { $0.text.first != nil }, order: .reverse, offset: 2)
    #expect(last.numbers == [496, 495, 494] && last.read < 100)
  }

  @Test func `All rows are read if they are not`() throws {
    let empty = try fetch(#Predicate { $0.text.first == nil })
    #expect(empty.numbers == [99, 199, 299])
    let rest = try fetch(#Predicate { $0.text.first == nil && $0.number > 250 }, offset: 1)
    #expect(rest.numbers == [399, 499])
    #expect(try fetch(#Predicate { $0.text.first == nil && $0.number < 50 }).numbers.isEmpty)
  }
}
