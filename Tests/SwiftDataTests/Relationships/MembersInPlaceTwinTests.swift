import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// The same random changes, in place in one context and by assigning a changed copy in another one.
@Suite("To-many relationships changed in place or by assignment")
struct MembersInPlaceTwinTests {
  /// A world with two authors, and the books of both.
  private final class Side {
    let world: World
    let authors = ["A", "B"].map { Author($0) }
    var books: [Book] = []
    var words: [String] = []

    init() throws {
      world = try World()
      authors.forEach { world.context.insert($0) }
      for number in 0..<12 { books.append(Book("\(number)", author: number < 6 ? authors[number % 2] : nil)) }
      books.prefix(9).forEach { world.context.insert($0) }
      try world.context.save()
      _ = world.context.core.changeStream.addListener { [unowned self] change in
        switch change {
        case .inserted(let object): words.append("inserted \(name(object))")
        case .deleted(let object): words.append("deleted \(name(object))")
        case .willChange(let object, let property): words.append("changes \(name(object)) \(property)")
        case .linked, .replaced, .willRefresh, .rolledBack, .willSave, .saved, .merged: break
        }
      }
    }

    private func name(_ object: any PersistentModel) -> String {
      (object as? Book)?.title ?? (object as? Author)?.name ?? "?"
    }

    var picture: [String] {
      authors.map { "\($0.name): \($0.books.map(\.title)) \($0.hasChanges)" }
        + books.map { "\($0.title): \($0.author?.name ?? "-") \($0.hasChanges) \($0.modelContext == nil)" } + words
    }
  }

  @Test("Both give the same members, inverses and stream of changes", arguments: 0..<(FullTests.areWanted ? 12 : 6))
  func twins(seed: Int) throws {
    var random = SplitMix(seed: UInt64(seed))
    let (inPlace, copied) = (try Side(), try Side())
    for step in 0..<60 {
      let (owner, member, place) = (
        Int.random(in: 0...1, using: &random), Int.random(in: 0..<12, using: &random),
        Int.random(in: 0..<100, using: &random)
      )
      func change(_ list: inout [Book], _ side: Side, _ kind: Int) {
        let book = side.books[member]
        let place = list.isEmpty ? 0 : place % list.count
        switch kind {
        case 0...4: list.append(book)
        case 5: list.insert(book, at: place)
        case 6 where !list.isEmpty: list.remove(at: place)
        case 7 where !list.isEmpty: list[place] = book
        case 8: list.sort { $0.title > $1.title }
        case 9: list += [book, side.books[(member + 5) % 12]]
        case 10: list.removeAll { $0.title.count == 1 }
        case 11 where !list.isEmpty: list.swapAt(0, place)
        case 12: list.replaceSubrange(place..<list.count, with: [book, side.books[(member + 1) % 12], book])
        default: break
        }
      }
      let kind = Int.random(in: 0...18, using: &random)
      switch kind {
      case 13: for side in [inPlace, copied] { side.books[member].author = side.authors[owner] }
      case 14: for side in [inPlace, copied] { side.books[member].author = nil }
      case 15: for side in [inPlace, copied] { try side.world.context.save() }
      case 16 where place < 30: for side in [inPlace, copied] { side.world.context.rollback() }
      default:
        change(&inPlace.authors[owner].books, inPlace, kind)
        var copy = copied.authors[owner].books
        change(&copy, copied, kind)
        copied.authors[owner].books = copy
      }
      #expect(inPlace.picture == copied.picture, "seed \(seed), step \(step), kind \(kind)")
      inPlace.words = []
      copied.words = []
    }
    for side in [inPlace, copied] {
      try side.world.context.save()
      let again = try side.world.fresh.fetch(FetchDescriptor<Author>(sortBy: [SortDescriptor(\.name)]))
      #expect(again.map { Set($0.books.map(\.title)) } == side.authors.map { Set($0.books.map(\.title)) })
    }
    try inPlace.world.check()
  }
}
