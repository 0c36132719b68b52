internal import Foundation
internal import FoundationAdditions

/// How results are divided into sections: by the value at a key path.
struct Sectioning<Model: PersistentModel, Title: Hashable> {
  let keyPath: PartialKeyPath<Model>
  let title: (Model) -> Title
  /// Sorts by the title; empty if titles have no order, so that objects are grouped in memory.
  private let order: [SortDescriptor<Model>]
  /// Whether two objects with equal titles have the same value, as the order tells values apart; `nil` if they always have.
  let isSameValue: ((Model, Model) -> Bool)?

  /// Whether objects with equal titles are consecutive in the sort order.
  var isSorted: Bool { !order.isEmpty }

  private init(
    _ keyPath: PartialKeyPath<Model>, _ order: [SortDescriptor<Model>],
    isSameValue: ((Model, Model) -> Bool)? = nil, title: @escaping (Model) -> Title
  ) {
    self.keyPath = keyPath
    self.order = order
    self.isSameValue = isSameValue
    self.title = title
  }

  /// The order of sections before an order of objects.
  ///
  /// An order that begins with the titles keeps its first descriptor, and so may reverse the sections.
  func order(before own: [SortDescriptor<Model>]) -> [SortDescriptor<Model>] {
    guard let first = own.first, first.keyPath == keyPath else { return order + own }
    // Reversed, too, so that values with one title stay side by side.
    let others = order.map { descriptor in
      var descriptor = descriptor
      descriptor.order = first.order
      return descriptor
    }
    return [first] + others + own.dropFirst()
  }
}

extension Sectioning where Title == String {
  /// Sections by a string, in the order of `.localizedStandard`.
  init(_ keyPath: KeyPath<Model, String>) {
    let sendable = sendableKeyPath(keyPath)
    // Strings that compare as equal may differ; the second descriptor keeps them apart.
    self.init(keyPath, [SortDescriptor(sendable), Self.byValue(sendable)]) {
      Self.isSame($0[keyPath: keyPath], $1[keyPath: keyPath])
    } title: {
      $0[keyPath: keyPath]
    }
  }

  /// Sections by an optional string; objects without a value come first, in a section with an empty title.
  init(_ keyPath: KeyPath<Model, String?>) {
    let sendable = sendableKeyPath(keyPath)
    self.init(keyPath, [SortDescriptor(sendable), Self.byValue(sendable)]) {
      Self.isSame($0[keyPath: keyPath], $1[keyPath: keyPath])
    } title: {
      $0[keyPath: keyPath] ?? ""
    }
  }

  /// Whether strings are the same in their bytes. The order tells Unicode normal forms apart.
  private static func isSame(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right else { return (left == nil) == (right == nil) }
    return left.utf8.elementsEqual(right.utf8)
  }
}

extension Sectioning {
  /// Sections by a value of any type, in its order if it has one; otherwise in the order of their first objects.
  init(_ keyPath: KeyPath<Model, Title>) {
    func sorted<Value: Comparable>(by type: Value.Type) -> [SortDescriptor<Model>] {
      (keyPath as? KeyPath<Model, Value>).map { [Self.byValue(sendableKeyPath($0))] } ?? []
    }
    let order =
      if let type = Title.self as? any Comparable.Type { sorted(by: type) } else { [SortDescriptor<Model>]() }
    self.init(keyPath, order) { $0[keyPath: keyPath] }
  }

  private static func byValue<Value: Comparable>(
    _ keyPath: any KeyPath<Model, Value> & Sendable
  ) -> SortDescriptor<Model> { SortDescriptor(keyPath) }

  private static func byValue<Value: Comparable>(
    _ keyPath: any KeyPath<Model, Value?> & Sendable
  ) -> SortDescriptor<Model> { SortDescriptor(keyPath) }
}

/// A key path of a model class, which holds no mutable state, as `Sendable`.
func sendableKeyPath<Root, Value>(_ keyPath: KeyPath<Root, Value>) -> any KeyPath<Root, Value> & Sendable {
  unsafeBitCast(keyPath, to: (any KeyPath<Root, Value> & Sendable).self)
}
