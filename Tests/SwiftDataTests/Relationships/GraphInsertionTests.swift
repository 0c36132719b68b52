import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Comments that enter a context through their post, and classes that no container knows.
enum GraphModels {
  @Model final class Post {
    var title: String
    @Relationship(deleteRule: .cascade, inverse: \Comment.post) var comments: [Comment] = []
    @Relationship(inverse: \Topic.posts) var topics: [Topic] = []
    init(_ title: String) { self.title = title }
  }

  @Model final class Comment {
    var text: String
    var post: Post?

    init(_ text: String) { self.text = text }

    init(text: String, thenPost post: Post) {
      self.text = text
      self.post = post
    }

    init(post: Post, thenText text: String) {
      self.post = post
      self.text = text
    }
  }

  @Model final class Topic {
    var word: String
    var posts: [Post] = []
    init(_ word: String) { self.word = word }
  }

  @Model class Media {
    var name: String
    init(_ name: String) { self.name = name }
  }

  /// A subclass that lacks `@Model`.
  final class Video: Media {}

  @Model final class Stranger {
    var name: String
    init(_ name: String) { self.name = name }
  }

  @Model final class Owner {
    var name: String
    /// Has no inverse.
    var required: Media
    /// Has no inverse.
    var optional: Media?
    init(_ name: String, _ required: Media) {
      self.name = name
      self.required = required
    }
  }

  static let types: [any PersistentModel.Type] = [Post.self, Comment.self, Topic.self, Media.self, Owner.self]
}

@Suite("Graphs that enter and leave a context", .everyEngine)
struct GraphInsertionTests {
  typealias Post = GraphModels.Post
  typealias Comment = GraphModels.Comment
  typealias Topic = GraphModels.Topic
  typealias Media = GraphModels.Media
  typealias Video = GraphModels.Video
  typealias Stranger = GraphModels.Stranger
  typealias Owner = GraphModels.Owner

