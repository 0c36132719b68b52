import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Texts for full-text search: a hierarchy, an optional text, an enumeration, and properties that no index may have.
enum SearchLibrary {
  enum Kind: String, Codable { case note, letter }

  @Model class Text {
    var title: String
    var body: String?
    var rating = 0
    var kind = Kind.note
    var owner: Owner?

    init(_ title: String, _ body: String? = nil) {
      self.title = title
      self.body = body
    }
  }

  @Model final class Letter: Text {
    var receiver: String

    init(_ title: String, _ body: String? = nil, to receiver: String) {
      self.receiver = receiver
      super.init(title, body)
    }
  }

  @Model final class Owner {
    var name: String
    @Relationship(deleteRule: .cascade, inverse: \Text.owner) var texts: [Text] = []

    init(_ name: String) { self.name = name }
  }

  /// A class that no container of these tests has.
  @Model final class Stranger {
    var title = ""
    init() {}
  }

  static let types: [any PersistentModel.Type] = [Text.self, Letter.self, Owner.self]

  static func container(_ store: TemporaryStore) throws -> ModelContainer {
    try TestEngine.current.container(Schema(types), store)
  }
}

/// A store with a search index of titles and bodies.
struct SearchWorld {
  typealias Text = SearchLibrary.Text
  typealias Letter = SearchLibrary.Letter

  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init(hasIndex: Bool = true) throws {
    store = try TemporaryStore()
    container = try SearchLibrary.container(store)
    if hasIndex { try container.makeSearchIndex(for: Text.self, on: [\.title, \.body]) }
    context = ModelContext(container)
  }

  /// The titles of the texts that a search finds, in order.
  func titles(
    _ text: String, _ matching: TextSearch<Text>.Matching = .allWords, in properties: [PartialKeyPath<Text>] = [],
    context: ModelContext? = nil
  ) throws -> [String] {
    var descriptor = FetchDescriptor<Text>()
    descriptor.search = TextSearch(text, matching: matching, in: properties)
    return try (context ?? self.context).fetch(descriptor).map(\.title)
  }
}
