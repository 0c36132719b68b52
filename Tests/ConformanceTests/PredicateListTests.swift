import SwiftData
import Testing

/// Source with lists of an archive's key paths compiles.
@Model final class ListedBook: PredicateCodableKeyPathProviding {
  var title: String
  init(title: String) { self.title = title }

  static var predicateCodableKeyPaths: [String: any PartialKeyPath<ListedBook> & Sendable] { ["title": \.title] }
}

@Test func `A class lists the key paths of its archived predicates`() {
  #expect(ListedBook.predicateCodableKeyPaths["title"] == \ListedBook.title)
}
