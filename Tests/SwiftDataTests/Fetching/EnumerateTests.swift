import Foundation
import TestSupport
import Testing

@testable import SwiftData

@Suite("Enumerating objects in batches", .everyEngine)
struct EnumerateTests {
  let world: World
  private let all = FetchDescriptor<Book>(sortBy: [SortDescriptor(\.pages)])

  init() throws {
    world = try World()
    for number in 0..<40 { world.context.insert(Book("\(number)", pages: number, author: Author("\(number)"))) }
    try world.context.save()
  }

  @Test("One query reads all objects")
  func oneQuery() throws {
    guard TestEngine.current == .file else { return }
    let context = world.fresh
    let statements = try ContainerStatements(world.container)
    var seen: [Int] = []
    let queries = try statements.queries { try context.enumerate(all, batchSize: 7) { seen.append($0.pages) } }
    #expect(seen == Array(0..<40) && queries.count == 1)
  }

  @Test("Each batch is prefetched, unsaved objects included")
  func prefetching() throws {
    var descriptor = all
    descriptor.relationshipKeyPathsForPrefetching = [\.author]
    var authors: [String: PersistentIdentifier] = [:]
    for book in try world.fresh.all(Book.self) { authors[book.title] = book.author?.persistentModelID }
    var statuses: [ModelStatus?] = []
    let context = world.fresh
    for book in try context.all(Book.self) where book.pages % 4 == 0 { book.pages += 100 }
    try context.enumerate(descriptor, batchSize: 20, allowEscapingMutations: true) { book in
      // The getter of the relationship would load the author.
      let author = authors[book.title].flatMap { context.core.registeredModel(for: $0) }
      statuses.append(author?._$state.status)
    }
    #expect(statuses == Array(repeating: .clean, count: 40))
  }

