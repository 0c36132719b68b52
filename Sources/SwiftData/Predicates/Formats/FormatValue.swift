internal import Foundation
internal import StoreRequests

/// A value in a predicate in `NSPredicate`'s format: a column's value, an object, or a list.
typealias FormatValue = PredicateValue<PersistentIdentifier>

extension PredicateValue<PersistentIdentifier> {
  /// Converts a Swift value; `nil` if it is neither a column's value nor an object.
  init?(_ value: Any?) {
    guard let value = value.flatMap({ unwrap($0) }) else {
      self = .null
      return
    }
    if let object = value as? any PersistentModel {
      self = .object(object.persistentModelID)
    } else if let identifier = value as? PersistentIdentifier {
      self = .object(identifier)
    } else if let stored = storeValue(value) {
      self = .stored(stored)
    } else if let values = value as? [Any] {
      let items = values.compactMap { FormatValue($0) }
      guard items.count == values.count else { return nil }
      self = .list(items)
    } else {
      return nil
    }
  }

  /// The value as the store knows it. An object without a row becomes an object without a key.
  func lowered(_ resolver: any ModelResolver) -> PredicateValue<ObjectKey?> {
    switch self {
    case .stored(let value): .stored(value)
    case .object(let identifier): .object(resolver.objectKey(of: identifier))
    case .list(let items): .list(items.map { $0.lowered(resolver) })
    }
  }
}

/// The reason why a predicate in `NSPredicate`'s format cannot be evaluated.
struct FormatProblem: Error {
  let reason: String
}
