internal import Foundation
internal import FoundationAdditions

/// How results are divided into sections: by the value at a key path.
struct Sectioning<Model: PersistentModel, Title: Hashable> {
  let keyPath: PartialKeyPath<Model>
  let title: (Model) -> Title
  /// Sorts by the title; empty if titles have no order, so that objects are grouped in memory.
  private let order: [SortDescriptor<Model>]

  /// Whether objects with equal titles are consecutive in the sort order.
  var isSorted: Bool { !order.isEmpty }

  private init(
    _ keyPath: PartialKeyPath<Model>, _ order: [SortDescriptor<Model>], title: @escaping (Model) -> Title
  ) {
    self.keyPath = keyPath
    self.order = order
    self.title = title
  }

  /// The order of sections before an order of objects.
  ///
  /// An order that begins with the titles keeps its first descriptor, and so may reverse the sections.
  func order(before own: [SortDescriptor<Model>]) -> [SortDescriptor<Model>] {
    guard let first = own.first, first.keyPath == keyPath else { return order + own }
    return [first] + order + own.dropFirst()
  }
}

extension Sectioning where Title == String {
  /// Sections by a string, in the order of `.localizedStandard`.
  init(_ keyPath: KeyPath<Model, String>) {
    let sendable = sendableKeyPath(keyPath)
    // Strings that compare as equal may differ; the second descriptor keeps them apart.
    self.init(keyPath, [SortDescriptor(sendable), Self.byValue(sendable)]) { $0[keyPath: keyPath] }
  }

  /// Sections by an optional string; objects without a value come first, in a section with an empty title.
  init(_ keyPath: KeyPath<Model, String?>) {
    let sendable = sendableKeyPath(keyPath)
    self.init(keyPath, [SortDescriptor(sendable), Self.byValue(sendable)]) { $0[keyPath: keyPath] ?? "" }
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
