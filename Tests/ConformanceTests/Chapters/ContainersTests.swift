import Foundation
import SwiftData
import Testing

/// A container joins a schema to the stores that its configurations name.
@Suite("Containers and configurations", ChapterPlace.condition, .temporaryFolder)
struct ContainersTests {
  @Model final class Invoice {
    var number: Int
    @Relationship(deleteRule: .cascade, inverse: \Line.invoice) var lines: [Line] = []
    init(number: Int) { self.number = number }
  }

  @Model final class Line {
    var text: String
    var invoice: Invoice?
    init(text: String) { self.text = text }
  }

  @Model final class Draft {
    var text: String
    init(text: String) { self.text = text }
  }

  /// A file in a folder of its own: over a server, a folder is a store.
  private func temporaryFile() throws -> URL {
    let folder = TemporaryFolder.url.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder.appendingPathComponent("Objects.store")
  }

  @Test func `a schema of several classes`() throws {
    let schema = Schema([Invoice.self, Line.self, Draft.self])
    let configuration = ModelConfiguration("Main", schema: schema, isStoredInMemoryOnly: true, allowsSave: true)
    let container = try ModelContainer(for: schema, configurations: [configuration])
    #expect(container.schema.entities.count == 3)
  }

  @MainActor @Test func `a container for previews is filled through its main context`() throws {
    let container: ModelContainer = try {
      let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
      let container = try ModelContainer(for: Invoice.self, Line.self, configurations: configuration)
      container.mainContext.insert(Invoice(number: 1))
      return container
    }()
    #expect(try container.mainContext.fetch(FetchDescriptor<Invoice>()).map(\.number) == [1])
    #expect(container.mainContext === container.mainContext)
  }

  @Test func `objects stay in the file that a configuration names`() throws {
    let url = try temporaryFile()
    for number in 1...2 {
      let container = try ModelContainer(for: Invoice.self, configurations: ModelConfiguration(url: url))
      let context = ModelContext(container)
      context.insert(Invoice(number: number))
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Invoice>()) == number)
    }
  }

  @Test func `each class goes to the store whose schema has it`() throws {
    let (first, second) = (try temporaryFile(), try temporaryFile())
    let shared = ModelConfiguration("Shared", schema: Schema([Invoice.self, Line.self]), url: first)
    let local = ModelConfiguration("Local", schema: Schema([Draft.self]), url: second)
    // Some samples pass an array of configurations after a list of classes: Apple's compiler rejects that, and so does ours.
    let context = ModelContext(try ModelContainer(for: Invoice.self, Draft.self, configurations: shared, local))
    context.insert(Invoice(number: 1))
    context.insert(Draft(text: "one"))
    try context.save()

    let invoices = try ModelContainer(for: Invoice.self, configurations: ModelConfiguration(url: first))
    #expect(try ModelContext(invoices).fetchCount(FetchDescriptor<Invoice>()) == 1)
    let drafts = try ModelContainer(for: Draft.self, configurations: ModelConfiguration(url: second))
    #expect(try ModelContext(drafts).fetchCount(FetchDescriptor<Draft>()) == 1)
  }

  @Test func `a configuration that does not allow saving refuses to save`() throws {
    let url = try temporaryFile()
    _ = try ModelContainer(for: Draft.self, configurations: ModelConfiguration(url: url))
    let readOnly = ModelConfiguration(url: url, allowsSave: false)
    let context = ModelContext(try ModelContainer(for: Draft.self, configurations: readOnly))
    context.insert(Draft(text: "one"))
    #expect(throws: (any Error).self) { try context.save() }
  }
}
