/// A property list's table in the order of Apple's writer: a container, its keys, then each value with what it holds.
///
/// Equal scalars stand once. References into an archive are an exception that readers do not notice: each reference takes
/// a place, but containers name the first of equal references.
struct SharingTable {
  private(set) var objects: [BinaryPropertyList.Object] = []
  private var firsts: [SharingKey: Int] = [:]

  @discardableResult
  mutating func add(_ object: BinaryPropertyList.Object) -> Int {
    let key = SharingKey(object)
    guard let known = firsts[key] else {
      objects.append(object)
      firsts[key] = objects.count - 1
      return objects.count - 1
    }
    if case .uid = object { objects.append(object) }
    return known
  }

  mutating func array<Item>(_ items: [Item], _ element: (inout SharingTable, Item) -> Int) -> Int {
    let position = reserve()
    var elements: [Int] = []
    elements.reserveCapacity(items.count)
    for item in items { elements.append(element(&self, item)) }
    objects[position] = .array(elements)
    return position
  }

  @discardableResult
  mutating func dictionary(_ names: [String], _ value: (inout SharingTable, String) -> Int) -> Int {
    let position = reserve()
    let keys = names.map { add(.string($0)) }
    var values: [Int] = []
    values.reserveCapacity(names.count)
    for name in names { values.append(value(&self, name)) }
    objects[position] = .dictionary(keys: keys, values: values)
    return position
  }

  private mutating func reserve() -> Int {
    objects.append(.null)
    return objects.count - 1
  }
}

/// The identity of a scalar: its bits, because text is written as it is spelled, and negative zero as such.
enum SharingKey: Hashable {
  case text([UInt8])
  case real(UInt64)
  case date(UInt64)
  case other(BinaryPropertyList.Object)

  init(_ object: BinaryPropertyList.Object) {
    self =
      switch object {
      case .string(let text): .text(Array(text.utf8))
      case .real(let number): .real(number.bitPattern)
      case .date(let seconds): .date(seconds.bitPattern)
      default: .other(object)
      }
  }
}
