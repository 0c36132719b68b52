import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Live results of rows with values that fit no property")
struct LiveMisfitTests {
  enum Earlier {
    enum Colour: String, Codable { case red, green, azure }

    @Model final class Flag {
      var number: Int
      var colour: Colour
      var note: String?

      init(_ number: Int, _ colour: Colour) {
        self.number = number
        self.colour = colour
      }
    }
  }

  enum Later {
    enum Colour: String, Codable { case red, green }

    @Model final class Flag {
      var number: Int
      var colour: Colour
      var note: String?

      init(_ number: Int, _ colour: Colour) {
        self.number = number
        self.colour = colour
      }
    }
  }

  /// A context of a store in which the last of three flags has a colour that the class does not know.
  private func context(_ store: TemporaryStore) throws -> ModelContext {
    let configuration = ModelConfiguration(url: store.url)
    do {
      let earlier = ModelContext(try ModelContainer(for: Earlier.Flag.self, configurations: configuration))
      for (number, colour) in [Earlier.Colour.red, .green, .azure].enumerated() {
        earlier.insert(Earlier.Flag(number, colour))
      }
      try earlier.save()
    }
    return ModelContext(try ModelContainer(for: Later.Flag.self, configurations: configuration))
  }

  @Test("They equal a fetch after a change of another property")
  func change() throws {
    let store = try TemporaryStore()
    let context = try context(store)
    let red = Later.Colour.red
    let descriptors = [
      FetchDescriptor<Later.Flag>(predicate: #Predicate { $0.colour == red }, sortBy: [SortDescriptor(\.number)]),
      FetchDescriptor(sortBy: [SortDescriptor(\.colour), SortDescriptor(\.number)]),
    ]
    let observers = try descriptors.map { try ResultsObserver(fetchDescriptor: $0, modelContext: context) }
    let flag = try #require(
      try context.fetch(FetchDescriptor<Later.Flag>(predicate: #Predicate { $0.number == 2 })).first)
    for note in ["first", "second"] {
      flag.note = note
      try context.save()
      for (observer, descriptor) in zip(observers, descriptors) {
        #expect(observer.results.map(\.number) == (try context.fetch(descriptor).map(\.number)))
      }
    }
    #expect(observers[0].results.map(\.number) == [0])
    flag.colour = .red
    try context.save()
    #expect(observers[0].results.map(\.number) == [0, 2])
  }

  @Test("They equal a fetch after an update that reads the first such row")
  func firstRow() throws {
    let store = try TemporaryStore()
    let configuration = ModelConfiguration(url: store.url)
    let earlier = ModelContext(try ModelContainer(for: Earlier.Flag.self, configurations: configuration))
    let flags = (0..<150).map { Earlier.Flag($0, .red) }
    for flag in flags { earlier.insert(flag) }
    try earlier.save()
    let context = ModelContext(try ModelContainer(for: Later.Flag.self, configurations: configuration))
    let red = Later.Colour.red
    let descriptor = FetchDescriptor<Later.Flag>(predicate: #Predicate { $0.colour == red })
    let observer = try ResultsObserver(fetchDescriptor: descriptor, modelContext: context)
    #expect(observer.results.count == 150)
    flags[7].colour = .azure
    try earlier.save()
    // Reads the newer row into its object.
    #expect(try context.fetch(FetchDescriptor<Later.Flag>()).count == 150)
    #expect(observer.results.map(\.number) == (0..<150).filter { $0 != 7 })
  }
}
