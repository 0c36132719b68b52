import Foundation
import SwiftData
import Testing

/// A model may be the subclass of a model: a fetch of the base finds the objects of all subclasses.
@Suite("Inheritance", ChapterPlace.condition)
struct InheritanceTests {
  @Model
  class Gathering {
    #Index<Gathering>([\.date], [\.title, \.date])
    @Attribute(.preserveValueOnDeletion) var title: String
    var date: Date
    var location: String
    @Relationship(deleteRule: .cascade, inverse: \Ticket.gathering) var tickets: [Ticket] = []

    init(title: String, date: Date, location: String = "") {
      self.title = title
      self.date = date
      self.location = location
    }
  }

  @available(iOS 26, *)
  @Model
  final class Party: Gathering {
    var guests: [String]
    var dress: String
    init(title: String, date: Date, guests: [String], dress: String = "Casual") {
      self.guests = guests
      self.dress = dress
      super.init(title: title, date: date)
    }
  }

  @available(iOS 26, *)
  @Model
  final class Meeting: Gathering {
    enum Reason: String, Codable { case review, planning }
    var organizer: String
    var isRequired: Bool
    var link: String?
    var reason: Reason
    init(title: String, date: Date, organizer: String, isRequired: Bool = false, reason: Reason = .review) {
      self.organizer = organizer
      self.isRequired = isRequired
      self.reason = reason
      super.init(title: title, date: date)
    }
  }

  @Model
  final class Ticket {
    var gathering: Gathering?
    init() {}
  }

  private func filled(_ place: ChapterPlace) throws -> ChapterStore {
    let store = try ChapterStore(place, Gathering.self, Party.self, Meeting.self)
    store.context.insert(Gathering(title: "Fair", date: .january(4), location: "Square"))
    store.context.insert(Party(title: "Birthday", date: .january(2), guests: ["Ali", "Bea"]))
    store.context.insert(Meeting(title: "Budget", date: .january(3), organizer: "Cem", isRequired: true))
    store.context.insert(Meeting(title: "Plans", date: .january(9), organizer: "Cem", reason: .planning))
    try store.context.save()
    return store
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a fetch of the base gives objects of every class`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    let all = try context.fetch(FetchDescriptor<Gathering>(sortBy: [SortDescriptor(\.date)]))
    let kinds = all.map { gathering in
      if let party = gathering as? Party {
        "\(party.guests.count) guests"
      } else if let meeting = gathering as? Meeting {
        meeting.isRequired ? "required" : "optional"
      } else {
        gathering.location
      }
    }
    #expect(kinds == ["2 guests", "required", "Square", "optional"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a fetch of a subclass gives its objects only`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    let required = FetchDescriptor<Meeting>(
      predicate: #Predicate { $0.isRequired }, sortBy: [SortDescriptor(\Meeting.date)])
    #expect(try context.fetch(required).map(\.title) == ["Budget"])

    let (now, week) = (Date.january(1), Date.january(8))
    let soon = FetchDescriptor<Party>(
      predicate: #Predicate { $0.date >= now && $0.date <= week }, sortBy: [SortDescriptor(\.date)])
    #expect(try context.fetch(soon).map(\.guests) == [["Ali", "Bea"]])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `a predicate of the base asks for a class and its properties`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let context = store.freshContext()
    let parties = #Predicate<Gathering> { $0 is Party }
    #expect(try context.fetch(FetchDescriptor(predicate: parties)).map(\.title) == ["Birthday"])

    let reason = Meeting.Reason.planning
    let planning = #Predicate<Gathering> { gathering in
      if let meeting = gathering as? Meeting {
        meeting.reason == reason
      } else {
        false
      }
    }
    #expect(try context.fetch(FetchDescriptor(predicate: planning)).map(\.title) == ["Plans"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `subclasses have the relationships and delete rules of the base`(_ place: ChapterPlace) throws {
    let store = try filled(place)
    let party = try #require(try store.context.fetch(FetchDescriptor<Party>()).first)
    party.tickets = [Ticket(), Ticket()]
    try store.context.save()
    let ticket = try #require(try store.freshContext().fetch(FetchDescriptor<Ticket>()).first)
    #expect(ticket.gathering is Party)
    store.context.delete(party)
    try store.context.save()
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Ticket>()) == 0)
  }

  // Some samples say that the base alone brings all subclasses: a program cannot list the subclasses of a class, so those that no
  // relationship leads to are named as well, as Apple's own sample names them.
  @Test func `a subclass brings its base`() throws {
    let container = try ModelContainer(for: Party.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    #expect(container.schema.entitiesByName.keys.sorted() == ["Gathering", "Party", "Ticket"])
    #expect(container.schema.entitiesByName["Party"]?.superentityName == "Gathering")
  }

  @Test func `a subclass that the container lacks is refused by name`() throws {
    let store = try ChapterStore(.memory, Gathering.self)
    store.context.insert(Party(title: "Birthday", date: .january(1), guests: []))
    #expect(throws: SwiftDataError.unknownSchema) { try store.context.save() }
    #expect(try store.freshContext().fetchCount(FetchDescriptor<Gathering>()) == 0)
  }
}
