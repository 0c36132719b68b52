import Foundation
import FoundationAdditions
import Testing

/// The additions without SwiftData: on values of structures.
@Suite("What Foundation on Linux lacks")
struct FoundationAdditionsTests {
  private struct Item: Equatable {
    var name: String
    var note: String?
    var size = 0
  }

  private let items = [Item(name: "b10"), Item(name: "B9", note: "Überall"), Item(name: "a1", note: "x", size: 5)]

  @Test("Strings sort as people expect, with nil first, or by the bytes if that is asked for")
  func sorting() {
    func names(_ order: SortDescriptor<Item>) -> [String] { items.sorted(using: order).map(\.name) }
    #expect(names(SortDescriptor(\.name)) == ["a1", "B9", "b10"])
    #expect(names(SortDescriptor(\.name, comparator: .localizedStandard, order: .reverse)) == ["b10", "B9", "a1"])
    #expect(names(SortDescriptor(\.name, comparator: .localized)).first == "a1")
    #expect(names(SortDescriptor(\.name, comparator: .lexical)) == ["B9", "a1", "b10"])
    #expect(names(SortDescriptor(\.note)) == ["b10", "B9", "a1"])
    #expect(names(SortDescriptor(\.size, order: .reverse)).first == "a1")
  }

  @Test("The localised comparators sort any sequence, and compare the values of key paths")
  func comparators() {
    let names = items.map(\.name)
    #expect(names.sorted(using: .localizedStandard) == ["a1", "B9", "b10"])
    #expect(names.sorted(using: String.StandardComparator.localizedStandard) == ["a1", "B9", "b10"])
    #expect(names.sorted(using: .localized).first == "a1")
    let byName = KeyPathComparator(\Item.name, comparator: .localizedStandard, order: .reverse)
    #expect(items.sorted(using: byName).map(\.name) == ["b10", "B9", "a1"])
    var reversed = String.StandardComparator.localizedStandard
    reversed.order = .reverse
    #expect(names.sorted(using: reversed) == ["b10", "B9", "a1"] && reversed != .localizedStandard)
    #expect(items.sorted(using: SortDescriptor(\.name, comparator: reversed)).map(\.name) == ["b10", "B9", "a1"])
    #expect(
      items.sorted(using: SortDescriptor(\.name, comparator: reversed, order: .forward)).map(\.name)
        == ["a1", "B9", "b10"])
  }

  @Test("A search in a predicate ignores the width of letters, on either side", arguments: ["ard", "ＡＲＤ", "Ａrd"])
  func searchedWidth(_ text: String) throws {
    for part in ["r", "Ｒ", "aRd", "ａrＤ"] {
      #expect(try #Predicate<Item> { $0.name.localizedStandardContains(part) }.evaluate(Item(name: text)), "\(part)")
    }
    #expect(try !#Predicate<Item> { $0.name.localizedStandardContains("ａｄ") }.evaluate(Item(name: text)))
  }

  @Test("Predicates compare strings without case and diacritics, and are composed")
  func predicates() throws {
    let same = ComparisonResult.orderedSame
    let contains = #Predicate<Item> { ($0.note ?? "").localizedStandardContains("uber") }
    let equals = #Predicate<Item> { $0.name.caseInsensitiveCompare("b9") == same }
    let compares = #Predicate<Item> { $0.name.localizedCompare("b10") == same }
    #expect(try items.map { try contains.evaluate($0) } == [false, true, false])
    #expect(try items.map { try equals.evaluate($0) } == [false, true, false])
    #expect(try items.map { try compares.evaluate($0) } == [true, false, false])
    let both = Predicate(all: [contains, equals])
    let either = Predicate(any: [contains, compares])
    let neither = Predicate(not: either)
    #expect(try items.map { try both.evaluate($0) } == [false, true, false])
    #expect(try items.map { try either.evaluate($0) } == [true, true, false])
    #expect(try items.map { try neither.evaluate($0) } == [false, false, true])
    #expect(try Predicate<Item>(all: []).evaluate(items[0]))
    #expect(try !Predicate<Item>(any: []).evaluate(items[0]))
    #expect("\(both.expression)".contains("&&"))
  }

  @Test("An undo manager undoes and redoes")
  func undoing() {
    final class Document { var title = "new" }
    let (manager, document) = (UndoManager(), Document())
    manager.groupsByEvent = false
    func rename(_ document: Document, _ title: String) {
      let old = document.title
      manager.registerUndo(withTarget: document) { rename($0, old) }
      document.title = title
    }
    rename(document, "other")
    manager.undo()
    #expect(document.title == "new" && manager.canRedo)
    manager.redo()
    #expect(document.title == "other" && manager.canUndo)
  }

  @Test("A value transformer is found by its name")
  func transforming() throws {
    final class Reverser: ValueTransformer {
      override func transformedValue(_ value: Any?) -> Any? { (value as? String).map { String($0.reversed()) } }
    }
    let name = NSValueTransformerName("FoundationAdditionsTests.Reverser")
    ValueTransformer.setValueTransformer(Reverser(), forName: name)
    defer { ValueTransformer.setValueTransformer(nil, forName: name) }
    #expect(ValueTransformer(forName: name)?.transformedValue("abc") as? String == "cba")
    let archiver = try #require(ValueTransformer(forName: .secureUnarchiveFromDataTransformerName))
    let data = try #require(archiver.reverseTransformedValue(["a", "b"] as NSArray) as? Data)
    #expect(archiver.transformedValue(data) as? NSArray == ["a", "b"])
  }
}
