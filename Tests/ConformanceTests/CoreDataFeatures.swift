import Foundation
import SwiftData

// Every piece of Swift that the page "Core Data's features in Swift" names, as a program would write it.

enum LibrarySchemaV1: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Book.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model final class Book {
    var title: String
    init(title: String) { self.title = title }
  }
}

enum LibrarySchemaV2: VersionedSchema {
  static var models: [any PersistentModel.Type] {
    [Publication.self, Book.self, Chapter.self, Author.self, Tag.self, Picture.self, Asset.self]
  }
  static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
  static var configurations: [Schema.Configuration] { [Schema.Configuration("Texts", entities: ["Book", "Chapter"])] }
  static var fetchRequests: [Schema.FetchRequest] {
    [Schema.FetchRequest("longBooks", entity: "Book", predicate: "year > $VARIABLE")]
  }

  static func texts() -> ModelConfiguration { ModelConfiguration("Texts", schema: Schema([Book.self, Chapter.self])) }

  static func books(since year: Int) -> FetchDescriptor<Book> {
    FetchDescriptor(predicate: #Predicate { $0.year > year })
  }

  static func books(like pattern: String) throws -> FetchDescriptor<Book> {
    try FetchDescriptor(format: "title LIKE[c] $PATTERN", ["PATTERN": pattern])
  }

  @Model(isAbstract: true) class Publication {
    @Attribute(.unique) var code: String
    init(code: String) { self.code = code }
  }

  @Composite("Place") struct Place: Codable, Hashable {
    @Attribute(.length(1...40)) var city: String?
    var street: String?
  }

  struct Measures: Codable, Hashable {
    var width: Double?
    var height: Double?
  }

  @Model(originalName: "Volume") final class Book: Publication {
    #Unique<Book>([\.title, \.year])
    #Index<Book>([\.title])
    #Index<Book>(.rtree([\.latitude]))
    #Index<Book>(.named("byYear", [.descending(\.year)], where: "year > 0"))

    var title: String
    var year: Int
    var latitude: Double = 0
    var small: Int16 = 0
    var middle: Int32 = 0
    var large: Int64 = 0
    var absent: Int64?
    var price: Decimal = 1
    var weight: Float = 0
    var isLent: Bool = false
    var bought: Date?
    var cover: Data?
    var number: UUID?
    var page: URL?
    var keywords: [String] = []
    var readers: Set<UUID> = []
    var readings: [String: Date] = [:]
    var measures: Measures?
    var printedAt: Place?
    @Attribute(.ephemeral, .untyped) var x: Data?
    @Attribute(.ephemeral, .objectIdentifier) var identifier: Data?
    @Attribute(.transformable(by: "Name")) var name: Data?
    @Attribute(.transformable, .valueClass("UIColor")) var color: Data?
    @Attribute(.externalRecord) var record: String?
    @Transient var isOpen: Bool = false
    @Attribute(.ephemeral) var draft: String?
    @Attribute(.derived("chapters.@count")) var chapterCount: Int = 0
    @Attribute(.derived("chapters.@count", where: "pages > 10")) var longChapterCount: Int = 0
    @Attribute(.externalStorage) var scan: Data?
    @Attribute(.spotlight, .preserveValueOnDeletion, .allowsCloudEncryption) var summary: String?
    @Attribute(originalName: "old", hashModifier: "2") var new: String?
    @Attribute(name: "description") var text: String?
    @Attribute(.minimum(1), .maximum(99)) var rank: Int = 1
    @Attribute(.length(1...40), .matches("[A-Z].*")) var shelf: String?
    @Attribute(.rule("SELF != 'x'", message: "…")) var remark: String?
    @Attribute(.userInfo(["label": "Name"])) var label: String?

    var author: Author?
    @Relationship(.ordered, deleteRule: .cascade, minimumModelCount: 0, maximumModelCount: 50, inverse: \Chapter.book)
    var chapters: [Chapter]?
    @Relationship(.ordered) var places: [Tag]?
    @Relationship(.noInverse) var tags: [Tag]?
    @Relationship(.selfInverse) var similar: [Book]?
    @Relationship(.externalRecord) var pictures: [Picture] = []

    init(code: String, title: String, year: Int) {
      self.title = title
      self.year = year
      super.init(code: code)
    }
  }

  @Model(hashModifier: "2") final class Chapter {
    var pages: Int
    var book: Book?
    init(pages: Int) { self.pages = pages }
  }

  @Model(userInfo: ["sync": "yes"]) final class Author {
    var name: String
    @Relationship(deleteRule: .nullify, originalName: "volumes", inverse: \Book.author, hashModifier: "2")
    var books: [Book]?
    @FetchedProperty(predicate: "author == $FETCH_SOURCE") var recent: [Book]
    init(name: String) { self.name = name }
  }

  @Model(entityName: "Set") final class Tag {
    var word: String
    @Relationship(.userInfo(["role": "owner"]), .spotlight) var parent: Tag?
    @Relationship(deleteRule: .noAction) var related: Tag?
    init(word: String) { self.word = word }
  }

  @Model(className: "CDBook") final class Picture {
    var asset: Asset?
    init() {}
  }

  @Model(spotlightDisplayName: "title") final class Asset {
    var title: String
    @Relationship(deleteRule: .deny) var asset: Asset?
    @Relationship(.transient) var shown: Asset?
    init(title: String) { self.title = title }
  }
}

/// A model with an inverse that does not lead back; Core Data's editor warns of it, and its archives can contain it.
enum OneWaySchema: VersionedSchema {
  static var models: [any PersistentModel.Type] { [Picture.self, Asset.self] }
  static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }

  @Model final class Picture {
    @Relationship(.inverse(named: "asset", of: "Asset")) var asset: Asset?
    init() {}
  }

  @Model final class Asset {
    @Relationship(.noInverse) var asset: Asset?
    init() {}
  }
}

enum LibraryMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [LibrarySchemaV1.self, LibrarySchemaV2.self] }
  static var stages: [MigrationStage] {
    [
      MigrationStage.custom(
        fromVersion: LibrarySchemaV1.self, toVersion: LibrarySchemaV2.self, willMigrate: nil, didMigrate: nil)
    ]
  }
  static var lightweight: MigrationStage {
    MigrationStage.lightweight(fromVersion: LibrarySchemaV1.self, toVersion: LibrarySchemaV2.self)
  }
}
