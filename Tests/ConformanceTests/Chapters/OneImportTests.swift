import SwiftData
import Testing

/// Sample code imports SwiftData alone: Foundation's types come with it.
@Suite("One import", ChapterPlace.condition)
struct OneImportTests {
  @Model
  final class Letter {
    var identifier: UUID
    var sentAt: Date
    var seal: Data?
    var scan: URL?
    init(sentAt: Date = .now) {
      self.identifier = UUID()
      self.sentAt = sentAt
    }
  }

  @Test func `dates, predicates and sort descriptors need no other import`() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let context = ModelContext(try ModelContainer(for: Letter.self, configurations: configuration))
    for day in 1...3 { context.insert(Letter(sentAt: Date(timeIntervalSinceReferenceDate: Double(day) * 86_400))) }
    let first = Date(timeIntervalSinceReferenceDate: 86_400)
    let later = FetchDescriptor<Letter>(
      predicate: #Predicate { $0.sentAt > first }, sortBy: [SortDescriptor(\.sentAt, order: .reverse)])
    #expect(try context.fetch(later).map { $0.sentAt.timeIntervalSince(first) / 86_400 } == [2, 1])
  }
}
