import Foundation
import Observation
import Synchronization
import TestSupport
import Testing

@testable import SwiftData

@Suite("To-many relationships changed in place")
struct MembersInPlaceTests {
  let world: World
  let author = Author("A")

  init() throws {
    world = try World()
    world.context.insert(author)
    author.books = (0..<4).map { Book("\($0)") }
    try world.context.save()
  }

  private var titles: [String] { author.books.map(\.title) }

  @Test("Members that come and go have their inverses at once, and are saved")
  func inverses() throws {
    let (old, new) = (author.books, Book("new"))
    author.books.append(new)
    #expect(new.author === author && new.modelContext === world.context && author.hasChanges)
    author.books.remove(at: 1)
    #expect(old[1].author == nil)
    author.books.insert(old[1], at: 0)
    #expect(old[1].author === author)
    author.books += [Book("newer"), Book("newest")]
    #expect(author.books.allSatisfy { $0.author === author })
    #expect(titles == ["1", "0", "2", "3", "new", "newer", "newest"])
    author.books[2] = old[2]
    author.books.swapAt(0, 6)
    author.books.removeLast(2)
    #expect(titles == ["newest", "0", "2", "3", "new"] && old[1].author == nil)
    try world.context.save()
    let again = try #require(try world.fresh.first(Author.self, where: #Predicate { $0.name == "A" }))
    #expect(Set(again.books.map(\.title)) == Set(titles))
    author.books.removeAll()
    #expect(old.allSatisfy { $0.author == nil })
    try world.check()
  }

  @Test("Appending does not copy the array")
  func noCopy() throws {
    author.books.append(Book("first"))
    author.books.reserveCapacity(100)
    let address = author.books.withUnsafeBufferPointer { $0.baseAddress }
    for number in 0..<50 { author.books.append(Book("\(number)")) }
    author.books.remove(at: 7)
    author.books.insert(Book("x"), at: 7)
    #expect(author.books.withUnsafeBufferPointer { $0.baseAddress } == address)
    #expect(author.books.count == 55 && author.books.allSatisfy { $0.author === author })
  }

  @Test("Reads during a change see the members before it")
  func readsDuringChange() throws {
    var seen: [[String]] = []
    author.books.append(Book("4"))
    let before = titles
    author.books.removeAll { book in
      seen.append(titles)
      return book.title != "2"
    }
    #expect(seen == Array(repeating: before, count: 5) && titles == ["2"])
    author.books += ["c", "b", "a"].map { Book($0) }
    author.books.sort { left, right in
      #expect(author.books.count == 4 && left.author === author)
      return left.title < right.title
    }
    #expect(titles == ["2", "a", "b", "c"])
  }

  @Test("A change that throws keeps what it did until then")
  func throwing() throws {
    struct Stop: Error {}
    func replace(_ books: inout [Book]) throws {
      books.removeFirst(2)
      books.append(Book("new"))
      throw Stop()
    }
    for round in 0..<2 {
      let gone = author.books.prefix(2)
      #expect(throws: Stop.self) { try replace(&author.books) }
      #expect(titles == (round == 0 ? ["2", "3", "new"] : ["new", "new"]))
      #expect(gone.allSatisfy { $0.author == nil } && author.books.allSatisfy { $0.author === author })
    }
    try world.context.save()
    try world.check()
  }

  @Test("A change within a change: the outer one comes last, as if it assigned its copy")
  func nested() throws {
    for _ in 0..<2 {
      author.books = (0..<4).map { Book("\($0)") }
      let lost = Book("lost")
      author.books.removeAll { book in
        if book.title == "1" { author.books.append(lost) }
        return book.title == "0"
      }
      #expect(titles == ["1", "2", "3"] && lost.author == nil)
      author.books.append(Book("4"))
      author.books.removeAll { book in
        if book.title == "1" { author.books = [lost] }
        return book.title == "3"
      }
      #expect(titles == ["1", "2", "4"] && lost.author == nil && author.books.allSatisfy { $0.author === author })
    }
  }

