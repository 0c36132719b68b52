import Foundation
import SwiftData

/// A model class with the features of Core Data's models that Apple's SwiftData lacks.
enum Vocabulary {
  @Composite("PlaceType") struct Place: Codable, Hashable {
    @Attribute(.length(1...5), .userInfo(["unit": "name"])) var city: String
    @Attribute(hashModifier: "2") var latitude: Double?
    var inner: Inner?
  }

  @Composite struct Inner: Codable, Hashable {
    var code: Int16?
  }

  @Model(
    className: "CDShelf", spotlightDisplayName: "name", userInfo: ["sync": "yes", "priority": 3, "tags": ["a", true]])
  final class Shelf {
    #Index<Shelf>(
      .named("byName", [.descending(\.name), .ascending(\.room)], where: "room > 2"),
      .named("bySelf", [.expression("self")]), .binary([\.name]))

    @Attribute(.length(1...8), .matches("[A-Z].*"), .userInfo(["label": "Name"])) var name: String
    @Attribute(.minimum(1), .maximum(99)) var room: Int
    @Attribute(.minimum(0.5)) var width: Double?
    @Attribute(.minimum(Decimal(1)), .maximum(Decimal(2))) var price: Decimal = 1
    @Attribute(.minimum(Date(timeIntervalSinceReferenceDate: 0))) var built: Date?
    @Attribute(.rule("SELF CONTAINS '@'", message: "needs an @")) var contact: String?
    @Attribute(.derived("books.@count", where: "pages > 3")) var longBooks: Int = 0
    @Attribute(.ephemeral, .untyped) var scratch: Data?
    var place: Place?
    @Relationship(.userInfo(["role": "owner"]), .spotlight, inverse: \Volume.shelf) var books: [Volume]?

    @FetchedProperty(
      predicate: "pages > $FETCH_SOURCE.room AND title BEGINSWITH[c] 'a'", sortBy: [.descending("pages")], limit: 2,
      userInfo: ["k": "v"])
    var long: [Volume]
    @FetchedProperty(predicate: "shelf == $FETCH_SOURCE", isOptional: false) var own: [Volume]
    @FetchedProperty var all: [Volume]

    init(name: String, room: Int) {
      self.name = name
      self.room = room
    }
  }

  @Model final class Volume {
    var title: String
    var pages: Int
    var shelf: Shelf?

    init(title: String, pages: Int, shelf: Shelf? = nil) {
      self.title = title
      self.pages = pages
      self.shelf = shelf
    }
  }

  enum Version: VersionedSchema {
    static var models: [any PersistentModel.Type] { [Shelf.self, Volume.self] }
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var fetchRequests: [Schema.FetchRequest] {
      [
        Schema.FetchRequest(
          "thick", entity: "Volume", predicate: "pages > $PAGES", sortBy: [.ascending("title")], limit: 3)
      ]
    }
    static var configurations: [Schema.Configuration] {
      [Schema.Configuration("Books", entities: ["Volume"], usesCloudKit: true)]
    }
  }
}
