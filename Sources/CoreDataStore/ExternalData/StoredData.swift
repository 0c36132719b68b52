import Foundation

/// A value of an attribute with external storage, as its column stores it (CD-5): a prefix, then the bytes or the name
/// of a file.
///
/// A value of more than ``threshold`` bytes goes to a file; a smaller value is in the row. In memory all values are in
/// rows. Core Data's own threshold is not known exactly: the largest value seen in a row has 99 813 bytes. Reading
/// accepts either form at any size.
enum StoredData: Hashable {
  /// After the prefix 1.
  case inline(Data)
  /// After the prefix 2: a UUID in upper case, and a NUL.
  case file(UUID)
  /// A reference without a valid file name.
  case invalid
  /// A value without a prefix, from a program that does not know of it. It is read as it is rather than lost.
  case bare(Data)

  /// Values with more bytes, 100 KiB, get a file of their own.
  static let threshold = 102_400
  /// The largest number of bytes in a value, which is SQLite's bound.
  static let maximum = 1_000_000_000

  private static let inlinePrefix: UInt8 = 1
  private static let filePrefix: UInt8 = 2
  private static let referenceLength = 38

  init(_ stored: Data) {
    switch stored.first {
    case Self.inlinePrefix: self = .inline(stored.dropFirst())
    case Self.filePrefix where stored.count == Self.referenceLength && stored.last == 0:
      // The name comes from an untrusted store, so only a UUID is accepted.
      let name = UUID(uuidString: String(decoding: stored.dropFirst().dropLast(), as: UTF8.self))
      self = name.map { .file($0) } ?? .invalid
    default: self = .bare(stored)
    }
  }

  /// The name of the file, if there is one.
  var fileName: UUID? { if case .file(let name) = self { name } else { nil } }

  /// The stored content of the column.
  var bytes: Data {
    switch self {
    case .inline(let data): Data([Self.inlinePrefix]) + data
    case .file(let name): Data([Self.filePrefix]) + Data(name.uuidString.utf8) + Data([0])
    case .invalid: Data()
    case .bare(let data): data
    }
  }

  /// The SQL test whether a column may name a file. The length comes first, because SQLite knows it without reading the
  /// bytes.
  static func namesFile(_ column: String) -> String {
    "length(\(column)) = \(referenceLength) AND substr(\(column), 1, 1) = x'02'"
  }
}
