internal import CoreDataStore
internal import Foundation

/// A value in a predicate that is written in `NSPredicate`'s format: what a column holds, an object, or a list.
enum FormatValue: Hashable, Sendable {
  case stored(StoreValue)
  case object(PersistentIdentifier)
  case list([FormatValue])

  static let null = FormatValue.stored(.null)

  static func boolean(_ value: Bool) -> FormatValue { .stored(.integer(value ? 1 : 0)) }

  /// A value of a program as one of a predicate; `nil` for what neither a column holds nor an object is.
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

  var isNull: Bool { self == .null }

  var text: String? { if case .stored(.text(let text)) = self { text } else { nil } }

  var number: Double? {
    switch self {
    case .stored(.integer(let number)): Double(number)
    case .stored(.real(let number)): number
    default: nil
    }
  }

  /// How two values stand to each other; `nil` where they are of different kinds, or one is `nil`.
  func compared(to other: FormatValue) -> ComparisonResult? {
    if case .stored(.integer(let left)) = self, case .stored(.integer(let right)) = other {
      return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    }
    if let left = number, let right = other.number {
      return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    }
    if let left = text, let right = other.text {
      return left < right ? .orderedAscending : left > right ? .orderedDescending : .orderedSame
    }
    return nil
  }

  /// Whether two values are the same; `nil` is the same as `nil`.
  func equals(_ other: FormatValue) -> Bool { self == other || compared(to: other) == .orderedSame }
}

/// Why a predicate in `NSPredicate`'s format cannot be evaluated.
struct FormatProblem: Error {
  let reason: String
}
