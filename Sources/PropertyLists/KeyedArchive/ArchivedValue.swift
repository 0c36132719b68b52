import ErrorReporting
package import Foundation

/// A value of a transformable attribute as Core Data's own transformers archive it (CD-5).
///
/// These are the classes that `NSSecureUnarchiveFromData` admits. Mutable classes are distinct, so that a value is
/// written back with the classes it was read with.
package indirect enum ArchivedValue: Sendable, Hashable {
  /// `NSNull`.
  case null
  case boolean(Bool)
  case integer(Int128)
  case real(Double)
  case decimal(Decimal)
  case string(String, isMutable: Bool = false)
  case data(Data, isMutable: Bool = false)
  /// Seconds since 2001-01-01T00:00:00Z.
  case date(Double)
  case uuid(UUID)
  /// A URL as it was written, with its base.
  case url(String, base: ArchivedValue? = nil)
  case list([ArchivedValue], ListClass = .array)
  /// Entries in the archive's order.
  case dictionary([Entry], isMutable: Bool = false)

  package struct Entry: Sendable, Hashable {
    package var key: ArchivedValue
    package var value: ArchivedValue

    package init(key: ArchivedValue, value: ArchivedValue) {
      self.key = key
      self.value = value
    }
  }

  package enum ListClass: String, Sendable, Hashable, CaseIterable {
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case orderedSet = "NSOrderedSet"
    case mutableOrderedSet = "NSMutableOrderedSet"

    /// Whether each element has a key of its own: `NS.object.0`, `NS.object.1` and so on.
    var numbersElements: Bool { self == .orderedSet || self == .mutableOrderedSet }
  }

  enum Limits {
    /// How deep collections may be nested.
    static let depth = 128
    /// How many more objects an archive may unfold into than it contains.
    static let spareVisits = 10_000
  }
}

/// The reason why an archived value cannot be read or written.
package enum ArchivedValueError: ReportableError, Sendable, Hashable {
  case propertyList(PropertyListError)
  case notAKeyedArchive(String)
  /// An object of a class that is not a property-list class.
  case unknownClass(String)
  case malformed(className: String, problem: String)
  case tooDeep
  case tooManyObjects
}

extension ArchivedValueError {
  package var problem: String {
    switch self {
    case .propertyList(let error): "the value is not a binary property list: \(error)"
    case .notAKeyedArchive(let problem): "the value is not a keyed archive: \(problem)"
    case .unknownClass(let name):
      "the value holds an object of class \(quoted(name)), which only the program that wrote it can read"
    case .malformed(let className, let problem):
      "the value's archive is damaged: an object of class \(quoted(className)) \(problem)"
    case .tooDeep: "the value's collections are nested more than \(ArchivedValue.Limits.depth) levels deep"
    case .tooManyObjects: "the value's archive unfolds into too many objects"
    }
  }

  package var remedy: String? {
    if case .unknownClass = self { "declare the property as Data to get at the bytes" } else { nil }
  }
}
