import Foundation

/// A value of an attribute that allows external storage, as its column has it (CD-5): a prefix, then the bytes or the name of
/// a file.
///
/// A value of more than ``threshold`` bytes goes to a file, a smaller one stands in the row; in memory all do. Core Data's own
/// threshold is not known exactly: the largest value seen in a row has 99 813 bytes. Either form is read, whatever the size.
enum StoredData: Hashable {
  /// Behind the prefix 1.
  case inline(Data)
  /// Behind the prefix 2: a UUID in capitals, and a NUL.
  case file(UUID)
  /// A reference that names no file.
  case invalid
  /// Written by somebody who knew of no prefix: better shown as it is than lost.
  case bare(Data)

  /// The number of bytes, 100 KiB, above which a value has a file of its own.
  static let threshold = 102_400
  /// The largest number of bytes that a value may have, which is SQLite's.
  static let maximum = 1_000_000_000

  private static let inlinePrefix: UInt8 = 1
  private static let filePrefix: UInt8 = 2
  private static let referenceLength = 38

  init(_ stored: Data) {
    switch stored.first {
    case Self.inlinePrefix: self = .inline(stored.dropFirst())
    case Self.filePrefix where stored.count == Self.referenceLength && stored.last == 0:
      // The name comes from an untrusted store: it is never more than a UUID.
      let name = UUID(uuidString: String(decoding: stored.dropFirst().dropLast(), as: UTF8.self))
      self = name.map { .file($0) } ?? .invalid
    default: self = .bare(stored)
    }
  }

  /// The name of the file, if there is one.
  var fileName: UUID? { if case .file(let name) = self { name } else { nil } }

  /// What the column holds.
  var bytes: Data {
    switch self {
    case .inline(let data): Data([Self.inlinePrefix]) + data
    case .file(let name): Data([Self.filePrefix]) + Data(name.uuidString.utf8) + Data([0])
    case .invalid: Data()
    case .bare(let data): data
    }
  }

  /// SQL for whether a column may name a file; the length, which needs no look at the bytes, first.
  static func namesFile(_ column: String) -> String {
    "length(\(column)) = \(referenceLength) AND substr(\(column), 1, 1) = x'02'"
  }
}
