import SwiftData
import TestSupport
import Testing

@Model final class Questionnaire {
  var number: Int
  var first = 0
  var second = 0
  var third = 0
  var fourth = 0
  var fifth = 0
  var sixth = 0
  var seventh = 0
  var eighth = 0
  init(number: Int) { self.number = number }

  static var answers: [ReferenceWritableKeyPath<Questionnaire, Int>] {
    [\.first, \.second, \.third, \.fourth, \.fifth, \.sixth, \.seventh, \.eighth]
  }
}

@Suite("Saves with many different sets of changed properties") struct ManyChangesTests {
  @Test("Each object gets its own changes, and no others")
  func sets() throws {
    let store = try TemporaryStore(name: "Answers.store")
    let container = try ModelContainer(for: Questionnaire.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    for number in 0..<600 { context.insert(Questionnaire(number: number)) }
    try context.save()
    // More sets than a save keeps statements for, each of them twice.
    for item in try context.fetch(FetchDescriptor<Questionnaire>()) {
      for (bit, answer) in Questionnaire.answers.enumerated() where item.number >> bit & 1 == 1 {
        item[keyPath: answer] = item.number
      }
    }
    try context.save()
    let items = try ModelContext(container).fetch(FetchDescriptor<Questionnaire>())
    #expect(items.count == 600)
    for item in items {
      let wanted = Questionnaire.answers.indices.map { item.number >> $0 & 1 == 1 ? item.number : 0 }
      #expect(Questionnaire.answers.map { item[keyPath: $0] } == wanted, "\(item.number)")
    }
  }
}
