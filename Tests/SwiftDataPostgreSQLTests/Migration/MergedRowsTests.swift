import Foundation
import PostgreSQL
import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Rows that have the values of a new uniqueness constraint in common become one row, in a database as in a file.
@Suite("Migrations that merge rows with equal unique values", TestServer.condition)
struct MergedRowsTests {
  enum Before: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Person.self, Author.self, Note.self, Pet.self, Club.self, Badge.self]
    }

    @Model class Person {
      var name: String?
      var age: Int
      var boss: Person?
      @Relationship(inverse: \Person.boss) var staff: [Person] = []
      @Relationship(deleteRule: .cascade) var pets: [Pet] = []
      @Relationship(deleteRule: .cascade, inverse: \Badge.owner) var badge: Badge?
      var clubs: [Club] = []
      init(_ name: String?, _ age: Int) {
        self.name = name
        self.age = age
      }
    }

    @Model final class Author: Person {
      var genre: String = ""
      @Relationship(inverse: \Note.author) var notes: [Note] = []
      override init(_ name: String?, _ age: Int) { super.init(name, age) }
    }

    @Model final class Note {
      var text: String
      var author: Author?
      var reader: Person
      init(_ text: String, reader: Person) {
        self.text = text
        self.reader = reader
      }
    }

    @Model final class Pet {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      @Relationship(inverse: \Person.clubs) var members: [Person] = []
      var founders: [Person] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Badge {
      var number: Int
      var owner: Person?
      init(_ number: Int) { self.number = number }
    }
  }

  enum After: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] {
      [Person.self, Author.self, Note.self, Pet.self, Club.self, Badge.self]
    }

    @Model class Person {
      @Attribute(.unique) var name: String?
      var age: Int
      var boss: Person?
      @Relationship(inverse: \Person.boss) var staff: [Person] = []
      @Relationship(deleteRule: .cascade) var pets: [Pet] = []
      @Relationship(deleteRule: .cascade, inverse: \Badge.owner) var badge: Badge?
      var clubs: [Club] = []
      init(_ name: String?, _ age: Int) {
        self.name = name
        self.age = age
      }
    }

    @Model final class Author: Person {
      var genre: String = ""
      @Relationship(inverse: \Note.author) var notes: [Note] = []
      override init(_ name: String?, _ age: Int) { super.init(name, age) }
    }

    @Model final class Note {
      var text: String
      var author: Author?
      var reader: Person
      init(_ text: String, reader: Person) {
        self.text = text
        self.reader = reader
      }
    }

    @Model final class Pet {
      var name: String
      init(_ name: String) { self.name = name }
    }

    @Model final class Club {
      var name: String
      @Relationship(inverse: \Person.clubs) var members: [Person] = []
      var founders: [Person] = []
      init(_ name: String) { self.name = name }
    }

    @Model final class Badge {
      var number: Int
      var owner: Person?
      init(_ number: Int) { self.number = number }
    }
  }

  let store: TravelStore

  init() throws { store = try TravelStore() }

  /// Four rows named Ann, of two classes, two Bens, and two objects without a name.
  private static func fill(_ context: ModelContext) throws {
    let anns = [Before.Person("Ann", 1), Before.Author("Ann", 2), Before.Person("Ann", 3), Before.Author("Ann", 4)]
    let others = [Before.Author("Ben", 5), Before.Author("Ben", 6), Before.Person(nil, 7), Before.Person(nil, 8)]
    let people = anns + others
    for person in people {
      context.insert(person)
      // The keys are in this order.
      try context.save()
    }
    for (index, person) in people.enumerated() {
      person.pets = [Before.Pet("pet \(index)")]
      person.badge = Before.Badge(index)
      let club = Before.Club("club \(index)")
      context.insert(club)
      club.members = [person, people[(index + 1) % people.count]]
      club.founders = [person]
      let note = Before.Note("note \(index)", reader: person)
      context.insert(note)
      note.author = person as? Before.Author
    }
    // A boss is a duplicate of the person, of somebody else, and nobody's.
    anns[0].boss = anns[2]
    others[0].boss = anns[3]
    others[2].boss = others[1]
    try context.save()
  }

  private func open(_ policy: UniquenessPolicy, inFile: Bool) throws -> ModelContext {
    var options = MigrationOptions()
    options.uniquenessPolicy = policy
    guard inFile else { return ModelContext(try store.open(After.self, options: options)) }
    var configuration = ModelConfiguration(url: store.folder.url)
    configuration.migration = options
    return ModelContext(try ModelContainer(for: Schema(versionedSchema: After.self), configurations: [configuration]))
  }

  private func dump(_ context: ModelContext) throws -> [String] {
    func list(_ names: [String]) -> String { "[\(names.sorted().joined(separator: " "))]" }
    func name(_ person: After.Person?) -> String { person.map { "\($0.name ?? "-")\($0.age)" } ?? "nobody" }
    var lines = try context.fetch(FetchDescriptor<After.Person>()).map { person in
      "\(name(person)): boss \(name(person.boss)) staff \(list(person.staff.map(name))) pets \(list(person.pets.map(\.name))) "
        + "badge \(person.badge.map { "\($0.number)" } ?? "-") clubs \(list(person.clubs.map(\.name))) "
        + "notes \(list((person as? After.Author)?.notes.map(\.text) ?? []))"
    }
    lines += try context.fetch(FetchDescriptor<After.Note>()).map {
      "\($0.text): author \(name($0.author)) reader \(name($0.reader))"
    }
    lines += try context.fetch(FetchDescriptor<After.Club>()).map {
      "\($0.name): members \(list($0.members.map(name))) founders \(list($0.founders.map(name)))"
    }
    lines += try context.fetch(FetchDescriptor<After.Badge>()).map { "badge \($0.number): \(name($0.owner))" }
    lines += try context.fetch(FetchDescriptor<After.Pet>()).map(\.name)
    return lines.sorted()
  }

  @Test("The same rows stay, with the same links", arguments: [UniquenessPolicy.keepExisting, .upsert])
  func twins(_ policy: UniquenessPolicy) throws {
    try Self.fill(ModelContext(store.open(Before.self)))
    try Self.fill(ModelContext(store.openFile(Before.self)))
    let (context, file) = (try open(policy, inFile: false), try open(policy, inFile: true))
    let lines = try dump(context)
    #expect(try lines == dump(file))
    let people = try context.fetch(FetchDescriptor<After.Person>(sortBy: [SortDescriptor(\.age)]))
    #expect(people.map(\.age) == (policy == .upsert ? [4, 6, 7, 8] : [1, 5, 7, 8]))
    // The store keeps the values unique from now on, and every note has a reader.
    context.insert(After.Person("Cid", 9))
    people[0].name = "Ben"
    #expect(throws: SwiftDataError.self) { try context.save() }
    #expect(try store.column("SELECT count(*)::text FROM \(store.schema).note WHERE reader_id IS NULL") == ["0"])
    #expect(
      try store.column(
        "SELECT count(*)::text FROM pg_constraint WHERE conrelid = '\(store.schema).person'::regclass AND contype = 'u'"
      )
        == ["1"])
  }

  @Test("History records the links and the deletions, and versions grow")
  func history() throws {
    try Self.fill(ModelContext(store.open(Before.self)))
    let before = try #require(
      try store.column("SELECT max(number)::text FROM \(store.schema)._store_transactions").first)
    let context = try open(.keepExisting, inFile: false)
    #expect(
      try store.column(
        "SELECT count(*)::text FROM \(store.schema)._store_changes WHERE transaction > \(before) AND kind = 2 AND entity IN ('Person', 'Author')"
      ) == ["4"])
    #expect(
      try store.column(
        "SELECT DISTINCT unnest(properties) FROM \(store.schema)._store_changes WHERE transaction > \(before) AND kind = 1 AND entity = 'Note' ORDER BY 1"
      ) == ["author", "reader"])
    #expect(try context.fetchCount(FetchDescriptor<After.Person>()) == 4)
  }

  @Test("Without duplicates only the constraint is added, and the preview tells of the merge")
  func none() throws {
    _ = try store.open(Before.self)
    var options = MigrationOptions()
    options.uniquenessPolicy = .keepExisting
    let plan = try store.configuration(options: options).migrationPreview(for: Schema(versionedSchema: After.self))
    let place = try #require(plan?.statements.firstIndex { $0 == "-- rows of Person with equal name become one row" })
    #expect(plan?.statements[place + 1].contains("UNIQUE (\"name\")") == true)
    #expect(try open(.keepExisting, inFile: false).fetchCount(FetchDescriptor<After.Person>()) == 0)
  }
}
