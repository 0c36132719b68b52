import Foundation

extension Tutorial {
  /// The table of the tutorials. One of the documents shows its code in pictures only.
  static let all = [
    Tutorial(
      number: "000", lostClass: "Task",
      lostText: [
        "661 TaskMigrationPlan": [("FetchDescriptor()", "FetchDescriptor<TaskSchemaV3.Task>()")],
        "864 fetchThisWeekSocialEvents": [
          ("FetchDescriptor(", "FetchDescriptor<SocialEvent>("), ("#Predicate {", "#Predicate<SocialEvent> {"),
        ],
        "1070 DataService": [
          ("func fetch(", "func fetch<T: PersistentModel>("),
          ("descriptor: FetchDescriptor", "descriptor: FetchDescriptor<T>"),
        ],
        "1230 TaskModelTests": [
          (
            "let subtasks = try context.fetch(FetchDescriptor()",
            "let subtasks = try context.fetch(FetchDescriptor<Subtask>()"
          )
        ],
      ],
      world: """
        struct TaskDTO: Codable, Sendable {
          var title: String
          var isCompleted: Bool
        }
        """
          + globals([
            "context": "ModelContext", "mainContext": "ModelContext", "container": "ModelContainer",
            "descriptor": "FetchDescriptor<Task>", "newTask": "Task", "task": "Task",
          ]),
      count: 43,
      refused: [
        "1031 extension Article": ("invalid redeclaration of 'schemaMetadata'", "every model class has this member"),
        "1070 DataService": ("main actor-isolated property 'mainContext'", mainContext),
        "1136 MockTaskRepository": ("'NSError'", "Foundation on Linux has no NSError without a domain"),
        "1230 TaskModelTests": ("main actor-isolated property 'mainContext'", mainContext),
        "1435 statements 1": ("has no member 'detached'", "the tutorial's own class Task hides Swift's"),
      ]),
    Tutorial(
      number: "001", lostClass: nil,
      lostText: [
        "575 ArticleMigrationPlan": [("FetchDescriptor()", "FetchDescriptor<SchemaV3.Article>()")],
        "798 processChanges": [("HistoryDescriptor()", "HistoryDescriptor<DefaultHistoryTransaction>()")],
        "829 statements 1": [("#Predicate { author", "#Predicate<Author> { author")],
      ],
      world: """
        @Model final class Article {
          var title: String
          var content: String
          var publishedDate: Date
          var viewCount = 0
          var isDraft = true
          var tags: [Tag] = []
          var author: Author?
          init(title: String, content: String, publishedDate: Date = .now) {
            self.title = title
            self.content = content
            self.publishedDate = publishedDate
          }
        }
        @Model final class Author {
          var name: String
          @Relationship(deleteRule: .cascade, inverse: \\Article.author) var articles: [Article] = []
          init(name: String) { self.name = name }
        }
        @Model final class Tag {
          var name: String
          @Relationship(inverse: \\Article.tags) var articles: [Article] = []
          init(name: String) { self.name = name }
        }
        @Model final class UserSettings { init() {} }
        @Model final class CacheEntry { init() {} }
        @Model final class Order {
          enum Status: String, Codable { case open, completed }
          var status = Status.open
          var completedAt: Date?
          init() {}
        }
        struct ArticleDTO: Sendable {
          var title: String
          var content: String
        }
        """
          + globals([
            "modelContext": "ModelContext", "container": "ModelContainer", "articles": "[Article]", "page": "Int",
          ])
          + "\nvar descriptor: FetchDescriptor<Article> { get { fatalError() } set {} }\n",
      count: 41,
      refused: [
        "198 @Query articles": ("cannot infer key path type", noRoot),
        "198 @Query articles 2": ("cannot infer key path type", noRoot),
        "198 @Query topArticles": ("cannot infer key path type", noRoot),
        "675 statements 1": ("cannot pass array", variadic), "721 statements 1": ("cannot pass array", variadic),
        "883 Article": ("@Model requires an initializer", noInitializer),
        "977 ArticleTests": ("cannot pass array", variadic),
        "938 statements 1": ("Predicate body may only contain one expression", "the macro of Foundation refuses it"),
      ]),
    Tutorial(
      number: "003",
      world: """
        @Model final class Item {
          var name: String
          var timestamp: Date
          var isCompleted = false
          var priority = 0
          init(name: String, timestamp: Date) {
            self.name = name
            self.timestamp = timestamp
          }
        }
        typealias Task = _Concurrency.Task
        enum ItemSchemaV1: VersionedSchema {
          static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
          static var models: [any PersistentModel.Type] { [Item.self] }
        }
        enum ItemSchemaV2: VersionedSchema {
          static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
          static var models: [any PersistentModel.Type] { [Item.self] }
        }
        """ + globals(["modelContext": "ModelContext", "modelContainer": "ModelContainer", "item": "Item"]),
      count: 18,
      refused: [
        "43 Product": ("@Model requires an initializer", noInitializer),
        "74 Category": ("@Model requires an initializer", noInitializer),
        "74 Item": ("@Model requires an initializer", noInitializer),
        "95 Student": ("@Model requires an initializer", noInitializer),
        "95 Course": ("@Model requires an initializer", noInitializer),
        "111 Post": ("@Model requires an initializer", noInitializer),
        "111 Comment": ("@Model requires an initializer", noInitializer),
        "231 ItemSchemaV1": ("@Model requires an initializer", noInitializer),
        "231 ItemSchemaV2": ("@Model requires an initializer", noInitializer),
        "147 @Query recentItems": (
          "addingTimeInterval(_:) function is not supported", "the macro of Foundation refuses it"
        ),
      ]),
    Tutorial(
      number: "004",
      world: """
        @Model final class Post {
          var id = ""
          var message: String
          var timestamp = Date.now
          init(message: String) { self.message = message }
        }
        @Model final class Attachment {
          var post: Post?
          init() {}
        }
        @Model final class User { init() {} }
        @Model final class MobiusEntity2 {
          init(timestamp: Date) {}
        }
        @Model final class MobiusEntity3 {
          init(timestamp: Date) {}
        }
        """ + globals(["newContext": "ModelContext", "container": "ModelContainer"]),
      count: 6,
      refused: [
        "39 Post": ("has no initializers", noInitializer), "54 Post": ("@Model requires an initializer", noInitializer),
        "72 Post": ("@Model requires an initializer", noInitializer),
        "88 Post": ("@Model requires an initializer", noInitializer),
        "102 Post": ("@Model requires an initializer", noInitializer),
        "314 Post": ("@Model requires an initializer", noInitializer),
        "297 statements 1": ("extraneous '}'", "the end of a class"),
      ]),
  ]

  private static let noInitializer = "a class without an initializer: Apple's macro refuses it with the same words"
  private static let mainContext = "the main context belongs to the main actor, on Apple's systems as well"
  private static let noRoot = "the arguments of a macro are checked without the property, on Apple's systems as well"
  private static let variadic = "classes and an array of configurations: neither framework has such an initializer"

  private static func globals(_ types: [String: String]) -> String {
    types.map { "\nvar \($0.key): \($0.value) { fatalError() }" }.sorted().joined()
  }
}
