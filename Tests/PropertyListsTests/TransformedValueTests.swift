import ErrorReporting
import Foundation
import Testing

@testable import PropertyLists

@Suite("Transformed values")
struct TransformedValueTests {
  static let samples: [ArchivedValue] = [
    .list([]), .list([.string("a"), .string("b"), .string("a")]), .list([.string("é"), .string("e\u{301}")]),
    .list([.integer(-1), .integer(0), .integer(255), .integer(65536), .integer(1 << 63), .boolean(true)]),
    .list([.real(-0.0), .real(0), .real(.infinity), .real(1.5)]), .list([.null, .null]),
    .list([.list([.list([.integer(1)], .mutableArray)]), .dictionary([])]),
    .list([.integer(1), .integer(2)], .set), .list([.integer(1)], .mutableSet),
    .list((0..<12).map { .integer($0) }, .orderedSet), .list([.string("x")], .mutableOrderedSet),
    .dictionary([.init(key: .string("k"), value: .date(593_881_375.204239)), .init(key: .integer(2), value: .null)]),
    .dictionary([.init(key: .string("k"), value: .string("v", isMutable: true))], isMutable: true),
    .list([.data(Data([1, 2])), .data(Data([1, 2]), isMutable: true), .data(Data())]),
    .list([.uuid(UUID()), .url("page", base: .url("https://example.org/")), .url("https://example.org/ü")]),
    .list([.decimal(Decimal(string: "-12.345") ?? 0), .decimal(0), .decimal(.greatestFiniteMagnitude)]),
    .string("alone"), .integer(7), .boolean(false), .date(0), .uuid(UUID()),
    .list((0..<300).map { .string("\($0)") }),
  ]

  @Test("CD-5 values survive their archives, and equal values give equal bytes", arguments: samples)
  func roundTrip(value: ArchivedValue) throws {
    let archive = try value.archived()
    let read = try ArchivedValue(archive: archive)
    #expect("\(read)" == "\(value)")
    #expect(try read.archived() == archive)
  }

  @Test("Text that looks the same keeps its code points")
  func spelling() throws {
    let value = ArchivedValue.list([.string("é"), .string("e\u{301}")])
    guard case .list(let elements, _) = try ArchivedValue(archive: value.archived()) else {
      Issue.record("not a list")
      return
    }
    let spellings = elements.map { if case .string(let text, _) = $0 { Array(text.unicodeScalars) } else { [] } }
    #expect(spellings.map(\.count) == [1, 2])
  }

  @Test("CD-5 an archive consists of the bytes that Apple's archiver writes for the same array")
  func bytesOfAnArray() throws {
    // `[“Omaha”]` as a photo library of macOS 10.15 holds it.
    let apple =
      "YnBsaXN0MDDUAQIDBAUGBwpYJHZlcnNpb25ZJGFyY2hpdmVyVCR0b3BYJG9iamVjdHMSAAGGoF8QD05TS2V5ZWRBcmNoaXZlctEICVRyb290"
      + "gAGkCwwSE1UkbnVsbNINDg8RWk5TLm9iamVjdHNWJGNsYXNzoRCAAoADVU9tYWhh0hQVFhdaJGNsYXNzbmFtZVgkY2xhc3Nlc1dOU0FycmF5"
      + "ohYYWE5TT2JqZWN0CBEaJCkyN0lMUVNYXmNudXd5e4GGkZqipQAAAAAAAAEBAAAAAAAAABkAAAAAAAAAAAAAAAAAAACu"
    #expect(try ArchivedValue.list([.string("Omaha")]).archived().base64EncodedString() == apple)
  }