  @Test("Objects may be deleted, saved and rolled back during a change")
  func contextDuringChange() throws {
    author.books.append(Book("4"))
    author.books.removeAll { book in
      if book.title < "2" { world.context.delete(book) }
      return book.title < "2"
    }
    try world.context.save()
    #expect(titles == ["2", "3", "4"])
    #expect(try world.context.fetchCount(FetchDescriptor<Book>()) == 3)
    try author.books.removeAll { book in
      try world.context.save()
      return book.title == "2"
    }
    #expect(titles == ["3", "4"])
    author.books.append(Book("5"))
    let unlinked = author.books.last
    author.books.removeAll { book in
      if book.title == "5" { world.context.rollback() }
      return book.title == "3"
    }
    // The list was assigned after the rollback.
    #expect(Set(titles) == ["4", "5"] && unlinked?.author === author)
    world.context.rollback()
    #expect(Set(titles) == ["2", "3", "4"])
    try world.context.save()
    try world.check()
  }

  @Test("A rollback restores the members")
  func rollback() throws {
    for _ in 0..<3 {
      let gone = author.books[0]
      author.books.removeFirst()
      author.books.append(Book("new"))
      author.books.append(Book("newer"))
      world.context.rollback()
      #expect(Set(titles) == ["0", "1", "2", "3"] && gone.author === author && !world.context.hasChanges)
    }
  }

  @Test("A member that is appended again is counted once", arguments: [4, 30])
  func repetitions(count: Int) throws {
    for number in 4..<count { author.books.append(Book("\(number)")) }
    let known = author.books[1]
    let expected = titles
    author.books.append(known)
    #expect(titles == expected)
    author.books.insert(known, at: 0)
    #expect(author.books.count == expected.count)
    let new = Book("new")
    author.books += [new, new]
    #expect(author.books.count == expected.count + 1 && new.author === author)
    author.books.append(Book("last"))
    #expect(author.books.count == expected.count + 2)
  }

  @Test("Observers hear of each change once, before it is seen")
  func observers() throws {
    _ = author.books
    for round in 0..<3 {
      let told = Mutex<[Int]>([])
      nonisolated(unsafe) let author = author
      withObservationTracking {
        _ = author.books
      } onChange: {
        let count = author.books.count
        told.withLock { $0.append(count) }
      }
      author.books.append(Book("new"))
      #expect(told.withLock { $0 } == [4 + round])
    }
    let told = Mutex(0)
    withObservationTracking {
      author.books.append(Book("x"))
    } onChange: {
      told.withLock { $0 += 1 }
    }
    author.books.removeLast()
    #expect(told.withLock { $0 } == 1, "a change in place reads, too")
  }

  @Test("The members of an object in no context; a new member takes it into its context")
  func detached() throws {
    let detached = Author("D")
    for number in 0..<20 { detached.books.append(Book("\(number)")) }
    detached.books.append(detached.books[0])
    detached.books.removeFirst(4)
    #expect(detached.books.count == 17 && detached.modelContext == nil)
    let known = Book("known")
    world.context.insert(known)
    detached.books.append(known)
    #expect(detached.modelContext === world.context && known.author === detached)
    #expect(detached.books.allSatisfy { $0.author === detached } && Set(detached.books).count == detached.books.count)
    try world.context.save()
    try world.check()
  }

  @Test("Many to many: both sides are changed in place")
  func manyToMany() throws {
    let tags = (0..<20).map { Tag("\($0)") }
    for tag in tags { for book in author.books { tag.books.append(book) } }
    #expect(author.books.allSatisfy { $0.tags == tags })
    for book in author.books { book.tags.removeAll { $0.word.count == 2 } }
    #expect(tags.map(\.books.count) == Array(repeating: 4, count: 10) + Array(repeating: 0, count: 10))
    try world.context.save()
    #expect(try world.fresh.all(Book.self).allSatisfy { $0.tags.count == 10 })
    try world.check()
  }

  @Test("An array of values is changed like any other value")
  func values() throws {
    let object = InPlaceValues()
    object.places.append(.init(x: 1))
    object.words.append("a")
    object.places[0].x = 2
    #expect(object.places == [.init(x: 2)] && object.words == ["a"])
  }
}

/// Arrays that are no relationships.
@Model final class InPlaceValues {
  struct Place: Codable, Equatable { var x: Int }
  var places: [Place] = []
  var words: [String] = []
  init() {}
}
