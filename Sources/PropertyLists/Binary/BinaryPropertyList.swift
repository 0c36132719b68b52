import ErrorReporting
package import Foundation

/// A binary property list (`bplist00`) as its flat table of objects.
///
/// Containers refer to their contents by position in the table, as the file does. Nothing is expanded into a tree: an
/// object that many containers share costs nothing, and a container that contains itself is harmless until somebody
/// walks it.
package struct BinaryPropertyList: Sendable, Hashable {
  package var objects: [Object]
  /// Position of the object that is the list's value.
  package var top: Int

  package init(objects: [Object], top: Int) {
    self.objects = objects
    self.top = top
  }

  package enum Object: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int128)
    case real(Double)
    /// A real number of 32 bits. It is only written: a list that is read has ``real(_:)``.
    case float(Float)
    /// Seconds since 2001-01-01T00:00:00Z.
    case date(Double)
    case data(Data)
    case string(String)
    /// A keyed archive's reference into its own table.
    case uid(Int)
    case array([Int])
    case set([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  /// The bounds of a file that is read. The largest model seen takes 362 KB.
  package enum Limits {
    package static let byteCount = 64 << 20
    package static let objectCount = 2_000_000
  }
}

/// The reason why bytes are not a binary property list.
package struct PropertyListError: ReportableError, Sendable, Hashable {
  package enum Reason: String, Sendable, Hashable {
    case notABinaryPropertyList = "the bytes do not begin with “bplist00”"
    case tooLarge = "it is larger than this program reads"
    case truncated = "it ends too early"
    case invalidTrailer = "its trailer is not consistent"
    case offsetOutOfBounds = "an object lies outside of the objects' area"
    case overlappingObjects = "two objects share bytes"
    case unknownObject = "an object is of an unknown type"
    case invalidCount = "an object states a count that its bytes cannot hold"
    case referenceOutOfBounds = "a container names an object that does not exist"
    case invalidText = "a string is not well-formed"
    case numberTooLarge = "a number is too large"
  }

  package let reason: Reason
  /// The byte at which the defect was found.
  package let offset: Int

  package var problem: String { "\(reason.rawValue) (at byte \(offset))" }
  package var remedy: String? { nil }
}
