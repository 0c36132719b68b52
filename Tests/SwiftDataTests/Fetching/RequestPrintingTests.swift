import Foundation
import Testing

@testable import SwiftData

/// Foundation's text of a predicate may end the program, so each public value that holds a predicate has a text of its own.
@Suite struct RequestPrintingTests {
  typealias Person = PredicateWorld.Person

  /// What `print`, `debugPrint` and `dump` write.
  private func texts(_ value: Any) -> [String] {
    var dumped = ""
    dump(value, to: &dumped)
    return ["\(value)", String(reflecting: value), dumped]
  }

  @Test("A history descriptor prints its predicate without captured values")
  func history() {
    let secret = "secret"
    var descriptor = HistoryDescriptor<DefaultHistoryTransaction>(
      predicate: #Predicate { $0.processIdentifier.localizedStandardContains(secret) },
      sortBy: [SortDescriptor(\.transactionIdentifier, order: .reverse)])
    descriptor.fetchLimit = 3
    for text in texts(descriptor) {
      #expect(text.contains("localizedStandardContains((a captured String))") && text.contains("descending"))
      #expect(text.contains("fetchLimit: 3") && !text.contains(secret))
    }
    let every = HistoryDescriptor<DefaultHistoryTransaction>()
    #expect("\(every)" == "HistoryDescriptor<DefaultHistoryTransaction>()")
  }

  @Test("A deletion by a custom store prints its predicate without captured values")
  func deletion() {
    let secret = "secret"
    let request = DataStoreBatchDeleteRequest<Person>(
      editingState: EditingState(author: "an author"),
      predicate: #Predicate { $0.name.localizedStandardContains(secret) }, includeSubclasses: false)
    for text in texts(request) {
      #expect(text.contains("$0.name.localizedStandardContains((a captured String))") && !text.contains(secret))
      #expect(text.contains("an author") && text.contains("includeSubclasses: false"))
    }
    #expect("\(request)".hasPrefix("DataStoreBatchDeleteRequest<Person>(editingState: "))
    let every = DataStoreBatchDeleteRequest<Person>(editingState: EditingState())
    #expect(!"\(every)".contains("predicate"))
  }
}
