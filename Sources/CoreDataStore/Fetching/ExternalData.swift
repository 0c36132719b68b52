import Foundation

/// Values of attributes that allow external storage: a prefix, then the bytes or the name of a file (CD-5).
enum ExternalData {
  /// The prefix of a value that stands in the row itself.
  static let inlinePrefix: UInt8 = 1
  private static let filePrefix: UInt8 = 2

  /// The value that stored bytes stand for; `nil` where they name a file that is not there or is no file of the store's.
  ///
  /// The name comes from an untrusted store: only a UUID is ever looked for, in the store's own folder.
  static func value(_ stored: Data, in folder: URL?) -> Data? {
    switch stored.first {
    case inlinePrefix: return stored.dropFirst()
    case filePrefix where stored.count == 38 && stored.last == 0:
      guard let folder, let name = UUID(uuidString: String(decoding: stored.dropFirst().dropLast(), as: UTF8.self))
      else { return nil }
      return try? Data(contentsOf: folder.appendingPathComponent(name.uuidString))
    // Written by somebody who knew of no prefix: better shown as it is than lost.
    default: return stored
    }
  }
}
