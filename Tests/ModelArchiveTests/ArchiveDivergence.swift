import Foundation
import PropertyLists

@testable import ModelArchive

/// What is the first thing in which our archive of a model is not, byte for byte, the real one.
enum ArchiveDivergence: String, CustomStringConvertible {
  /// An object has other keys or values; ``ExplainedDifference`` says why.
  case contents
  /// A text is one object here and two there: models that were merged, or made by a program, hold copies.
  case copiedTexts
  /// Members of a set come in the order in which a program put them in.
  case orderInSet
  /// Entries of a dictionary come in an order that is not known.
  case orderInDictionary
  /// Only names of classes differ: in a simulator, each is an object of its own.
  case classNames
  /// Only the outermost dictionary, or how numbers are shared, differs: an archiver of before 2018.
  case olderArchiver

  var description: String { rawValue }

  /// `nil` for equal bytes.
  init?(_ real: Data, _ ours: Data) throws {
    if real == ours { return nil }
    let lists = try (BinaryPropertyList(real), BinaryPropertyList(ours))
    let (left, right) = (Objects(lists.0), Objects(lists.1))
    for number in 0..<min(left.positions.count, right.positions.count) {
      let pair = (left.row(number), right.row(number))
      if pair.0 == pair.1 { continue }
      self = Self.kind(pair.0, pair.1)
      return
    }
    let first = zip(lists.0.objects, lists.1.objects).first { $0 != $1 && !($0.isContainer && $1.isContainer) }
    if left.topKeys == right.topKeys, case .string? = first?.0 { self = .classNames } else { self = .olderArchiver }
  }

  private static func kind(_ left: Objects.Row, _ right: Objects.Row) -> ArchiveDivergence {
    guard left.name == right.name, left.fields.count == right.fields.count else { return .contents }
    if left.fields.map(\.key) != right.fields.map(\.key) {
      return Set(left.fields.map(\.key)) == Set(right.fields.map(\.key)) ? .orderInDictionary : .contents
    }
    for (one, other) in zip(left.fields, right.fields) where one.items != other.items {
      let kinds = (one.items.map(\.what), other.items.map(\.what))
      if kinds.0 == kinds.1 {
        if left.name.hasSuffix("Set") { return .orderInSet }
        return one.items.contains { $0.isText } ? .copiedTexts : .contents
      }
      if kinds.0.sorted() == kinds.1.sorted() { return left.name.hasSuffix("Set") ? .orderInSet : .orderInDictionary }
      return .contents
    }
    return .contents
  }
}

/// An archive's objects by number. References forward have no number here: what stands between would show in all of them.
private struct Objects {
  struct Row: Equatable {
    var name = ""
    var fields: [Field] = []
  }

  struct Field: Equatable {
    let key: String
    let items: [Item]
  }

  struct Item: Equatable {
    let what: String
    let isText: Bool
    let number: Int?
  }

  let list: BinaryPropertyList
  private(set) var positions: [Int] = []
  private(set) var topKeys: [String] = []

  init(_ list: BinaryPropertyList) {
    self.list = list
    for (key, value) in entries(list.top) {
      topKeys.append(key)
      if key == "$objects", case .array(let items) = list.objects[value] { positions = items }
    }
  }

  func row(_ number: Int) -> Row {
    let position = positions[number]
    let fields = entries(position).map { key, value in
      if case .array(let items) = list.objects[value] {
        return Field(key: key, items: items.map { item(at: $0, in: number) })
      }
      return Field(key: key, items: [item(at: value, in: number)])
    }
    return Row(name: name(position), fields: fields)
  }

  private func item(at position: Int, in number: Int) -> Item {
    guard case .uid(let uid) = list.objects[position] else {
      return Item(what: "\(list.objects[position])", isText: false, number: nil)
    }
    let target = positions[uid]
    if case .string = list.objects[target] {
      return Item(what: name(target), isText: true, number: uid < number ? uid : nil)
    }
    return Item(what: name(target), isText: false, number: uid < number ? uid : nil)
  }

  /// The class of an object, or the value.
  private func name(_ position: Int) -> String {
    guard case .dictionary = list.objects[position] else { return "\(list.objects[position])" }
    for (key, value) in entries(position) {
      if key == "$class", case .uid(let uid) = list.objects[value] { return name(positions[uid]) }
      if key == "$classname", case .string(let text) = list.objects[value] { return text }
    }
    return "?"
  }

  private func entries(_ position: Int) -> [(String, Int)] {
    guard case .dictionary(let keys, let values) = list.objects[position] else { return [] }
    return zip(keys, values).map { key, value in
      if case .string(let text) = list.objects[key] { return (text, value) }
      return ("?", value)
    }
  }
}

extension BinaryPropertyList.Object {
  fileprivate var isContainer: Bool {
    switch self {
    case .array, .set, .dictionary: true
    default: false
    }
  }
}
