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
  enum Models {
    /// The names of people become unique.
    static func schema(isUnique: Bool) throws -> Schema {
      let schema = Schema([Person.self, Author.self, Note.self, Pet.self, Club.self, Badge.self])
      if isUnique { try #require(schema.entitiesByName["Person"]).uniquenessConstraints = [["name"]] }
      return schema
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

  let store: TravelStore

  init() throws { store = try TravelStore() }

  /// Four rows named Ann, of two classes, two Bens, and two objects without a name.
  private static func fill(_ context: ModelContext) throws {
    let anns = [Models.Person("Ann", 1), Models.Author("Ann", 2), Models.Person("Ann", 3), Models.Author("Ann", 4)]
    let others = [Models.Author("Ben", 5), Models.Author("Ben", 6), Models.Person(nil, 7), Models.Person(nil, 8)]
    let people = anns + others
    for person in people {
      context.insert(person)
      // The keys are in this order.
      try context.save()
    }
    for (index, person) in people.enumerated() {
      person.pets = [Models.Pet("pet \(index)")]
      person.badge = Models.Badge(index)
      let club = Models.Club("club \(index)")
      context.insert(club)
      club.members = [person, people[(index + 1) % people.count]]
      club.founders = [person]
      let note = Models.Note("note \(index)", reader: person)
      context.insert(note)
      note.author = person as? Models.Author
    }
    // A boss is a duplicate of the person, of somebody else, and nobody's.
    anns[0].boss = anns[2]
    others[0].boss = anns[3]
    others[2].boss = others[1]
    try context.save()
  }

  /// Opens the store without the constraint, or with it after a migration by a policy.
  private func open(_ policy: UniquenessPolicy? = nil, inFile: Bool = false) throws -> ModelContext {
    let schema = try Models.schema(isUnique: policy != nil)
    var options = MigrationOptions()
    if let policy { options.uniquenessPolicy = policy }
    var file = ModelConfiguration(url: store.folder.url)
    file.migration = options
    return ModelContext(
      try inFile
        ? ModelContainer(for: schema, configurations: [file])
        : ModelContainer(for: schema, configurations: [store.configuration(options: options)]))
  }
  private func dump(_ context: ModelContext) throws -> [String] {
    func list(_ names: [String]) -> String { "[\(names.sorted().joined(separator: " "))]" }
    func name(_ person: Models.Person?) -> String { person.map { "\($0.name ?? "-")\($0.age)" } ?? "nobody" }
    var lines = try context.fetch(FetchDescriptor<Models.Person>()).map { person in
      "\(name(person)): boss \(name(person.boss)) staff \(list(person.staff.map(name))) pets \(list(person.pets.map(\.name))) "
        + "badge \(person.badge.map { "\($0.number)" } ?? "-") clubs \(list(person.clubs.map(\.name))) "
        + "notes \(list((person as? Models.Author)?.notes.map(\.text) ?? []))"
    }
    lines += try context.fetch(FetchDescriptor<Models.Note>()).map {
      "\($0.text): author \(name($0.author)) reader \(name($0.reader))"
    }
    lines += try context.fetch(FetchDescriptor<Models.Club>()).map {
      "\($0.name): members \(list($0.members.map(name))) founders \(list($0.founders.map(name)))"
    }
    lines += try context.fetch(FetchDescriptor<Models.Badge>()).map { "badge \($0.number): \(name($0.owner))" }
    lines += try context.fetch(FetchDescriptor<Models.Pet>()).map(\.name)
    return lines.sorted()
  }

  @Test("The same rows stay, with the same links", arguments: [UniquenessPolicy.keepExisting, .upsert])
  func twins(_ policy: UniquenessPolicy) throws {
    for inFile in [false, true] { try Self.fill(open(inFile: inFile)) }
    let (context, file) = (try open(policy), try open(policy, inFile: true))
    let lines = try dump(context)
    #expect(try lines == dump(file))
    let people = try context.fetch(FetchDescriptor<Models.Person>(sortBy: [SortDescriptor(\.age)]))
    #expect(people.map(\.age) == (policy == .upsert ? [4, 6, 7, 8] : [1, 5, 7, 8]))
    // The store keeps the values unique from now on, and every note has a reader.
    context.insert(Models.Person("Cid", 9))
    people[0].name = "Ben"
    #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    #expect(try store.column("SELECT count(*)::text FROM \(store.schema).note WHERE reader_id IS NULL") == ["0"])
    #expect(
      try store.column(
        "SELECT count(*)::text FROM pg_constraint WHERE conrelid = '\(store.schema).person'::regclass AND contype = 'u'"
      )
        == ["1"])
  }

  @Test("History records the links and the deletions, and versions grow")
  func history() throws {
    try Self.fill(open())
    let before = try #require(
      try store.column("SELECT max(number)::text FROM \(store.schema)._store_transactions").first)
    let context = try open(.keepExisting)
    #expect(
      try store.column(
        "SELECT count(*)::text FROM \(store.schema)._store_changes WHERE transaction > \(before) AND kind = 2 AND entity IN ('Person', 'Author')"
      ) == ["4"])
    #expect(
      try store.column(
        "SELECT DISTINCT unnest(properties) FROM \(store.schema)._store_changes WHERE transaction > \(before) AND kind = 1 AND entity = 'Note' ORDER BY 1"
      ) == ["author", "reader"])
    #expect(
      try store.column("SELECT text FROM \(store.schema).note WHERE _version > 1 ORDER BY 1")
        == [1, 2, 3, 5].map { "note \($0)" })
    #expect(try context.fetchCount(FetchDescriptor<Models.Person>()) == 4)
  }

  @Test("Without duplicates only the constraint is added, and the preview tells of the merge")
  func none() throws {
    _ = try open()
    var options = MigrationOptions()
    options.uniquenessPolicy = .keepExisting
    let plan = try store.configuration(options: options).migrationPreview(for: Models.schema(isUnique: true))
    let place = try #require(plan?.statements.firstIndex { $0 == "-- rows of Person with equal name become one row" })
    #expect(plan?.statements[place + 1].contains("UNIQUE (\"name\")") == true)
    #expect(try open(.keepExisting).fetchCount(FetchDescriptor<Models.Person>()) == 0)
  }
}
