import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("A sum beyond 64 bits in groups of values that fit no property")
struct OverflowingGroupTests {
  private typealias Earlier = LiveMisfitTests.Earlier
  private typealias Later = LiveMisfitTests.Later

  @Test("The error names the property")
  func error() throws {
    let store = try TemporaryStore()
    let configuration = ModelConfiguration(url: store.url)
    let earlier = ModelContext(try ModelContainer(for: Earlier.Flag.self, configurations: configuration))
    for (number, colour) in [(0, Earlier.Colour.azure), (.max, .green), (1, .green)] {
      earlier.insert(Earlier.Flag(number, colour))
    }
    try earlier.save()
    let context = ModelContext(try ModelContainer(for: Later.Flag.self, configurations: configuration))
    let error = #expect(throws: SwiftDataError.storeFailure) {
      try context.aggregate(Later.Flag.self, by: \.colour, .count, .sum(\.number))
    }
    #expect(error.map { "\($0)" }?.contains("The sum of Flag.number is beyond the numbers that Int can hold") == true)
  }
}
