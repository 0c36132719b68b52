import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Unsaved objects that leave their context", .everyEngine)
struct GivenLinksTests {
  typealias Post = GraphModels.Post
  typealias Comment = GraphModels.Comment
  typealias Topic = GraphModels.Topic

  let store: TemporaryStore
  let container: ModelContainer

  init() throws {
    store = try TemporaryStore()
    container = try TestEngine.current.container(Schema(GraphModels.types), store)
  }

  /// How the program relates a new post and a new comment, and how they leave the context.
  enum Assigned: CaseIterable { case members, owner }
  enum Leaving: CaseIterable { case rollback, deletion, release }

  private func graph(_ assigned: Assigned) -> (Post, Comment) {
    let (post, comment) = (Post("p"), Comment("c"))
    switch assigned {
    case .members: post.comments = [comment]
    case .owner: comment.post = post
    }
    return (post, comment)
  }

  private func leave(_ leaving: Leaving, _ post: Post, _ comment: Comment, assigning: () -> Void) {
    let context = ModelContext(container)
    context.insert(post)
    context.insert(comment)
    assigning()
    #expect(post.comments == [comment] && comment.post === post)
    switch leaving {
    case .rollback: context.rollback()
    case .deletion:
      context.delete(comment)
      context.delete(post)
    case .release: break
    }
  }

  @Test("They do not keep each other alive", arguments: Assigned.allCases, Leaving.allCases)
  func leaks(assigned: Assigned, leaving: Leaving) {
    for isLater in [false, true] {
      weak var former: Post?
      weak var member: Comment?
      do {
        let (post, comment) = isLater ? (Post("p"), Comment("c")) : graph(assigned)
        (former, member) = (post, comment)
        leave(leaving, post, comment) {
          guard isLater else { return }
          if assigned == .members { post.comments = [comment] } else { comment.post = post }
        }
      }
      #expect(former == nil && member == nil, "assigned after the insertion: \(isLater)")
    }
  }

  @Test("They keep the links that the program assigned, and may be inserted again", arguments: Assigned.allCases)
  func insertedAgain(assigned: Assigned) throws {
    let (post, comment) = graph(assigned)
    leave(.release, post, comment) {}
    #expect(post.modelContext == nil && comment.modelContext == nil)
    #expect(assigned == .members ? post.comments == [comment] && comment.post == nil : comment.post === post)
    if assigned == .owner { #expect(post.comments.isEmpty) }
    let context = ModelContext(container)
    if assigned == .members { context.insert(post) } else { context.insert(comment) }
    #expect(post.comments == [comment] && comment.post === post)
    try context.save()
    #expect(try ModelContext(container).all(Comment.self).map { $0.post?.title } == ["p"])
  }

  @Test("Links of both sides that the program made stay")
  func ownCycle() {
    let (post, comment) = (Post("p"), Comment("c"))
    post.comments = [comment]
    comment.post = post
    leave(.rollback, post, comment) {}
    #expect(post.comments == [comment] && comment.post === post)
    comment.post = nil
  }

  @Test("Links of many to many")
  func manyToMany() {
    weak var former: Topic?
    do {
      let (post, topic) = (Post("p"), Topic("t"))
      former = topic
      post.topics = [topic]
      let context = ModelContext(container)
      context.insert(post)
      #expect(topic.posts == [post])
      context.rollback()
      #expect(post.topics == [topic] && topic.posts.isEmpty)
    }
    #expect(former == nil)
  }

  @Test("A saved object's unsaved links are released with its context")
  func pendingDeletion() throws {
    let context = ModelContext(container)
    context.insert(Post("p"))
    try context.save()
    weak var former: Comment?
    do {
      let context = ModelContext(container)
      let post = try #require(try context.all(Post.self).first)
      let comment = Comment("c")
      former = comment
      post.comments.append(comment)
      context.delete(post)
      context.processPendingChanges()
    }
    #expect(former == nil)
  }
}
