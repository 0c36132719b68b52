import Foundation
import TestSupport
import Testing

@testable import SwiftData

/// Cases whose labels have columns, and cases that keep one column since labels would not tell them.
@Suite("Labels of payloads as columns") struct EnumerationLabelTests {
  struct Point: Codable, Equatable {
    var x: Int
    var y: Int
  }

  enum Mark: Codable, Equatable {
    case nothing
    case at(point: Point, note: String?)
    case list(items: [Int])
    /// Without a value that is always there.
    case perhaps(a: Int?, b: String?)
    /// Equal labels.
    case left(width: Double)
    case right(width: Double)
    /// Labels that are names of other cases.
    case odd(nothing: String)
    case other(list: Int)
    /// The label is the case's name.
    case same(same: Int)
    case wrapped(wrapped: [Int])
    case mixed(Int, unit: String)
  }

  @Model final class Sheet {
    var name: String
    /// Has the name of a label.
    var note: String
    var mark: Mark?
    init(_ name: String, _ mark: Mark?) { (self.name, note, self.mark) = (name, "n", mark) }
  }

  static let marks: [Mark] = [
    .nothing, .at(point: Point(x: 1, y: 2), note: nil), .at(point: Point(x: 0, y: 0), note: "a"), .list(items: []),
    .perhaps(a: nil, b: nil), .perhaps(a: 1, b: nil), .left(width: 1), .right(width: 1), .odd(nothing: "nothing"),
    .other(list: 3), .same(same: 4), .wrapped(wrapped: [5]), .mixed(6, unit: "m"),
  ]

  @Test("CD-5 A case has a column per label unless that would not tell the case")
  func columns() throws {
    let cases = try #require(EnumerationCase.all(of: Mark.self))
    #expect(
      cases.map { $0.columns.map(\.name).joined(separator: " ") } == [
        "nothing", "point note", "items", "perhaps", "left", "right", "odd", "other", "same", "wrapped", "mixed",
      ])
  }

  @Test("No value of any case is lost, beside a property with the name of a label", .everyEngine)
  func roundTrip() throws {
    let store = try TemporaryStore()
    let container = try TestEngine.current.container(Schema([Sheet.self]), store)
    let context = ModelContext(container)
    for (index, mark) in Self.marks.enumerated() { context.insert(Sheet("\(index + 100)", mark)) }
    context.insert(Sheet("999", nil))
    try context.save()
    let reading = ModelContext(container)
    let sheets = try reading.fetch(FetchDescriptor<Sheet>(sortBy: [SortDescriptor(\.name)]))
    #expect(sheets.map(\.mark) == Self.marks + [nil])
    #expect(sheets.allSatisfy { $0.note == "n" })
    for mark in [Mark.nothing, .left(width: 1), .right(width: 1), .odd(nothing: "nothing"), .other(list: 3)] {
      let found = FetchDescriptor<Sheet>(predicate: #Predicate { $0.mark == mark })
      #expect(try reading.fetch(found).map(\.mark) == [mark])
    }
    #expect(try reading.fetchCount(FetchDescriptor<Sheet>(predicate: #Predicate { $0.mark == nil })) == 1)
  }
}
