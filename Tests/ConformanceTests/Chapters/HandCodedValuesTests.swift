import Foundation
import SwiftData
import Testing

/// A value comes back as it was, or the save throws. It never comes back as another value.
@Suite("Values with a coding of their own", ChapterPlace.condition)
struct HandCodedValuesTests {
  typealias Board = HandCoded.Board

  private let store: ChapterStore
  private let board = Board()

  init() throws {
    store = try ChapterStore(.file, Board.self)
    store.context.insert(board)
    try store.context.save()
  }

  private func stored<Value>(_ path: KeyPath<Board, Value>) throws -> Value {
    let board = try #require(try store.freshContext().fetch(FetchDescriptor<Board>()).first)
    return board[keyPath: path]
  }

  private func expectKept<Value: Equatable>(
    _ path: ReferenceWritableKeyPath<Board, Value>, _ values: Value...,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    for value in values {
      board[keyPath: path] = value
      try store.context.save()
      #expect(try stored(path) == value, sourceLocation: sourceLocation)
    }
  }

  private func expectRefused<Value: Equatable>(
    _ path: ReferenceWritableKeyPath<Board, Value>, _ value: Value, property: String, naming part: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let before = try stored(path)
    board[keyPath: path] = value
    let error = #expect(throws: SwiftDataError.modelValidationFailure, sourceLocation: sourceLocation) {
      try store.context.save()
    }
    #expect(error?.validationProblems.map(\.propertyName) == [property], sourceLocation: sourceLocation)
    let explanation = error?.explanation ?? ""
    #expect(
      explanation.contains(part) && explanation.contains("@Attribute(.codable)"), "\(explanation)",
      sourceLocation: sourceLocation)
    #expect(try stored(path) == before, sourceLocation: sourceLocation)
    board[keyPath: path] = before
    try store.context.save()
  }

  @Test func `a member that only some values have is refused, unless the property is codable`() throws {
    try expectKept(\.shape, .circle(2), nil, .circle(0))
    try expectRefused(\.shape, .square(3), property: "shape", naming: "'side'")
    try expectKept(\.keptShape, .square(3), .circle(1), nil)
    try expectKept(\.draft, HandCoded.Draft(version: 1, note: ""), HandCoded.Draft(version: 2, note: ""), nil)
    try expectRefused(\.draft, HandCoded.Draft(version: 2, note: "n"), property: "draft", naming: "'note'")
    try expectKept(\.form, HandCoded.Form("a"), nil)
    try expectRefused(\.form, HandCoded.Form("a", others: ["color": "red"]), property: "form", naming: "'color'")
  }

  @Test func `a predicate may compare with a value that no row can hold`() throws {
    board.draft = HandCoded.Draft(version: 2, note: "")
    try store.context.save()
    let (held, other): (HandCoded.Draft?, HandCoded.Draft?) = (board.draft, HandCoded.Draft(version: 2, note: "n"))
    let context = store.freshContext()
    #expect(try context.fetchCount(FetchDescriptor<Board>(predicate: #Predicate { $0.draft == held })) == 1)
    #expect(try context.fetchCount(FetchDescriptor<Board>(predicate: #Predicate { $0.draft == other })) == 0)
  }

  @Test func `a predicate may compare with a case that no column holds`() throws {
    let (on, hidden): (HandCoded.Mode?, HandCoded.Mode?) = (.on, .hidden)
    func count(_ mode: HandCoded.Mode?) throws -> Int {
      try store.freshContext().fetchCount(FetchDescriptor<Board>(predicate: #Predicate { $0.mode == mode }))
    }
    // The row has no mode, as if each of its columns were that of another case.
    #expect(try (count(nil), count(on), count(hidden)) == (1, 0, 0))
    board.mode = on
    try store.context.save()
    #expect(try (count(nil), count(on), count(hidden)) == (0, 1, 0))
    try expectRefused(\.mode, hidden, property: "mode", naming: "its case")
  }

  @Test func `members encoded by hand in containers and encoders of their own are kept`() throws {
    try expectKept(\.items, HandCoded.Items([1, 2], label: ["a": 1]), HandCoded.Items([]), nil)
    try expectKept(\.steps, HandCoded.Steps([1, 2]), HandCoded.Steps([]), nil)
    let exact = try #require(Decimal(string: "0.12345678901234567890123"))
    let numbers = HandCoded.Measured(exact: exact, large: .max)
    try expectKept(\.measured, numbers, HandCoded.Measured(exact: -exact, large: 0), nil)
  }

  @Test func `a member may be encoded as another type that JSON reads, and computed members may be encoded`() throws {
    let full = HandCoded.Card(.green, title: "a", bytes: Data([1]), size: 2)
    let empty = HandCoded.Card(.green, title: "", bytes: Data(), size: 0)
    try expectKept(\.card, full, HandCoded.Card(.red, title: nil, bytes: nil, size: 0.5), empty, nil)
    try expectKept(\.rank, HandCoded.Rank(127), HandCoded.Rank(-128), nil)
    try expectRefused(\.rank, HandCoded.Rank(128), property: "rank", naming: "'number'")
  }

  @Test func `a value that encodes itself without keys is refused if its columns are keys`() throws {
    try expectRefused(\.bare, HandCoded.Bare(4), property: "bare", naming: "without a key")
  }

  @Test func `a member that is nil stays nil for a type that asks whether it has the member`() throws {
    try expectKept(\.memo, HandCoded.Memo(nil), HandCoded.Memo(""), HandCoded.Memo("a"), HandCoded.Memo(nil), nil)
  }

  @Test func `a missing member is missing for a type that does without it`() throws {
    let themed = HandCoded.Lenient(theme: HandCoded.Theme(name: "t"), count: 0)
    try expectKept(\.lenient, HandCoded.Lenient("a"), HandCoded.Lenient(count: 1), themed, HandCoded.Lenient())
  }

  @Test func `a composite inside a plain structure is kept`() throws {
    let first = HandCoded.Page(title: "a", margin: HandCoded.Margin(width: 2, note: "n"), other: nil)
    let second = HandCoded.Page(title: "b", margin: HandCoded.Margin(), other: HandCoded.Margin(width: 0))
    try expectKept(\.page, first, second, nil)
  }

  @Test func `a case that allCases leaves out is kept, and so is a payload that allCases does not list`() throws {
    try expectKept(\.filter, .tag("x"), .all, .tag(""))
    try expectKept(\.period, .last(days: 30), .everything, .last(days: 7), nil)
  }

  @Test func `a structure whose members are all nil is kept, also where the property has another default`() throws {
    try expectKept(\.theme, HandCoded.Theme(), HandCoded.Theme(font: "serif"), HandCoded.Theme(name: "light"))
    try expectKept(\.theme, HandCoded.Theme())
    try expectKept(\.otherTheme, HandCoded.Theme(name: "a"), nil)
    // An optional property cannot tell this structure from nil, as Core Data's composites cannot.
    board.otherTheme = HandCoded.Theme()
    try store.context.save()
    #expect(try stored(\.otherTheme) == nil)
  }
}
