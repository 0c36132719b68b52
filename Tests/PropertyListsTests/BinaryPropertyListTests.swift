import Foundation
import Testing

@testable import PropertyLists

@Suite("Binary property lists")
struct BinaryPropertyListTests {
  @Test("What Foundation writes is read with equal values", arguments: samples)
  func readsFoundation(_ sample: Sample) throws {
    let data = try PropertyListSerialization.data(fromPropertyList: sample.value, format: .binary, options: 0)
    let list = try BinaryPropertyList(data)
    #expect(try tree(list, list.top) == sample.value as? NSObject)
  }

  @Test("What is written is read by Foundation with equal values, and by us as it was", arguments: samples)
  func writesForFoundation(_ sample: Sample) throws {
    let data = try PropertyListSerialization.data(fromPropertyList: sample.value, format: .binary, options: 0)
    let list = try BinaryPropertyList(data)
    let written = list.encoded()
    let read = try PropertyListSerialization.propertyList(from: written, format: nil)
    #expect(read as? NSObject == sample.value as? NSObject)
    #expect(try BinaryPropertyList(written) == list)
  }

  @Test("Numbers of every width, UIDs, sets and null survive")
  func allTypes() throws {
    let numbers: [Int128] = [
      0, 1, 0xFF, 0x100, 0xFFFF, 0x1_0000, 0xFFFF_FFFF, 0x1_0000_0000, Int128(Int64.max), Int128(UInt64.max), -1,
      Int128(Int64.min), Int128.min, Int128.max,
    ]
    var objects: [BinaryPropertyList.Object] = numbers.map { .integer($0) }
    objects += [.null, .boolean(true), .boolean(false), .real(-0.5), .date(1e9), .uid(0), .uid(70_000), .set([0, 1])]
    objects += [.data(Data([1, 2])), .data(Data(count: 300)), .string(""), .string("ascii"), .string("Ж𝄞")]
    let contents = Array(objects.indices)
    objects.append(.dictionary(keys: contents, values: contents))
    objects.append(.array(contents))
    let list = BinaryPropertyList(objects: objects, top: objects.count - 1)
    #expect(try BinaryPropertyList(list.encoded()) == list)
  }

  @Test("A list cut off anywhere is an error")
  func truncated() throws {
    let data = BinaryPropertyList(
      objects: [.array([1, 2]), .string("name"), .dictionary(keys: [1], values: [3]), .integer(70_000)], top: 0
    ).encoded()
    for count in 0..<data.count {
      #expect(throws: PropertyListError.self, "\(count) bytes") { try BinaryPropertyList(data.prefix(count)) }
    }
  }

  @Test("Changing any byte of a list never traps")
  func mutated() throws {
    let data = BinaryPropertyList(
      objects: [.array([1, 2, 4]), .string("nämé"), .dictionary(keys: [1], values: [3]), .integer(-7), .uid(300)],
      top: 0
    ).encoded()
    var accepted = 0
    for index in data.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = data
        changed[index] = byte
        if (try? BinaryPropertyList(changed)) != nil { accepted += 1 }
      }
    }
    #expect(accepted >= data.count)
  }

  @Test("Hostile lists are refused for what is wrong with them", arguments: hostile)
  func hostileList(_ sample: Hostile) {
    #expect {
      try BinaryPropertyList(sample.data)
    } throws: { error in
      (error as? PropertyListError)?.reason == sample.reason
    }
  }

  @Test("An object that contains itself is read and does no harm")
  func selfReference() throws {
    let list = BinaryPropertyList(objects: [.array([0, 0])], top: 0)
    #expect(try BinaryPropertyList(list.encoded()) == list)
  }

  @Test("Canonically equivalent texts are different values, and equal ones are written once")
  func equivalentTexts() {
    let texts = ["\u{E9}", "e\u{301}", "\u{E9}"]
    let list = BinaryPropertyList(.array(texts.map { .string($0) }))
    let written = list.objects.compactMap { if case .string(let text) = $0 { Array(text.utf8) } else { nil } }
    #expect(written == texts.prefix(2).map { Array($0.utf8) })
  }

  @Test("In an archive, the first of equal keys counts, in dictionaries with few and many, short and long keys")
  func equalKeys() throws {
    let long = String(repeating: "k", count: 100)
    for count in [3, 40] {
      var objects: [BinaryPropertyList.Object] = [.null]
      func add(_ object: BinaryPropertyList.Object) -> Int {
        objects.append(object)
        return objects.count - 1
      }
      func dictionary(_ entries: [(String, Int)]) -> Int {
        add(.dictionary(keys: entries.map { add(.string($0.0)) }, values: entries.map(\.1)))
      }
      let names = (0..<count).map { "key\($0)" } + [long]
      let first = names.map { ($0, add(.string("first \($0)"))) }
      let second = names.map { ($0, add(.string("second \($0)"))) }
      let table = add(.array([add(.string("$null")), dictionary(first + second)]))
      let top = dictionary([
        ("$archiver", add(.string("NSKeyedArchiver"))), ("$version", add(.integer(100_000))), ("$objects", table),
        ("$top", dictionary([("root", add(.uid(1)))])),
      ])
      let root = try KeyedArchive(BinaryPropertyList(objects: objects, top: top)).rootObject()
      for name in names { #expect(try root.string(name) == "first \(name)") }
      #expect(try root.string("absent") == nil)
    }
  }
}

struct Sample: @unchecked Sendable, CustomTestStringConvertible {
  let testDescription: String
  let value: Any
}

