import Foundation
import ManagedModel
import TestSupport
import Testing

@testable import SwiftData

enum Ambiguous {
  @Model final class Match {
    var home: Team?
    var guest: Team?
    init() {}
  }

  @Model final class Team {
    var matches: [Match] = []
    init() {}
  }
}

enum Unsupported {
  struct Plain { var a = 1 }

  @Model final class Holder {
    var plain: Plain?
    var set: Set<MetaOther>?
    @Relationship var number: Int = 0
    @Attribute(name: "number") var again: Int = 0
    init() {}
  }

  @Model final class MetaOther {
    @Relationship(inverse: \MetaThird.third) var third: MetaThird?
    init() {}
  }

  @Model final class MetaThird {
    var third: MetaThird?
    init() {}
  }
}

enum Unnamed {
  @Model final class Holder {
    @Attribute(name: "a\0b") var number: Int = 0
    init() {}
  }
}

enum Counted {
  @Model final class Author {
    @Relationship(maximumModelCount: -1, inverse: \Book.author) var books: [Book] = []
    init() {}
  }

  @Model final class Book {
    var author: Author?
    init() {}
  }

  @Model final class Single {
    @Relationship(maximumModelCount: 1) var books: [Book] = []
    @Relationship(maximumModelCount: 1) var book: Book?
    init() {}
  }

  @Model final class Wrong {
    @Relationship(minimumModelCount: 3, maximumModelCount: 2) var books: [Book] = []
    @Relationship(minimumModelCount: -1) var others: [Book] = []
    init() {}
  }
}

/// Two classes with the same name.
enum Twice {
  enum First {
    @Model final class User {
      var name: String?
      init() {}
    }
  }

  enum Second {
    @Model final class User {
      var email: String?
      init() {}
    }
  }
}

@Suite struct SchemaProblemTests {
  private func message(_ types: [any PersistentModel.Type]) -> String {
    do {
      _ = try Schema(types).lowered()
      return ""
    } catch let error as SwiftDataError {
      return error.explanation ?? ""
    } catch {
      return "\(error)"
    }
  }

  @Test func `An ambiguous inverse is an error that names both candidates`() {
    let text = message([Ambiguous.Team.self])
    #expect(text.contains("Team.matches") && text.contains("Match.guest") && text.contains("Match.home"))
  }

  @Test func `Types that cannot be stored are named with class, property and remedy`() {
    let text = message([Unsupported.Holder.self])
    #expect(text.contains("Holder.plain") && text.contains("make it Codable"))
    #expect(text.contains("Holder.set") && text.contains("write [MetaOther]"))
    #expect(text.contains("Holder.number") && text.contains("@Relationship stands on a property of type Int"))
    #expect(text.contains("two of its properties are stored as 'number'"))
  }

  @Test func `An inverse that does not lead back is an error`() {
    #expect(message([Unsupported.MetaOther.self]).contains("does not lead back to MetaOther"))
  }

  @Test func `Two classes of one entity are an error`() {
    #expect(message([Twice.First.User.self, Twice.Second.User.self]).contains("are the entity 'User'"))
  }

  @Test func `A name that no store can have, and a name that is there twice, are errors`() {
    let text = message([Unnamed.Holder.self])
    #expect(text.contains("entity “Holder”") && text.contains("contains a NUL character"), "\(text)")
    func opening(_ names: [String], entity: String = "Thing") -> String {
      let attributes = names.map { Schema.Attribute(name: $0, valueType: String?.self) }
      do {
        _ = try ModelContainer(
          for: Schema(Schema.Entity(entity, properties: attributes)),
          configurations: ModelConfiguration(isStoredInMemoryOnly: true))
        return ""
      } catch { return (error as? SwiftDataError)?.explanation ?? "" }
    }
    #expect(opening([""]).contains("the property's name is empty"))
    #expect(opening(["a\0b"]).contains("contains a NUL character"))
    #expect(opening(["a", "b", "a"]).contains("more than one property named “a”"))
    #expect(opening(["a"], entity: "").contains("the entity's name is empty"))
    // Models of Core Data have such names, and their stores are opened.
    #expect(opening(["a b", "1", "x\"; --", "description"]).isEmpty)
  }

  @Test func `A decoded schema has its version, entities and inverses`() throws {
    let schema = Schema([MacroAuthor.self], version: Schema.Version(1, 2, 3))
    let decoded = try JSONDecoder().decode(Schema.self, from: JSONEncoder().encode(schema))
    #expect(decoded.version == schema.version && decoded.entities.map(\.name) == schema.entities.map(\.name))
    #expect(decoded.entitiesByName["MacroBook"]?.relationshipsByName["author"]?.inverseName == "books")
    #expect(decoded.entitiesByName["MacroAuthor"] == schema.entitiesByName["MacroAuthor"])
  }

  @Test func `VH-6 A negative maximum count is no bound, and is kept`() throws {
    let schema = Schema([Counted.Author.self])
    #expect(try schema.lowered().entity(named: "Author")?.relationships.map(\.maximumCount) == [-1])
    let store = try TemporaryStore()
    let container = try ModelContainer(for: schema, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let author = Counted.Author()
    context.insert(author)
    try context.save()
    author.books = [Counted.Book(), Counted.Book()]
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Counted.Author>()).first?.books.count == 2)
    withExtendedLifetime(store) {}
  }

  @Test func `A maximum count below the minimum, and a negative minimum, are errors`() {
    let text = message([Counted.Wrong.self])
    #expect(text.contains("Wrong.books") && text.contains("Wrong.others") && text.contains("must not be negative"))
    let single = message([Counted.Single.self])
    #expect(single.contains("Single.books: an array cannot have a largest count of 1"), "\(single)")
    #expect(!single.contains("Single.book:"), "\(single)")
  }
}
