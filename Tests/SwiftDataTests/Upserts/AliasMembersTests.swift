import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Upserts: members that a save has merged into others")
struct AliasMembersTests {
  @Model final class Post {
    var title: String
    @Relationship(inverse: \Word.posts) var words: [Word] = []

    init(_ title: String) { self.title = title }
  }

  @Model final class Word {
    @Attribute(.unique) var text: String
    var posts: [Post] = []

    init(_ text: String) { self.text = text }
  }

  @Test("A merged object whose original is a member already is not linked again", arguments: [true, false])
  func addedAgain(isInPlace: Bool) throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Post.self, Word.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let (post, word, other) = (Post("P"), Word("same"), Word("other"))
    context.insert(post)
    post.words = [word, other]
    try context.save()
    let alias = Word("same")
    context.insert(alias)
    try context.save()
    #expect(word.posts == [post] && Set(post.words) == [word, other])
    if isInPlace { post.words.append(alias) } else { post.words = post.words + [alias] }
    #expect(word.posts == [post] && other.posts == [post])
    #expect(post.words.count == 2 && Set(post.words) == [word, other])
    try context.save()
    let saved = try #require(try ModelContext(container).fetch(FetchDescriptor<Post>()).first)
    #expect(saved.words.map(\.text).sorted() == ["other", "same"])
    try Oracle.expectSound(store.url)
    withExtendedLifetime(alias) {}
  }

  @Test func `A merged object takes the place of its original in an assigned list`() throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(
      for: Post.self, Word.self, configurations: ModelConfiguration(url: store.url))
    let context = ModelContext(container)
    let (post, word, other) = (Post("P"), Word("same"), Word("other"))
    context.insert(post)
    post.words = [word]
    try context.save()
    let alias = Word("same")
    context.insert(alias)
    try context.save()
    #expect(word.posts == [post])
    post.words = [alias, other]
    #expect(word.posts == [post] && other.posts == [post])
    #expect(post.words == [word, other])
    try context.save()
    let saved = try #require(try ModelContext(container).fetch(FetchDescriptor<Post>()).first)
    #expect(saved.words.map(\.text).sorted() == ["other", "same"])
    withExtendedLifetime(alias) {}
  }
}
