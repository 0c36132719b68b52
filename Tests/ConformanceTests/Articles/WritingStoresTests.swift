import Foundation
import SwiftData
import Testing

/// The example of the article on custom stores; `JSONFileStore` is the store.
@Suite("Writing a store", .temporaryFolder) struct WritingStoresTests {
  @Model final class Book {
    var title: String
    init(title: String) { self.title = title }
  }

  @Test func `A container keeps its objects in a store of the program's`() throws {
    let url = TemporaryFolder.url.appendingPathComponent("Library.json")
    let configuration = JSONFileConfiguration(url: url)
    let container = try ModelContainer(for: Book.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Book(title: "Pod igoto"))
    try context.save()
    let found = FetchDescriptor<Book>(predicate: #Predicate { $0.title.starts(with: "Pod") })
    #expect(try ModelContext(container).fetch(found).map(\.title) == ["Pod igoto"])
    #expect(try String(contentsOf: url, encoding: .utf8).contains("Pod igoto"))
  }
}
