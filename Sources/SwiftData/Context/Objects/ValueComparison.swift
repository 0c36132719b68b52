internal import StoreRequests

/// Compares the value of a property with the value in another storage.
///
/// Values of types that are not `Equatable` differ; their columns may be compared then.
struct ValueComparison: _PropertyVisitor {
  let other: any _PropertyStorage
  private(set) var isEqual = false

  init(other: any _PropertyStorage) { self.other = other }

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    guard let left = storage.value as? any Equatable, let other = (other as? _AttributeStorage<Value>)?.value else {
      return
    }
    isEqual = Self.equal(left, other)
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {
    guard let other = other as? _ToOneStorage<Destination> else { return }
    switch (storage.reference, other.reference) {
    case (.nothing, .nothing): isEqual = true
    default: isEqual = storage.rowKey != nil && storage.rowKey == other.rowKey
    }
  }

  /// Members may have changed whenever they are loaded again.
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}

  private static func equal<Known: Equatable>(_ left: Known, _ right: Any) -> Bool { (right as? Known) == left }
}

extension _ToOneStorage {
  /// The row of the destination; `nil` without destination, and for one that was never saved.
  fileprivate var rowKey: ObjectKey? {
    switch reference {
    case .pending, .nothing: nil
    case .key(let key): key
    case .object(let object): Self.destination(object)._$state.rowKey
    }
  }
}

extension ContextCore {
  /// The values of a property's columns.
  func storedValues(of object: any PersistentModel, at property: Int) throws -> [StoreValue] {
    let sink = ValueSink(keepsAllDigits: true)
    var writer = _RowWriter(RowBinder(sink, startingAt: 1))
    try object._$write(property, into: &writer)
    return sink.values
  }

  /// Reads a row into an object if the object has the row's values already; if not, the object stays as it was.
  ///
  /// Loaded members of a to-many relationship count as other values, because the row does not have them.
  /// - Parameter row: a complete row; it is at its first column afterwards.
  func readsSameValues(
    of object: any PersistentModel, _ binding: EntityBinding, from row: inout _RowReader
  ) -> Bool {
    func storage(_ property: Int) -> (any _PropertyStorage)? {
      var keeper = StorageKeeper()
      object._$visit(property, &keeper)
      return keeper.storage
    }
    func put(_ storage: any _PropertyStorage, _ property: Int) {
      var putter = StoragePutter(storage: storage)
      object._$visit(property, &putter)
    }
    func hasValue(of former: any _PropertyStorage, _ property: Int) -> Bool {
      var comparison = ValueComparison(other: former)
      object._$visit(property, &comparison)
      if comparison.isEqual { return true }
      guard binding.properties[property].relationship == nil, let read = storage(property), !read._isPending,
        let now = try? storedValues(of: object, at: property)
      else { return false }
      put(former, property)
      defer { put(read, property) }
      return (try? storedValues(of: object, at: property)) == now
    }
    // What a fault lacks, nobody has seen.
    let isFault = object._$state.status == .fault
    let former = binding.readOrder.map { ($0, storage($0)) }
    object._$read(from: &row)
    row.restart()
    let isSame = former.allSatisfy { property, storage in
      guard let storage, !storage._isPending else { return isFault || self.isPending(object, property) }
      return hasValue(of: storage, property)
    }
    if !isSame { for case (let property, let storage?) in former { put(storage, property) } }
    return isSame
  }

  private func isPending(_ object: any PersistentModel, _ property: Int) -> Bool {
    var keeper = StorageKeeper()
    object._$visit(property, &keeper)
    return keeper.storage?._isPending != false
  }
}
