package import Foundation

/// A property list as a tree, to be written as Core Foundation writes it.
package indirect enum PropertyListTree: Sendable {
  case integer(Int)
  case string(String)
  case data(Data)
  case array([PropertyListTree])
  /// The entries in the order in which they are added to the dictionary. They are written in ``DictionaryOrder``.
  case dictionary([(key: String, value: PropertyListTree)])
}

extension BinaryPropertyList {
  /// Puts every value after the first container that refers to it, and a dictionary's keys before its values. Equal
  /// values are written once.
  package init(_ tree: PropertyListTree) {
    var table = Table()
    let top = table.add(tree)
    self.init(objects: table.objects, top: top)
  }

  private struct Table {
    var objects: [Object] = []
    private var scalars: [Object: Int] = [:]
    /// Texts by their bytes: canonically equivalent texts are different values.
    private var texts: [[UInt8]: Int] = [:]

    mutating func add(_ tree: PropertyListTree) -> Int {
      switch tree {
      case .integer(let value): return scalar(.integer(Int128(value)))
      case .string(let value): return text(value)
      case .data(let value): return scalar(.data(value))
      case .array(let elements):
        let position = reserve()
        objects[position] = .array(elements.map { add($0) })
        return position
      case .dictionary(let entries):
        let position = reserve()
        let values = Dictionary(entries.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
        let names = DictionaryOrder.sorted(entries.map(\.key))
        let keys = names.map { text($0) }
        objects[position] = .dictionary(keys: keys, values: names.compactMap { values[$0] }.map { add($0) })
        return position
      }
    }

    private mutating func reserve() -> Int {
      objects.append(.null)
      return objects.count - 1
    }

    private mutating func text(_ value: String) -> Int {
      let bytes = Array(value.utf8)
      if let known = texts[bytes] { return known }
      objects.append(.string(value))
      texts[bytes] = objects.count - 1
      return objects.count - 1
    }

    private mutating func scalar(_ object: Object) -> Int {
      if let known = scalars[object] { return known }
      objects.append(object)
      scalars[object] = objects.count - 1
      return objects.count - 1
    }
  }
}