  @Test("Foundation's unarchiver reads our archives")
  func foundationReadsOurs() throws {
    let value = ArchivedValue.dictionary([
      .init(key: .string("text"), value: .string("ß")), .init(key: .string("number"), value: .integer(-5)),
      .init(key: .string("real"), value: .real(2.5)), .init(key: .string("bytes"), value: .data(Data([9]))),
      .init(key: .string("date"), value: .date(60)),
      .init(key: .string("list"), value: .list([.string("a"), .integer(1 << 40)])),
    ])
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSData.self, NSDate.self],
      from: value.archived())
    let dictionary = try #require(read as? NSDictionary)
    #expect(dictionary["text"] as? String == "ß")
    #expect((dictionary["number"] as? NSNumber)?.intValue == -5)
    #expect((dictionary["real"] as? NSNumber)?.doubleValue == 2.5)
    #expect(dictionary["bytes"] as? Data == Data([9]))
    #expect((dictionary["date"] as? Date)?.timeIntervalSinceReferenceDate == 60)
    let list = try #require(dictionary["list"] as? [Any])
    #expect(list.first as? String == "a")
    #expect((list.last as? NSNumber)?.int64Value == 1 << 40)
  }

  @Test("We read what Foundation's archiver writes")
  func weReadFoundations() throws {
    let object = NSArray(array: [
      NSString("a"), NSNumber(value: 3), NSNumber(value: 1.5), NSDate(timeIntervalSinceReferenceDate: 5),
      NSData(data: Data([1, 2])), NSDictionary(dictionary: ["k": NSArray(array: [NSNumber(value: -7)])]),
    ])
    let archive = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    #expect(
      try ArchivedValue(archive: archive)
        == .list([
          .string("a"), .integer(3), .real(1.5), .date(5), .data(Data([1, 2])),
          .dictionary([.init(key: .string("k"), value: .list([.integer(-7)]))]),
        ]))
  }

  /// An archive with these objects after `$null`, the first of them the root.
  static func archive(
    _ objects: [BinaryPropertyList.Object], archiver: String = "NSKeyedArchiver", root: Int = 1
  ) -> Data {
    var table: [BinaryPropertyList.Object] = [
      .null, .string("$archiver"), .string(archiver), .string("$version"), .integer(100_000), .string("$top"),
      .string("$objects"), .string("root"), .uid(root), .dictionary(keys: [7], values: [8]), .string("$null"),
      .string("$class"), .string("NS.objects"), .string("$classname"), .string("NSArray"), .string("Car"),
      .dictionary(keys: [13], values: [14]), .dictionary(keys: [13], values: [15]), .uid(1), .uid(2), .uid(9),
    ]
    let first = table.count
    table += objects
    table.append(.array([10] + Array(first..<table.count)))
    table[0] = .dictionary(keys: [1, 3, 5, 6], values: [2, 4, 9, table.count - 1])
    return BinaryPropertyList(objects: table, top: 0).encoded()
  }

  static let arrayClass = BinaryPropertyList.Object.dictionary(keys: [13], values: [14])
  static let carClass = BinaryPropertyList.Object.dictionary(keys: [13], values: [15])

  static let damagedArchives: [(Data, String)] = [
    (Data(), "not a binary property list"), (Data("[]".utf8), "not a binary property list"),
    (Data("bplist00".utf8), "not a binary property list"),
    (archive([.string("x")], archiver: "Other"), "not made by NSKeyedArchiver"),
    (archive([.string("x")], root: 7), "does not exist"), (archive([.string("x")], root: 0), "does not exist"),
    (archive([.dictionary(keys: [11], values: [19]), carClass]), "class “Car”"),
    (archive([.dictionary(keys: [], values: [])]), "names no class"),
    (archive([.dictionary(keys: [11], values: [20])]), "names no class"),
    (archive([.dictionary(keys: [11], values: [19]), arrayClass]), "has no “NS.objects”"),
    (archive([.dictionary(keys: [11, 12], values: [19, 14]), arrayClass]), "has no “NS.objects”"),
    // An array that contains itself.
    (archive([.dictionary(keys: [12, 11], values: [23, 19]), arrayClass, .array([18])]), "nested more than"),
    (archive([.array([])]), "not an object"),
  ]

  @Test("Malformed archives are errors that say what is wrong", arguments: damagedArchives.indices)
  func malformed(index: Int) {
    let (data, sentence) = Self.damagedArchives[index]
    let error = #expect(throws: ArchivedValueError.self) { try ArchivedValue(archive: data) }
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
  }

  @Test("Every truncation and every changed byte of an archive is read or refused, never a trap")
  func damage() throws {
    let archive = try ArchivedValue.list([
      .string("a"), .date(1), .dictionary([.init(key: .string("k"), value: .decimal(5))]), .uuid(UUID()), .url("u"),
    ]).archived()
    var refused = 0
    for end in archive.indices where (try? ArchivedValue(archive: archive.prefix(end))) == nil { refused += 1 }
    #expect(refused == archive.count)
    for index in archive.indices {
      for bits: UInt8 in [0x01, 0x10, 0x80, 0xFF] {
        var damaged = archive
        damaged[index] ^= bits
        _ = try? ArchivedValue(archive: damaged)
      }
    }
  }

  @Test("A small archive in which all is shared is not unfolded without end")
  func bomb() throws {
    // Each level holds the next one ten times.
    var objects: [BinaryPropertyList.Object] = []
    let levels = 20
    let first = 21
    for level in 0..<levels {
      let list = first + levels + 1 + level
      objects.append(.dictionary(keys: [12, 11], values: [list, first + 2 * levels + 1]))
    }
    objects.append(Self.arrayClass)
    for level in 0..<levels {
      objects.append(.array(level + 1 < levels ? Array(repeating: first + 2 * levels + 2 + level, count: 10) : []))
    }
    objects.append(.uid(levels + 1))
    for level in 0..<levels { objects.append(.uid(level + 2)) }
    #expect(throws: ArchivedValueError.tooManyObjects) { try ArchivedValue(archive: Self.archive(objects)) }
  }

  @Test("A value that is too deep is refused before it is written")
  func depth() {
    var value = ArchivedValue.list([])
    for _ in 0..<200 { value = .list([value]) }
    #expect(throws: ArchivedValueError.tooDeep) { try value.archived() }
  }
}
