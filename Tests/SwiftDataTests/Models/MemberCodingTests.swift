import Foundation
import StoreRequests
import Testing

@testable import SwiftData

/// One way in which an `init(from:)` and an `encode(to:)` treat a member.
protocol MemberCoding {
  associatedtype Member: Codable & Equatable
  static var samples: [Member] { get }
  static func read(_ container: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> Member
  static func write(_ value: Member, _ container: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws
}

enum MemberKey: String, CodingKey { case first, second, inner }

/// A structure that treats its members in two ways.
struct TwoMembers<First: MemberCoding, Second: MemberCoding>: Codable, Equatable {
  var first: First.Member
  var second: Second.Member

  init(_ first: First.Member, _ second: Second.Member) { (self.first, self.second) = (first, second) }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MemberKey.self)
    first = try First.read(container, .first)
    second = try Second.read(container, .second)
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: MemberKey.self)
    try First.write(first, &container, .first)
    try Second.write(second, &container, .second)
  }
}

enum Coding {
  struct Part: Codable, Equatable { var x: Int, y: String? }

  enum Required: MemberCoding {
    static let samples = [0, 5]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> Int {
      try from.decode(Int.self, forKey: key)
    }
    static func write(_ value: Int, _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      try to.encode(value, forKey: key)
    }
  }

  /// Refuses zero.
  enum Positive: MemberCoding {
    static let samples = [1, 5]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> Int {
      let value = try from.decode(Int.self, forKey: key)
      guard value > 0 else { throw CocoaError(.coderReadCorrupt) }
      return value
    }
    static func write(_ value: Int, _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      try to.encode(value, forKey: key)
    }
  }

  /// Writes no member for `nil`, and takes any error as `nil`.
  enum Tried: MemberCoding {
    static let samples: [Part?] = [nil, Part(x: 0, y: nil), Part(x: 3, y: "")]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> Part? {
      try? from.decode(Part.self, forKey: key)
    }
    static func write(_ value: Part?, _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      try to.encodeIfPresent(value, forKey: key)
    }
  }

  /// Has a value of its own where there is no member.
  enum Defaulted: MemberCoding {
    static let samples = [7, 0, 1]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> Int {
      (try? from.decode(Int.self, forKey: key)) ?? 7
    }
    static func write(_ value: Int, _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      if value != 7 { try to.encode(value, forKey: key) }
    }
  }

  /// Asks for `nil` before it reads.
  enum Asked: MemberCoding {
    static let samples = [nil, "", "a"]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> String? {
      try from.decodeNil(forKey: key) ? nil : from.decode(String.self, forKey: key)
    }
    static func write(_ value: String?, _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      if let value { try to.encode(value, forKey: key) } else { try to.encodeNil(forKey: key) }
    }
  }

  /// Decodes an optional as a value.
  enum OptionalValue: MemberCoding {
    static let samples = [nil, 0, 2]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> Int? {
      try from.decode(Int?.self, forKey: key)
    }
    static func write(_ value: Int?, _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      try to.encode(value, forKey: key)
    }
  }

  /// Has a container of its own.
  enum Nested: MemberCoding {
    static let samples = [[], [1, 2]]
    static func read(_ from: KeyedDecodingContainer<MemberKey>, _ key: MemberKey) throws -> [Int] {
      var list = try from.nestedContainer(keyedBy: MemberKey.self, forKey: key).nestedUnkeyedContainer(forKey: .inner)
      var values: [Int] = []
      while !list.isAtEnd { values.append(try list.decode(Int.self)) }
      return values
    }
    static func write(_ value: [Int], _ to: inout KeyedEncodingContainer<MemberKey>, _ key: MemberKey) throws {
      var nested = to.nestedContainer(keyedBy: MemberKey.self, forKey: key)
      var list = nested.nestedUnkeyedContainer(forKey: .inner)
      for number in value { try list.encode(number) }
    }
  }

  static var all: [any MemberCoding.Type] {
    [Required.self, Positive.self, Tried.self, Defaulted.self, Asked.self, OptionalValue.self, Nested.self]
  }
}

/// The columns of a structure hold what JSON holds of it.
@Suite struct MemberCodingTests {
  @Test func `Each pair of ways to code a member is read back from the columns`() throws {
    for first in Coding.all {
      for second in Coding.all { try expectKept(first, second) }
    }
  }

  private func expectKept<First: MemberCoding, Second: MemberCoding>(_: First.Type, _: Second.Type) throws {
    let leaves = AttributeLayout.of(TwoMembers<First, Second>.self).shape.leaves
    #expect(leaves.map(\.key) == ["first", "second"], "\(First.self), \(Second.self)")
    for first in First.samples {
      for second in Second.samples {
        let value = TwoMembers<First, Second>(first, second)
        let encoded = try LeafEncoder.encode(value)
        let row = Dictionary(uniqueKeysWithValues: leaves.map { ($0.key, encoded[$0.key] ?? .null) })
        #expect(try LeafDecoder.decode(TwoMembers<First, Second>.self, from: row) == value)
      }
    }
  }
}
