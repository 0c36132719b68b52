import Foundation
import SwiftData

/// People with difficult values for predicates: nil everywhere, odd strings and numbers, subclasses.
enum PredicateWorld {
  enum Mood: String, Codable, CaseIterable { case calm, angry, sad }
  enum Level: Int, Codable, CaseIterable { case low = -1, middle = 5, high = 10 }
  enum Kind: Codable, CaseIterable { case plain, fancy, odd }
  struct Address: Codable, Equatable, Hashable {
    var street: String
    var zip: Int
    var country: String?
  }

  @Model class Person {
    // Over PostgreSQL, an index decides about the form in which a string is compared.
    #Index<Person>([\.name], [\.age, \.nick])

    var number: Int = 0
    var name: String = ""
    var nick: String?
    var age: Int = 0
    var score: Double = 0
    var ratio: Double?
    var rating: Float = 0
    var isActive: Bool = false
    var flag: Bool?
    var born: Date = Date(timeIntervalSinceReferenceDate: 0)
    var died: Date?
    var token: UUID = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
    var ref: UUID?
    var site: URL?
    var price: Decimal = 0
    var blob: Data?
    var mood: Mood = PredicateWorld.Mood.calm
    var level: Level?
    var kind: Kind = PredicateWorld.Kind.plain
    var home: Address = PredicateWorld.Address(street: "", zip: 0, country: nil)
    var tags: [String] = []
    var boss: Person?
    @Relationship(inverse: \Person.boss) var reports: [Person] = []
    var team: Team?
    /// Leads to a subentity, whose table has rows of entities to which it must not lead.
    var mentor: Employee?
    @Relationship(inverse: \Club.members) var clubs: [Club] = []

    init(number: Int) { self.number = number }

    var shoutedName: String { name + "!" }
  }

  @Model final class Employee: Person {
    var salary: Int?
    var title: String = ""
    @Relationship(inverse: \Person.mentor) var mentees: [Person] = []
    @Relationship(inverse: \Club.staff) var workplaces: [Club] = []

    override init(number: Int) { super.init(number: number) }
  }

  @Model final class Team {
    var name: String = ""
    var rank: Int?
    @Relationship(inverse: \Person.team) var members: [Person] = []

    init(name: String) { self.name = name }
  }

  @Model final class Club {
    var name: String = ""
    var fee: Double?
    var members: [Person] = []
    var staff: [Employee] = []

    init(name: String) { self.name = name }
  }

  static let names = [
    "", "a", "A", "ab", "\u{C9}mile", "E\u{301}mile", "emile", "stra\u{DF}e", "STRASSE", "\u{130}stanbul", "istanbul",
    "10", "9", "z", "\u{1F1E7}\u{1F1EC}", "na\u{EF}ve", "naive", "%", "_", "'\"\\", "Zo\u{EB}", "b\u{0}c",
    // Equal texts in other normal forms, marks in either order, lookalike characters, and their neighbours.
    "nai\u{308}ve", "q\u{307}\u{323}", "q\u{323}\u{307}", "q\u{307}", "\u{1E69}", "s\u{307}\u{323}", "\u{1E61}\u{323}",
    "\u{D55C}", "\u{1112}\u{1161}\u{11AB}", "\u{D558}\u{11AB}", "\u{D558}", "K", "\u{212A}", ";", "\u{37E}", "f",
    "\u{C5}", "A\u{30A}", "\u{212B}", "Az", "E\u{341}mile", "\u{1F468}\u{200D}\u{1F680}", "\u{1F468}", "\u{301}", "e",
    "\u{F900}", "\u{8C48}", "\u{8C49}", "e\u{301}", "e\u{301}\u{308}", "e\u{308}\u{301}", "\u{FF21}b",
  ].map(PredicateStore.storable)
  static let scores: [Double] = [0, 0.25, 1.5, -2.25, .infinity, -.infinity, 1e300, 0.1, -7]
  static let ages = [0, 1, -1, 7, 42, -40, 100, 3]
}
