import Foundation
import SwiftData
import Testing

/// `@Attribute` says how one property is stored.
@Suite("Attribute options")
struct AttributeOptionsTests {
  @Model
  final class Member {
    @Attribute(.unique) var email: String
    var name: String
    @Attribute(.ephemeral) var isOnline: Bool
    @Attribute(.externalStorage) var portrait: Data?
    @Attribute(originalName: "user_name") var nickname: String
    @Attribute(.spotlight) var displayName: String
    // A name of the first betas.
    @Attribute(.encrypt) var secret: String?
    @Transient var isSelected: Bool = false
    @Transient var greeting: String { "Hello \(name)" }

    init(email: String, name: String, nickname: String = "") {
      self.email = email
      self.name = name
      self.nickname = nickname
      self.displayName = name
      self.isOnline = false
    }
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `a second object with a unique value updates the first`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Member.self)
    store.context.insert(Member(email: "ada@example.org", name: "Ada"))
    try store.context.save()
    store.context.insert(Member(email: "ada@example.org", name: "Ada Lovelace", nickname: "countess"))
    try store.context.save()

    let members = try store.freshContext().fetch(FetchDescriptor<Member>())
    #expect(members.map(\.name) == ["Ada Lovelace"])
    #expect(members.map(\.nickname) == ["countess"])
  }

  @Test(arguments: ChapterPlace.ownStores)
  func `two unsaved objects with one unique value become one`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Member.self)
    store.context.insert(Member(email: "a@example.org", name: "First"))
    store.context.insert(Member(email: "a@example.org", name: "Second"))
    try store.context.save()
    #expect(try store.freshContext().fetch(FetchDescriptor<Member>()).map(\.name) == ["Second"])
  }

  @Test(arguments: ChapterPlace.allCases)
  func `ephemeral and transient properties are not stored`(_ place: ChapterPlace) throws {
    let store = try ChapterStore(place, Member.self)
    let member = Member(email: "a@example.org", name: "Ada")
    member.isOnline = true
    member.isSelected = true
    store.context.insert(member)
    try store.context.save()

    let read = try #require(try store.freshContext().fetch(FetchDescriptor<Member>()).first)
    #expect(!read.isOnline)
    #expect(!read.isSelected)
    #expect(read.greeting == "Hello Ada")
    let names = try #require(store.container.schema.entity(for: Member.self)).attributesByName
    #expect(names["isSelected"] == nil)
    #expect(names["greeting"] == nil)
  }

  @Test(arguments: [10, 200_000])
  func `external storage keeps small and big data`(_ count: Int) throws {
    let store = try ChapterStore(.file, Member.self)
    let portrait = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
    let member = Member(email: "a@example.org", name: "Ada")
    member.portrait = portrait
    store.context.insert(member)
    try store.context.save()
    #expect(try ModelContext(store.reopened()).fetch(FetchDescriptor<Member>()).map(\.portrait) == [portrait])
  }

  @Test func `the schema tells the options`() throws {
    let attributes = try #require(Schema([Member.self]).entitiesByName["Member"]).attributesByName
    #expect(attributes["email"]?.isUnique == true)
    #expect(attributes["portrait"]?.options.contains(.externalStorage) == true)
    #expect(attributes["displayName"]?.options.contains(.spotlight) == true)
    #expect(attributes["secret"]?.options.contains(.allowsCloudEncryption) == true)
    #expect(attributes["nickname"]?.originalName == "user_name")
  }
}