  let store: TemporaryStore
  let container: ModelContainer
  let context: ModelContext

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(GraphModels.types), store)
    context = ModelContext(container)
  }

  private var fresh: ModelContext { ModelContext(container) }

  private func check() throws {
    guard Fixtures.areAvailable, TestEngine.current == .file else { return }
    try Oracle.expectSound(store.url, fresh: true)
  }

  // MARK: Insertion through a relationship

  @Test("Assigning a context's post to a new comment inserts the comment, and the post shows it at once")
  func toOne() throws {
    let post = Post("p")
    context.insert(post)
    try context.save()
    let comment = Comment("c")
    comment.post = post
    #expect(comment.modelContext === context && comment._$state.status == .inserted)
    #expect(post.comments == [comment] && context.insertedModelsArray.count == 1)
    try context.save()
    #expect(try fresh.all(Post.self).first?.comments.map(\.text) == ["c"])
    try check()
  }

  @Test("Assigning members of a context to a new object inserts that object")
  func toMany() throws {
    let post = Post("p")
    context.insert(post)
    try context.save()
    let topic = Topic("t")
    topic.posts = [post]
    #expect(topic.modelContext === context && post.topics == [topic])
    try context.save()
    #expect(try fresh.all(Post.self).first?.topics.map(\.word) == ["t"])
    try check()
  }

  @Test("An initializer that assigns a context's post inserts its object, whatever the order of assignments")
  func initializers() throws {
    let post = Post("p")
    context.insert(post)
    let comments = [Comment(text: "a", thenPost: post), Comment(post: post, thenText: "b")]
    #expect(comments.allSatisfy { $0.modelContext === context } && post.comments == comments)
    try context.save()
    #expect(try fresh.all(Comment.self).map(\.text).sorted() == ["a", "b"])
    #expect(try fresh.all(Post.self).first?.comments.count == 2)
    try check()
  }

  @Test("Detached objects stay detached with links to each other, or without an inverse")
  func detached() throws {
    let post = Post("p")
    let comment = Comment("c")
    comment.post = post
    #expect(comment.modelContext == nil && post.modelContext == nil)
    let media = Media("m")
    context.insert(media)
    let owner = Owner("o", media)
    #expect(owner.modelContext == nil)
  }

  @Test("An insertion brings the objects that were related to the inserted one before, from either side")
  func referrers() throws {
    let post = Post("p")
    let comments = [Comment(text: "a", thenPost: post), Comment("b")]
    comments[1].post = post
    let topics = [Topic("t"), Topic("u")]
    topics[0].posts.append(post)
    topics[1].posts = [post]
    context.insert(topics[0])
    #expect(comments.allSatisfy { $0.modelContext === context } && topics[1].modelContext === context)
    #expect(post.comments == comments && post.topics == topics)
    try context.save()
    let saved = try #require(fresh.all(Post.self).first)
    #expect(saved.comments.map(\.text).sorted() == ["a", "b"] && saved.topics.map(\.word).sorted() == ["t", "u"])
    try check()
  }

  @Test("An object that no longer leads to the inserted one, or has no inverse, stays out")
  func formerReferrers() throws {
    let (post, other) = (Post("p"), Post("q"))
    let comment = Comment(text: "c", thenPost: post)
    comment.post = other
    let topic = Topic("t")
    topic.posts = [post]
    topic.posts = []
    for number in 0..<100 { _ = Comment(text: "\(number)", thenPost: post) }
    let media = Media("m")
    let owner = Owner("o", media)
    context.insert(post)
    context.insert(media)
    #expect(comment.modelContext == nil && topic.modelContext == nil && owner.modelContext == nil)
    #expect(post.comments.isEmpty && post.topics.isEmpty)
    context.insert(other)
    #expect(other.comments == [comment])
    try context.save()
    try check()
  }

  @Test("A member assigned twice counts once", arguments: [true, false])
  func duplicates(isInserted: Bool) throws {
    let post = Post("p")
    if isInserted { context.insert(post) }
    let comments = [Comment("a"), Comment("b")]
    post.comments = [comments[0], comments[1], comments[0], comments[0]]
    if !isInserted { context.insert(post) }
    #expect(post.comments == comments)
    post.comments.append(comments[1])
    #expect(post.comments == comments)
    try context.save()
    #expect(post.comments == comments)
    #expect(try fresh.all(Post.self).first?.comments.count == 2)
    try check()
  }

  // MARK: Refused objects

  private func message(of context: ModelContext) -> String {
    let error = #expect(throws: SwiftDataError.self) { try context.save() }
    return error?.explanation ?? ""
  }

  @Test("An object of a class outside the schema fails the save, which names the class and the remedy")
  func unknownClass() throws {
    context.insert(Stranger("s"))
    context.insert(Post("p"))
    #expect(context.hasChanges)
    let message = message(of: context)
    #expect(message.contains("Stranger") && message.contains("ModelContainer(for:)"))
    #expect(try fresh.fetchCount(FetchDescriptor<Post>()) == 0)
    context.rollback()
    #expect(!context.hasChanges)
    context.insert(Post("again"))
    try context.save()
    #expect(try fresh.fetchCount(FetchDescriptor<Post>()) == 1)
  }

  @Test("An object of a subclass without @Model fails the save, which says what to write")
  func unmarkedSubclass() throws {
    context.insert(Video("v"))
    let message = message(of: context)
    #expect(message.contains("Video") && message.contains("Media") && message.contains("@Model"))
  }

  @Test("An object of another context fails the save, which names it")
  func otherContext() throws {
    let post = Post("p")
    let other = fresh
    other.insert(post)
    try other.save()
    context.insert(post)
    let message = message(of: context)
    #expect(message.contains("another context") && message.contains("model(for:)"))
    #expect(post.modelContext === other)
  }

  @Test("An unsaved object of another context fails each use here, which says to save it there")
  func unsavedInOtherContext() throws {
    let other = fresh
    let post = Post("p")
    other.insert(post)
    let uses: [(ModelContext) -> Void] = [
      { $0.insert(post) }, { $0.delete(post) },
      {
        let comment = Comment("c")
        $0.insert(comment)
        comment.post = post
      },
    ]
    for use in uses {
      let context = fresh
      use(context)
      #expect(message(of: context).contains("another context, which has not saved it: save it there"))
    }
    try other.save()
    #expect(try fresh.fetchCount(FetchDescriptor<Post>()) == 1)
  }

  @Test("A refused insertion or deletion fails each save until it is taken back, as the error says")
  func takenBack() throws {
    let other = fresh
    let post = Post("p")
    other.insert(post)
    let own = Post("own")
    context.insert(own)
    context.insert(post)
    for _ in 0..<2 {
      #expect(message(of: context).contains("until delete(_:) of this object, or rollback(), takes the insertion back"))
    }
    context.delete(post)
    try context.save()
    context.delete(post)
    for _ in 0..<2 { #expect(message(of: context).contains("until rollback() takes the deletion back")) }
    own.title = "changed"
    context.rollback()
    try context.save()
    #expect(try fresh.all(Post.self).map(\.title) == ["own"])
    #expect(post.modelContext === other)
  }

  @Test("A refused object that left its context is inserted by a second call")
  func insertedAgain() throws {
    let other = fresh
    let post = Post("p")
    other.insert(post)
    context.insert(post)
    other.rollback()
    context.insert(post)
    try context.save()
    #expect(post.modelContext === context)

    let deleted = try #require(try other.all(Post.self).first)
    let third = fresh
    third.insert(deleted)
    other.delete(deleted)
    try other.save()
    third.insert(deleted)
    try third.save()
    #expect(try fresh.all(Post.self).map(\.title) == ["p"])
  }

  @Test("An object of another container's store is refused: make a new one", arguments: [true, false])
  func otherContainer(isSaved: Bool) throws {
    let elsewhere = try TemporaryStore()
    let other = ModelContext(try TestEngine.current.container(Schema(GraphModels.types), elsewhere))
    let post = Post("p")
    other.insert(post)
    if isSaved { try other.save() }
    context.insert(post)
    #expect(message(of: context).contains("belongs to another container: make a new object"))
    #expect(post.modelContext === other)
  }

  // MARK: Deletion

  @Test("Deleting unsaved objects follows a cycle of cascades once")
  func unsavedCycle() throws {
    let world = try ShapeWorld()
    let rings = ["a", "b", "c"].map(ShapeModels.Ring.init)
    rings.forEach { world.context.insert($0) }
    for index in rings.indices { rings[index].next = rings[(index + 1) % 3] }
    world.context.delete(rings[0])
    #expect(rings.allSatisfy { $0.modelContext == nil } && !world.context.hasChanges)
  }

  @Test("Deleting a long unsaved chain of cascades needs no deep stack")
  func unsavedChain() throws {
    let world = try ShapeWorld()
    let rings = (0..<20_000).map { ShapeModels.Ring("\($0)") }
    rings.forEach { world.context.insert($0) }
    for index in rings.indices.dropLast() { rings[index].next = rings[index + 1] }
    world.context.delete(rings[0])
    #expect(rings.allSatisfy { $0.modelContext == nil } && !world.context.hasChanges)
  }

  @Test("The children of a deleted parent are no longer fetched")
  func childrenOfDeleted() throws {
    let post = Post("p")
    post.comments = [Comment("a"), Comment("b")]
    context.insert(post)
    context.insert(Post("other"))
    try context.save()
    for fetch in 0..<4 {
      context.delete(post)
      switch fetch {
      case 0: #expect(try context.fetch(FetchDescriptor<Comment>()).isEmpty)
      case 1: #expect(try context.fetchCount(FetchDescriptor<Comment>()) == 0)
      case 2: #expect(try context.fetchIdentifiers(FetchDescriptor<Comment>()).isEmpty)
      default:
        try context.enumerate(FetchDescriptor<Comment>(), allowEscapingMutations: true) { _ in
          Issue.record("a child of a deleted parent was enumerated")
        }
      }
      #expect(context.deletedModelsArray.count == 3)
      context.rollback()
    }
  }

  @Test("A required relationship to an object that the same save deletes is refused by name", arguments: [true, false])
  func requiredToDeleted(isSaved: Bool) throws {
    let media = Media("m")
    context.insert(media)
    if isSaved { try context.save() }
    context.insert(Owner("o", media))
    context.delete(media)
    let error = #expect(throws: SwiftDataError.modelValidationFailure) { try context.save() }
    let problem = try #require(error?.validationProblems.first)
    #expect(problem.entityName == "Owner" && problem.propertyName == "required" && problem.rule == .count)
    #expect(try fresh.fetchCount(FetchDescriptor<Owner>()) == 0)
  }

  @Test("An optional relationship to an object that the same save deletes is saved as nil", arguments: [true, false])
  func optionalToDeleted(isSaved: Bool) throws {
    let (media, kept) = (Media("m"), Media("kept"))
    context.insert(media)
    context.insert(kept)
    if isSaved { try context.save() }
    let owner = Owner("o", kept)
    owner.optional = media
    context.insert(owner)
    context.delete(media)
    try context.save()
    #expect(owner.optional == nil)
    #expect(try #require(fresh.all(Owner.self).first).optional == nil)
    try check()
  }
}
