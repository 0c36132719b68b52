import Foundation

// Compiled twice: into the tests, and into the programs that they make of generated source.

/// What a property holds or a column says, in a form in which two are equal only if they are so to the last bit.
enum ReadValue: Codable, Hashable {
  case integer(Int64)
  /// The bits of a number, or of a date's seconds since 2001.
  case double(UInt64)
  /// The number as text; `Decimal` has several bit patterns for one number.
  case decimal(String)
  /// UTF-8: strings of Swift are equal if they merely look alike.
  case text(Data)
  case bytes(Data)
  case object(ReadObject)
  /// In order where the relationship is ordered, otherwise sorted.
  case objects([ReadObject])
  /// The elements of a composite that have a value.
  case parts([String: ReadValue])
}

/// Which object: its own entity's name and its row's key.
struct ReadObject: Codable, Hashable, Comparable {
  var entity: String
  var key: Int

  static func < (left: ReadObject, right: ReadObject) -> Bool {
    (left.entity, left.key) < (right.entity, right.key)
  }
}

/// The values of all objects of a store by persistent names; what is `nil` is left out.
struct ReadStore: Codable, Equatable {
  var objects: [String: [Int: [String: ReadValue]]] = [:]

  var objectCount: Int { objects.values.reduce(0) { $0 + $1.count } }
  var valueCount: Int { objects.values.reduce(0) { $1.values.reduce($0) { $0 + $1.count } } }
}

/// What compiled classes say of a version.
struct CompiledVersion: Codable {
  var schema: String
  /// The three numbers of the version's identifier.
  var identifier: [Int]
  /// Version hashes by entity name.
  var hashes: [String: Data]
}

/// What a compiled bundle says of itself.
struct CompiledSummary: Codable {
  var versions: [CompiledVersion]
  /// The schemas of the migration plan, in its order.
  var plan: [String]
  var stageCount: Int
}
