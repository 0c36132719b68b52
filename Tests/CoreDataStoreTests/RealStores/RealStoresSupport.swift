import Foundation
import ManagedModel
import SQLite
import StoreRequests
import TestSupport

@testable import CoreDataStore

/// Real stores, copied, and what the independent checker says of them.
enum RealStores {
  /// Every fixture store.
  static let all: [String] = {
    guard Fixtures.areAvailable,
      let names = try? FileManager.default.contentsOfDirectory(atPath: Fixtures.url("stores").path)
    else { return [] }
    return names.filter { !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }.sorted()
  }()

  /// The checks that fail, without their counts.
  static func failures(_ url: URL) throws -> [String] {
    try Oracle.checkStore(url).output.split(separator: "\n").filter { $0.hasPrefix("FAIL") }
      .map { String($0.split(separator: "(").first ?? $0) }
  }

  /// A value of an attribute's type, another one for each number.
  static func value(_ attribute: AttributeDescription, _ number: Int64) -> StoreValue {
    switch attribute.type {
    case .boolean: .integer(number & 1)
    case .integer16: .integer(number % 32_768)
    case .integer32, .integer64: .integer(number)
    case .double, .float, .decimal: .real(Double(number) + 0.5)
    case .date: .real(700_000_000.25 + Double(number))
    case .string: .text("text \(number) é")
    case .uri: .text("https://example.org/\(number)")
    case .uuid: .blob(Data([UInt8](repeating: 0, count: 8)) + withUnsafeBytes(of: number.bigEndian) { Data($0) })
    case .binary, .transformable: .blob(Data("bytes \(number)".utf8))
    case .undefined, .objectID, .composite: .null
    }
  }
}
