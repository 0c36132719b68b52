import PostgreSQLTestSupport
import SwiftData
import SwiftDataPostgreSQL
import TestSupport
import Testing

/// Properties with the names that the statements of a migration use for themselves.
@Suite("Columns with short names in a migration", TestServer.condition)
struct JoinTableColumnTests {
  enum One: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
    static var models: [any PersistentModel.Type] { [Post.self, Tag.self] }

    @Model final class Post {
      var a: Int
      var b: Int = 900
      @Relationship(inverse: \Tag.post) var tags: [Tag] = []
      init(_ a: Int) { self.a = a }
    }

    @Model final class Tag {
      var a: Int
      var b: Int = 900
      var post: Post?
      init(_ a: Int) { self.a = a }
    }
  }

  enum Two: VersionedSchema {
    static var versionIdentifier: Schema.Version { Schema.Version(2, 0, 0) }
    static var models: [any PersistentModel.Type] { [Post.self, Tag.self] }

    @Model final class Post {
      var a: Int
      var b: Int = 900
      @Relationship(inverse: \Tag.posts) var tags: [Tag] = []
      init(_ a: Int) { self.a = a }
    }

    @Model final class Tag {
      var a: Int
      var b: Int = 900
      @Relationship(originalName: "post") var posts: [Post] = []
      init(_ a: Int) { self.a = a }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [One.self, Two.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: One.self, toVersion: Two.self)] }
  }

  @Test("A relationship that becomes many-to-many keeps its members, whatever the columns are called")
  func members() throws {
    let store = try TravelStore()
    let context = ModelContext(try store.open(One.self))
    for number in 0..<3 {
      let post = One.Post(100 + number)
      context.insert(post)
      post.tags = (0..<number).map { One.Tag(1000 + 10 * number + $0) }
    }
    try context.save()
    let migrated = ModelContext(try store.open(Two.self, plan: Plan.self))
    let posts = try migrated.fetch(FetchDescriptor<Two.Post>(sortBy: [SortDescriptor(\.a)]))
    #expect(posts.map { $0.tags.map(\.a).sorted() } == [[], [1010], [1020, 1021]])
  }
}
