/// The values that a deleted object leaves in the history: of its attributes marked `.preserveValueOnDeletion`.
///
///     if case .delete(let deletion as DefaultHistoryDelete<Trip>) = change {
///       let id = deletion.tombstone[\.id] as? UUID
///     }
///
/// Apple: `HistoryTombstone`.
public struct HistoryTombstone<Model: PersistentModel>: Sequence, @unchecked Sendable {  // key paths are immutable
  private let values: [(keyPath: AnyKeyPath, value: any Sendable)]

  /// Makes the tombstone of a custom store's object. Apple's type has no public initializer.
  public init(_ values: [PartialKeyPath<Model>: any Sendable] = [:]) {
    self.values = values.map { ($0.key, $0.value) }
  }

  /// - Parameter values: by the key paths of the classes that declare the attributes.
  init(_ values: [(keyPath: AnyKeyPath, value: any Sendable)]) { self.values = values }

  /// The preserved value of an attribute; `nil` if it was `nil`, or if the attribute is not preserved.
  public subscript(keyPath: PartialKeyPath<Model>) -> (any Sendable)? {
    if let known = values.first(where: { $0.keyPath == keyPath }) { return known.value }
    // The key path of an inherited attribute differs from the key path of the class that declares it.
    let model = ModelClass.of(Model.self)
    guard let property = model.property(for: keyPath) else { return nil }
    return values.first { model.property(for: $0.keyPath)?.index == property.index }?.value
  }

  /// The preserved values, by the names of their attributes if a store of Core Data's layout has made the tombstone.
  public func makeIterator() -> Iterator { Iterator(values: values.makeIterator()) }

  /// Goes through the values of a tombstone.
  public struct Iterator: IteratorProtocol {
    var values: IndexingIterator<[(keyPath: AnyKeyPath, value: any Sendable)]>

    /// The next value; `nil` after the last one.
    public mutating func next() -> Any? { values.next()?.value }
  }
}
