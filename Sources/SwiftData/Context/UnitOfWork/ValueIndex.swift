internal import Foundation
internal import StoreRequests

/// The pending objects of a class by the value of one attribute.
struct ValueIndex {
  private let property: Int
  private var objectsByValue: [StoreValue: [any PersistentModel]] = [:]
  /// Objects whose value was changed since it was indexed.
  private var changing: [any PersistentModel] = []
  /// Objects whose value cannot be known, or may change without notice.
  private var unknown = ObjectList()
  private var count = 0

  init(_ property: Int) { self.property = property }

  mutating func noteChange(of object: any PersistentModel) { changing.append(object) }

  /// The objects that may have one of some values.
  ///
  /// - Parameter objects: all objects; only those added since the last call are read.
  mutating func candidates(
    _ objects: [any PersistentModel], with values: [StoreValue]
  ) -> [any PersistentModel] {
    for object in objects[count...] { take(object) }
    count = objects.count
    let changed = changing
    changing = []
    for object in changed { take(object) }
    // Once for all values.
    var candidates = unknown.array
    for value in Set(values.map(\.numberForm)) { candidates += current(value) }
    return candidates
  }

  /// The known objects that have a value, in its number form, by now.
  private mutating func current(_ value: StoreValue) -> [any PersistentModel] {
    guard let found = objectsByValue[value] else { return [] }
    var known: Set<ObjectIdentifier> = []
    let current = found.filter {
      $0.indexedValue(at: property) == value && (found.count == 1 || known.insert(ObjectIdentifier($0)).inserted)
    }
    // Objects that have another value by now are not read again.
    if current.count < found.count { objectsByValue[value] = current }
    return current
  }

  private mutating func take(_ object: any PersistentModel) {
    guard let value = object.indexedValue(at: property), object._$state.tellsNextChange(of: property) else {
      unknown.append(object)
      return
    }
    if value != .null { objectsByValue[value, default: []].append(object) }
  }
}

extension _ModelState {
  /// Asks for a notice of the next change of a property, even if it is changed already.
  ///
  /// - Returns: `false` for an observed object: its observers may fetch between the notice and the change.
  fileprivate mutating func tellsNextChange(of property: Int) -> Bool {
    if _isObserved { return false }
    guard isChanged(property) else { return true }
    guard property < 63 else { return false }
    needExtras().indexedMask |= 1 << UInt64(property)
    return true
  }

  /// Whether an index has to know of a change of a changed property. The question is answered once.
  mutating func takeIndexed(_ property: Int) -> Bool {
    guard let extras, property < 63, extras.indexedMask & (1 << UInt64(property)) != 0 else { return false }
    extras.indexedMask &= ~(1 << UInt64(property))
    return true
  }
}

extension PersistentModel {
  /// The value of an attribute that is equal exactly if its column is equal, in ``StoreRequests/StoreValue/numberForm``; `.null`
  /// for `nil`, and `nil` for other values.
  func indexedValue(at property: Int) -> StoreValue? {
    var reader = IndexedValueReader()
    _$visit(property, &reader)
    return reader.value?.numberForm
  }
}

extension StoreValue {
  /// The form in which equal numbers are equal values: an integer is not a floating-point number.
  var numberForm: StoreValue {
    if case .real(let number) = self, let integer = Int64(exactly: number) { .integer(integer) } else { self }
  }
}

/// Reads an attribute that is equal exactly if its column is equal.
private struct IndexedValueReader: _PropertyVisitor {
  private(set) var value: StoreValue?

  mutating func visit<Value>(_ storage: inout _AttributeStorage<Value>) {
    guard let stored = storage.value else { return }
    guard let content = unwrap(stored) else { return value = .null }
    if !(content is Decimal) { value = storeValue(content) }
  }

  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToOneStorage<Destination>) {}
  mutating func visit<Destination: PersistentModel>(_ storage: inout _ToManyStorage<Destination>) {}
}