struct Hostile: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let data: Data
  let reason: PropertyListError.Reason

  /// Objects as bytes, the table of their offsets, and a trailer that may lie.
  init(
    _ description: String, _ reason: PropertyListError.Reason, objects: [UInt8], offsets: [UInt8] = [8],
    offsetSize: UInt8 = 1, referenceSize: UInt8 = 1, count: UInt64? = nil, top: UInt64 = 0, table: UInt64? = nil
  ) {
    testDescription = description
    self.reason = reason
    var bytes = Array("bplist00".utf8) + objects
    let numbers = [count ?? UInt64(offsets.count), top, table ?? UInt64(bytes.count)]
    bytes += offsets + [0, 0, 0, 0, 0, 0, offsetSize, referenceSize]
    for number in numbers {
      for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    data = Data(bytes)
  }
}

private let hostile: [Hostile] = [
  Hostile("huge count of objects", .invalidTrailer, objects: [0x09], count: .max >> 8),
  Hostile("count of objects beyond 64 bits when multiplied", .invalidTrailer, objects: [0x09], count: 1 << 55),
  Hostile("number beyond Int", .numberTooLarge, objects: [0x09], count: .max),
  Hostile("top beyond the table", .invalidTrailer, objects: [0x09], top: 1),
  Hostile("table beyond the bytes", .invalidTrailer, objects: [0x09], table: 1 << 40),
  Hostile("table within the header", .invalidTrailer, objects: [0x09], table: 3),
  Hostile("offset size 0", .invalidTrailer, objects: [0x09], offsetSize: 0),
  Hostile("reference size 9", .invalidTrailer, objects: [0x09], referenceSize: 9),
  Hostile("offset into the table", .offsetOutOfBounds, objects: [0x09], offsets: [9]),
  Hostile("offset into the header", .offsetOutOfBounds, objects: [0x09], offsets: [0]),
  Hostile("two objects at one place", .overlappingObjects, objects: [0x09], offsets: [8, 8]),
  Hostile("more objects than bytes", .overlappingObjects, objects: [0x7F, 0x7F], offsets: [8, 9, 8]),
  // The third object is of an unknown type: what is read before it shows when the shared bytes are noticed.
  Hostile(
    "data named twice, before another defect", .overlappingObjects, objects: [0x42, 1, 2, 0x7F], offsets: [8, 8, 11]),
  Hostile(
    "text named twice, before another defect", .overlappingObjects, objects: [0x61, 0, 0x41, 0x7F], offsets: [8, 8, 11]),
  Hostile(
    "array named twice, before another defect", .overlappingObjects, objects: [0xA2, 0, 0, 0x7F], offsets: [8, 8, 11]),
  Hostile(
    "long count named twice, before another defect", .overlappingObjects,
    objects: [0x4F, 0x10, 2, 1, 2, 0x7F], offsets: [8, 8, 13]),
  Hostile("object inside of another", .overlappingObjects, objects: [0x52, 0x41, 0x09], offsets: [8, 10]),
  Hostile("huge array", .invalidCount, objects: [0xAF, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]),
  Hostile("huge data", .invalidCount, objects: [0x4F, 0x12, 255, 255, 255, 255]),
  Hostile("negative count", .invalidCount, objects: [0x5F, 0x13, 255, 255, 255, 255, 255, 255, 255, 255]),
  Hostile("count that is no integer", .invalidCount, objects: [0x5F, 0x09]),
  Hostile("string longer than the bytes", .invalidCount, objects: [0x53, 0x41]),
  Hostile("integer cut off", .truncated, objects: [0x13, 0, 0]),
  Hostile("reference beyond the table", .referenceOutOfBounds, objects: [0xA1, 0x05]),
  Hostile("integer of 32 bytes", .unknownObject, objects: [0x15]),
  Hostile("unknown marker", .unknownObject, objects: [0x7F]),
  Hostile("fill byte as object", .unknownObject, objects: [0x0F]),
  Hostile("string with a byte beyond ASCII", .invalidText, objects: [0x51, 0xC3]),
  Hostile("lone surrogate", .invalidText, objects: [0x61, 0xD8, 0x00]),
]

private let samples: [Sample] = [
  Sample(testDescription: "empty", value: [String: Any]()),
  Sample(
    testDescription: "scalars", value: ["a": 1, "b": -1, "c": 2.5, "d": true, "e": "text", "f": "Ж"] as [String: Any]),
  Sample(
    testDescription: "nested",
    value: ["list": [1, [2, 3], ["x": Data([1, 2, 3])]], "date": Date(timeIntervalSinceReferenceDate: 12.5)]
      as [String: Any]),
  Sample(testDescription: "long list", value: Array(0..<1_000)),
  Sample(testDescription: "long text", value: String(repeating: "äbc", count: 400)),
]

/// The value below an object, for comparison with Foundation's.
private func tree(_ list: BinaryPropertyList, _ index: Int) throws -> NSObject? {
  switch list.objects[index] {
  case .null: return nil
  case .boolean(let value): return value as NSNumber
  case .integer(let value): return Int64(exactly: value).map { $0 as NSNumber }
  case .real(let value): return value as NSNumber
  case .float(let value): return value as NSNumber
  case .date(let value): return Date(timeIntervalSinceReferenceDate: value) as NSDate
  case .data(let value): return value as NSData
  case .string(let value): return value as NSString
  case .uid: return nil
  case .array(let items), .set(let items): return try items.compactMap { try tree(list, $0) } as NSArray
  case .dictionary(let keys, let values):
    let result = NSMutableDictionary()
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = list.objects[key] else { continue }
      result.setObject(try tree(list, value) ?? NSNull(), forKey: name as NSString)
    }
    return result
  }
}