  @Test("An enumeration that ignores unsaved changes evaluates stored values in memory too")
  func savedValues() throws {
    let context = world.fresh
    var descriptor = FetchDescriptor<Book>(predicate: #Predicate { $0.isThin })
    descriptor.includePendingChanges = false
    for book in try context.all(Book.self) { book.pages += 2 }
    var count = 0
    try context.enumerate(descriptor, allowEscapingMutations: true) { _ in count += 1 }
    #expect(try count == 3 && context.fetch(descriptor).count == 3)
  }

  @Test(
    "Objects that the closure changes before their turn have the changed values, saved or not",
    arguments: [false, true])
  func changedLater(isPending: Bool) throws {
    let context = world.fresh
    var seen: [String] = []
    try context.enumerate(all, batchSize: 7, allowEscapingMutations: isPending) { book in
      seen.append(book.title)
      let next = book.pages + 9
      if let later = try context.first(Book.self, where: #Predicate { $0.pages == next }) { later.title += "!" }
    }
    #expect(seen == (0..<40).map { $0 < 9 ? "\($0)" : "\($0)!" })
    #expect(context.hasChanges == isPending)
    try context.save()
    #expect(try world.fresh.all(Book.self).filter { $0.title.hasSuffix("!") }.count == 31)
    try world.check()
  }

  @Test("A merge of another context's save between two batches is not undone by rows read before it")
  func others() throws {
    let context = world.fresh
    let other = world.fresh
    var seen: [String] = []
    try context.enumerate(all, batchSize: 5) { book in
      if book.pages == 2 {
        for book in try other.all(Book.self) where book.pages > 20 { book.title += "!" }
        try other.save()
        // Merges the save.
        _ = try context.fetchCount(FetchDescriptor<Tag>())
      }
      seen.append(book.title)
    }
    #expect(seen == (0..<40).map { $0 > 20 ? "\($0)!" : "\($0)" })
  }

  @Test("An object that a fetch in the closure read newer keeps its values")
  func newerRows() throws {
    guard TestEngine.current == .file else { return }
    let context = world.fresh
    let foreign = ModelContext(try ContextLibrary.container(world.store))
    var held: [Book] = []
    try context.enumerate(all, batchSize: 5) { book in
      guard book.pages == 2 else { return }
      // A container of another process announces nothing here.
      for book in try foreign.all(Book.self) where book.pages > 20 { book.title += "!" }
      try foreign.save()
      held = try context.fetch(FetchDescriptor<Book>(predicate: #Predicate { $0.pages > 30 }))
    }
    #expect(held.count == 9 && held.allSatisfy { $0.title.hasSuffix("!") })
  }

  @Test("The closure may delete objects: before, at and after their turn", arguments: [false, true])
  func deletions(isPending: Bool) throws {
    let context = world.fresh
    var seen: [Int] = []
    try context.enumerate(all, batchSize: 6, allowEscapingMutations: isPending) { book in
      seen.append(book.pages)
      let (before, after) = (book.pages - 1, book.pages + 7)
      for number in [before, after] where book.pages % 2 == 0 {
        if let other = try context.first(Book.self, where: #Predicate { $0.pages == number }) { context.delete(other) }
      }
      if book.pages % 4 == 0 { context.delete(book) }
    }
    #expect(seen == (0..<40).filter { $0 % 2 == 0 || $0 < 7 })
    try context.save()
    let left = try world.fresh.fetch(all).map(\.pages)
    #expect(left == (0..<40).filter { $0 % 4 == 2 })
    try world.check()
  }

  @Test("The closure gets no unsaved object that it has deleted", arguments: [true, false])
  func deletedUnsaved(isSorted: Bool) throws {
    let context = world.fresh
    for number in 40..<43 { context.insert(Book("\(number)", pages: number)) }
    let descriptor = FetchDescriptor<Book>(sortBy: isSorted ? [SortDescriptor(\.pages)] : [])
    var seen: [Int] = []
    try context.enumerate(descriptor, batchSize: 15, allowEscapingMutations: true) { book in
      seen.append(book.pages)
      if book.pages == 0, let later = try context.first(Book.self, where: #Predicate { $0.pages == 41 }) {
        context.delete(later)
      }
    }
    #expect(seen.sorted() == (0..<43).filter { $0 != 41 })
  }

  @Test("The closure gets no object that its deletions delete by a cascade", arguments: [false, true])
  func cascades(isPending: Bool) throws {
    try addChapters()
    let context = world.fresh
    var seen: [String] = []
    try context.enumerate(chapters, batchSize: 7, allowEscapingMutations: isPending) { chapter in
      seen.append(chapter.heading)
      if let book = chapter.book { context.delete(book) }
    }
    #expect(seen == (0..<10).map { "\($0).0" })
    try context.save()
    #expect(try world.fresh.fetchCount(chapters) == 0 && world.fresh.fetchCount(all) == 30)
    try world.check()
  }

  @Test("The closure gets no object that its deletion by a predicate deletes by a cascade", arguments: [false, true])
  func cascadesOfPredicates(isPending: Bool) throws {
    try addChapters()
    let context = world.fresh
    var seen: [String] = []
    try context.enumerate(chapters, batchSize: 7, allowEscapingMutations: isPending) { chapter in
      seen.append(chapter.heading)
      if chapter.heading == "0.1" { try context.delete(model: Book.self, where: #Predicate { $0.pages < 5 }) }
    }
    #expect(seen == ["0.0", "0.1"] + (5..<10).flatMap { book in (0..<3).map { "\(book).\($0)" } })
    try context.save()
    #expect(try world.fresh.fetchCount(chapters) == 15 && world.fresh.fetchCount(all) == 35)
    try world.check()
  }

  private let chapters = FetchDescriptor<Chapter>(sortBy: [SortDescriptor(\.heading)])

  /// Gives ten books three chapters each.
  private func addChapters() throws {
    for book in try world.context.all(Book.self) where book.pages < 10 {
      book.chapters = (0..<3).map { Chapter("\(book.pages).\($0)") }
    }
    try world.context.save()
  }

  @Test("Changes of the closure do not change the set that memory selects", arguments: [false, true])
  func setOfMemory(isPending: Bool) throws {
    let context = world.fresh
    var seen: [String] = []
    let thin = FetchDescriptor<Book>(predicate: #Predicate { $0.isThin }, sortBy: [SortDescriptor(\.pages)])
    try context.enumerate(thin, batchSize: 1, allowEscapingMutations: isPending) { book in
      seen.append(book.title)
      guard book.title == "0" else { return }
      try context.first(Book.self, where: #Predicate { $0.title == "2" })?.pages = 50
      try context.first(Book.self, where: #Predicate { $0.title == "9" })?.pages = 1
    }
    #expect(seen == ["0", "1", "2"])
    #expect(context.hasChanges == isPending)
  }

  @Test("Changes of the closure do not change the order in which unsaved objects are merged", arguments: [nil, 30])
  func orderOfUnsaved(limit: Int?) throws {
    let context = world.fresh
    let (early, late) = (Book("early", pages: 5), Book("late", pages: 25))
    for book in [early, late] { context.insert(book) }
    try context.first(Book.self, where: #Predicate { $0.title == "3" })?.pages = 8
    var descriptor = all
    descriptor.fetchLimit = limit
    let expected = try context.fetch(descriptor).map(\.title)
    var seen: [String] = []
    try context.enumerate(descriptor, batchSize: 4, allowEscapingMutations: true) { book in
      seen.append(book.title)
      if book.title == "0" { (early.pages, late.pages) = (90, 0) }
      book.pages = -book.pages
    }
    #expect(seen == expected && seen.contains("early") && seen.contains("late"))
  }

  @Test("An error of the closure ends the enumeration; earlier batches stay saved")
  func errors() throws {
    struct Enough: Error {}
    let context = world.fresh
    #expect(throws: Enough.self) {
      try context.enumerate(all, batchSize: 10) { book in
        if book.pages == 25 { throw Enough() }
        book.title = "changed"
      }
    }
    #expect(context.hasChanges)
    context.rollback()
    #expect(try world.fresh.all(Book.self).filter { $0.title == "changed" }.count == 20)
    #expect(try context.fetchCount(all) == 40)
  }
}

extension Book {
  /// A value that only memory can compute.
  fileprivate var isThin: Bool { pages < 3 }
}

@Suite("Memory and time of enumerating")
struct EnumerateCostTests {
  @Model final class Row {
    var number: Int
    var text: String

    init(_ number: Int) {
      self.number = number
      text = "row \(number)"
    }
  }

  /// 1,000,000 in the full run.
  private static let count = FullTests.areWanted ? 1_000_000 : 20_000

  @Test("Enumerating many rows takes constant memory")
  func memory() throws {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Row.self]), store)
    let count = Self.count
    let step = min(count, 50_000)
    for start in stride(from: 0, to: count, by: step) {
      let context = ModelContext(container)
      for number in start..<start + step { context.insert(Row(number)) }
      try context.save()
    }
    let clock = ContinuousClock()
    let context = ModelContext(container)
    var (sum, peak) = (0, 0)
    let enumerating = try clock.measure {
      try context.enumerate(FetchDescriptor<Row>()) { row in
        sum += 1
        if row.number % 999 == 0 { peak = max(peak, context.core.identityMap.count) }
      }
    }
    #expect(sum == count)
    let fetching = try clock.measure {
      let rows = try ModelContext(container).fetch(FetchDescriptor<Row>())
      #expect(rows.count == count)
    }
    print("\(count) rows: enumerated in \(enumerating), at most \(peak) at once, fetched in \(fetching)")
    #expect(peak <= 5_000, "one batch")
  }

  /// The megabytes by which the memory of this process grows while it enumerates what follows the first rows.
  private static func growth(_ url: URL) throws -> Int {
    let container = try ModelContainer(for: Row.self, configurations: ModelConfiguration(url: url))
    let context = ModelContext(container)
    var (sum, start, peak) = (0, 0, 0)
    try context.enumerate(FetchDescriptor<Row>()) { _ in
      sum += 1
      // Pages of the cache and the pools of the allocator are full by then.
      if sum == 100_000 { start = ProcessMemory.resident }
      if sum % 4999 == 0, sum > 100_000 { peak = max(peak, ProcessMemory.resident) }
    }
    return (peak - start) >> 20
  }

  @Test(
    "The memory of a process that enumerates 1,000,000 rows of a file does not grow",
    .enabled(if: FullTests.areWanted, "\(FullTests.explanation)"), .startsProcesses)
  func processMemory() async throws {
    let store = try TemporaryStore()
    let container = try ModelContainer(for: Row.self, configurations: ModelConfiguration(url: store.url))
    for start in stride(from: 0, to: 1_000_000, by: 50_000) {
      let context = ModelContext(container)
      for number in start..<start + 50_000 { context.insert(Row(number)) }
      try context.save()
    }
    // The memory of this process is that of all tests that run now.
    await #expect(processExitsWith: .success) { [path = store.url.path as String] in
      TestProcess.run {
        let growth = try EnumerateCostTests.growth(URL(fileURLWithPath: path))
        #expect(growth < 32, "megabytes; all objects take hundreds")
      }
    }
  }
}
