import Foundation
import ManagedModel
import SQLite
import StoreRequests
import StoreTestSupport
import TestSupport
import Testing

@testable import CoreDataStore

/// What columns hold for values at their bounds, and what is refused.
@Suite struct ValueTests {
  private static let model = ModelDescription(entities: [
    EntityDescription(
      name: "Thing",
      properties: [
        FetchTestWorld.attribute("small", .integer16), FetchTestWorld.attribute("middle", .integer32),
        FetchTestWorld.attribute("large", .integer64), FetchTestWorld.attribute("flag", .boolean),
        FetchTestWorld.attribute("single", .float), FetchTestWorld.attribute("double", .double),
        FetchTestWorld.attribute("moment", .date), FetchTestWorld.attribute("price", .decimal),
        FetchTestWorld.attribute("text", .string), FetchTestWorld.attribute("address", .uri),
        FetchTestWorld.attribute("identity", .uuid), FetchTestWorld.attribute("bytes", .binary),
        FetchTestWorld.attribute("object", .transformable),
        .attribute(
          AttributeDescription(
            name: "place", type: .composite, isOptional: true,
            elements: [
              AttributeDescription(name: "floor", type: .integer16, isOptional: true),
              AttributeDescription(
                name: "inner", type: .composite, isOptional: true,
                elements: [AttributeDescription(name: "height", type: .double, isOptional: true)]),
            ])),
      ], uniquenessConstraints: [["double"]])
  ])

  private let folder: TemporaryStore
  private let store: PersistentStore

  init() throws {
    folder = try TemporaryStore()
    store = try PersistentStore.open(at: folder.url, model: Self.model)
  }

  private func save(_ values: [String: StoreValue]) throws {
    try save(StoreValuesRow(values: values), values.keys.sorted())
  }

  private func save(_ row: StoreValuesRow, _ names: [String]) throws {
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: 1, columns: names.map { ColumnSelection(entityName: "Thing", propertyName: $0) },
        source: row)
    ]
    _ = try store.save(changes)
  }

  private func column(_ name: String) throws -> [StoreValue] {
    try PlainSQL.rows(folder.url, "SELECT \(name) FROM ZTHING ORDER BY Z_PK").map { $0[0] }
  }

  static let extremes: [(String, [StoreValue])] = [
    ("small", [.integer(-32768), .integer(32767), .integer(0)]),
    ("middle", [.integer(-2_147_483_648), .integer(2_147_483_647)]),
    ("large", [.integer(.min), .integer(.max)]), ("flag", [.integer(0), .integer(1)]),
    ("single", [.real(Double(Float.greatestFiniteMagnitude)), .real(Double(Float.leastNonzeroMagnitude))]),
    (
      "double",
      [
        .real(.greatestFiniteMagnitude), .real(.leastNonzeroMagnitude), .real(.infinity), .real(-.infinity),
        .real(0.1 + 0.2), .real(3),
      ]
    ),
    // Distant past and future, before 2001, a millionth of a second, the end of time.
    (
      "moment",
      [
        .real(Date.distantPast.timeIntervalSinceReferenceDate + 0.5), .real(-978_307_200.25), .real(1e-6),
        .real(700_000_000.123456), .real(1e15 + 0.5), .real(.infinity),
      ]
    ),
    (
      "text",
      [
        .text(""), .text("a\0b"), .text("\0"), .text("é"), .text("e\u{301}"), .text("👩‍👩‍👧‍👦"), .text("\u{FFFD}\u{FEFF}"),
        .text(String(repeating: "x", count: 100_000)),
      ]
    ),
    ("address", [.text(""), .text("https://example.org/a b?c#d"), .text("../x")]),
    ("identity", [.blob(Data(repeating: 0, count: 16)), .blob(Data(repeating: 255, count: 16))]),
    ("bytes", [.blob(Data()), .blob(Data([0])), .blob(Data([1, 0, 2]))]), ("object", [.blob(Data())]),
  ]

  @Test(
    "CD-5 values at their bounds come back as they were, and the same bits are in the file", arguments: extremes.indices
  )
  func bounds(index: Int) throws {
    let (property, values) = Self.extremes[index]
    for value in values { try save([property: value]) }
    try save([property: .null])
    #expect(try column("Z\(property.uppercased())") == values + [.null])
    #expect(try store.rows(of: "Thing", properties: [property]).map { $0[3] } == values + [.null])
    if !values.contains(.real(.infinity)) {
      try Oracle.expectSound(folder.url, fresh: true)
    }
  }

  @Test("CD-5 a Boolean, a date or a decimal that is whole is an integer in the file, a floating-point number is not")
  func storageClasses() throws {
    try save([
      "flag": .integer(1), "moment": .real(5), "price": .real(7), "double": .real(5), "single": .integer(6),
    ])
    #expect(
      try PlainSQL.rows(folder.url, "SELECT ZFLAG, ZMOMENT, ZPRICE, ZDOUBLE, ZSINGLE FROM ZTHING")
        == [[.integer(1), .integer(5), .integer(7), .real(5), .real(6)]])
  }

  static let refused: [(String, StoreValue, String)] = [
    ("small", .integer(40_000), "between -32768 and 32767"), ("small", .integer(-32_769), "between"),
    ("middle", .integer(1 << 31), "between"), ("flag", .integer(2), "between 0 and 1"),
    ("small", .text("1"), "is not an integer"), ("small", .real(1), "is not an integer"),
    ("double", .real(.nan), "NaN"), ("double", .text("1"), "is not a number"), ("moment", .real(.nan), "NaN"),
    ("moment", .text("2001"), "is not a date"), ("price", .text("1"), "is not a number"),
    ("price", .real(.nan), "NaN"), ("text", .integer(1), "is not a text"), ("text", .blob(Data()), "is not a text"),
    ("identity", .blob(Data([1])), "exactly 16 bytes"), ("identity", .text("x"), "is not bytes"),
    ("bytes", .text("x"), "is not bytes"), ("object", .integer(1), "is not bytes"),
  ]

  @Test("A value that its column does not hold is refused by the name of the property", arguments: refused.indices)
  func refusals(index: Int) throws {
    let (property, value, reason) = Self.refused[index]
    let error = #expect(throws: SaveError.self) { try save([property: value]) }
    guard case .unstorable(entity: "Thing", property: property, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
    #expect(try column("Z_PK") == [])
  }

  @Test("The name of an element of a composite is told with it")
  func refusedElement() throws {
    let row = StoreValuesRow(["place": .values([.integer(3), .real(.nan)]), "text": .values([.text("x")])])
    let error = #expect(throws: SaveError.self) { try save(row, ["place", "text"]) }
    #expect(error == .unstorable(entity: "Thing", property: "place.inner.height", .notANumber))
    // Of a source that knows no columns, as objects of model classes are, the place in the row tells.
    final class Source: RowSource {
      func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
        try binder.bind("x")
        try binder.bind(3 as Int64)
        try binder.bind(Double.nan)
      }
      func assign(_ object: ObjectKey, wasMerged: Bool) {}
    }
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: 1, columns: ["text", "place"].map { ColumnSelection(entityName: "Thing", propertyName: $0) },
        source: Source())
    ]
    #expect(throws: SaveError.unstorable(entity: "Thing", property: "place.inner.height", .notANumber)) {
      try store.save(changes)
    }
  }

  // MARK: Decimals

  private func decimal(_ text: String) throws -> Decimal { try #require(Decimal(string: text)) }

  /// Saves a decimal as an object of a model class would.
  private func store(_ number: Decimal) throws {
    final class Source: RowSource {
      let number: Decimal
      init(_ number: Decimal) { self.number = number }
      func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws { try binder.bind(number) }
      func assign(_ object: ObjectKey, wasMerged: Bool) {}
    }
    var changes = ChangeSet()
    changes.insertions = [
      .init(
        entity: 1, columns: [ColumnSelection(entityName: "Thing", propertyName: "price")], source: Source(number))
    ]
    _ = try store.save(changes)
  }

  private func decimals() throws -> [Decimal?] {
    let cursor = try store.fetch(
      FetchRequest(
        entityName: "Thing", sortTerms: [SortTerm(expression: .object(FetchPath()))],
        columns: [ColumnSelection(entityName: "Thing", propertyName: "price")]))
    var result: [Decimal?] = []
    while try cursor.next() {
      var reader = cursor.reader()
      result.append(reader.decimal())
    }
    return result
  }

  @Test("CD-5 decimals of 15 digits, and whole ones of 64 bits, lose nothing; others keep their nearest double")
  func decimalRule() throws {
    let exact = [
      "0", "1", "-1", "0.1", "12.34", "-0.000000123456789012345", "999999999999.999", "123456789012345e20", "1e-120",
      "9007199254740993", "9223372036854775807", "-9223372036854775808", "1e127",
    ]
    for text in exact { try store(decimal(text)) }
    #expect(try decimals() == exact.map(decimal))
    let rounded = [
      ("123456789012345.678", "123456789012345.67"), ("0.12345678901234567890123456789", "0.12345678901234568"),
      ("9223372036854775808", "9223372036854776000"), ("99999999999999999999999999999999999999", "1e38"),
    ]
    for (text, _) in rounded { try store(decimal(text)) }
    #expect(try decimals().suffix(rounded.count) == rounded.map { try decimal($0.1) }[...])
    try store(.nan)
    #expect(try decimals().last??.isNaN == true && column("ZPRICE").last == .text("NaN"))
    try Oracle.expectSound(folder.url, fresh: true)
  }

  @Test("CD-5 a double that Core Data's conversion missed by some last places is the short decimal it was")
  func missedDecimals() {
    for (stored, number) in [
      (3.3333333332999993, "3.3333333333"), (0.06999999999999999, "0.07"), (-19.990000000000002, "-19.99"),
      (1234567890120.0002, "1234567890120"), (1.0000000000000002e-20, "1e-20"),
      (0.12345678901234566, "0.12345678901234566"), (0.1234567890123, "0.1234567890123"), (1e21, "1e21"),
    ] {
      #expect(Decimal(StoreValue.real(stored)) == Decimal(string: number), "\(stored)")
    }
  }

  @Test("A decimal that no column gives back is refused")
  func hugeDecimals() throws {
    for number in [try decimal("2e127"), -(try decimal("2e127")), .greatestFiniteMagnitude] {
      #expect(throws: SaveError.unstorable(entity: "Thing", property: "price", .tooLarge)) { try store(number) }
    }
  }

  @Test(
    "What others may have put into a number's column is read without a trap", .damagesStores("values of other types"))
  func foreignNumbers() throws {
    let values: [StoreValue] = [
      .real(1e300), .real(-.infinity), .real(1e-300), .text("12.5"), .text(""), .text("x"), .text("NaN"),
      .blob(Data([1])), .integer(.min), .integer(.max),
    ]
    try save([:])
    for value in values {
      try store.write { connection in
        let statement = try connection.statement(
          "UPDATE ZTHING SET ZPRICE = ?1, ZMOMENT = ?1, ZSMALL = ?1, ZDOUBLE = ?1, ZIDENTITY = ?1, ZTEXT = ?1")
        var binder = RowBinder(statement, startingAt: 1)
        try binder.bind(value)
        try statement.run()
      }
      let cursor = try store.fetch(
        FetchRequest(
          entityName: "Thing",
          columns: ["price", "moment", "small", "double", "identity", "text"].map {
            ColumnSelection(entityName: "Thing", propertyName: $0)
          }))
      while try cursor.next() {
        var reader = cursor.reader()
        let price = reader.decimal()
        _ = (reader.date(), reader.integer(), reader.double())
        #expect(reader.uuid() == nil)
        #expect(reader.text() != nil)
        if value == .real(1e300) || value == .real(-.infinity) { #expect(price == nil) }
        if value == .integer(.min) { #expect(price == Decimal(Int64.min)) }
        if value == .text("NaN") { #expect(price?.isNaN == true) }
      }
    }
  }

  // MARK: Names and text

  @Test("Text that is no UTF-8 is repaired for the reader, and stays as it is in the file")
  func invalidText() throws {
    try save(["text": .text("x")])
    try store.write { try $0.execute("UPDATE ZTHING SET ZTEXT = CAST(x'61FF62' AS TEXT)") }
    #expect(try store.rows(of: "Thing", properties: ["text"])[0][3] == .text("a\u{FFFD}b"))
    var changes = ChangeSet()
    changes.updates = [
      .init(
        object: ObjectKey(entity: 1, key: 1), version: 1,
        columns: [ColumnSelection(entityName: "Thing", propertyName: "small")], changedProperties: ["small"],
        source: StoreValuesRow(values: ["small": .integer(1)]))
    ]
    _ = try store.save(changes)
    #expect(try PlainSQL.rows(folder.url, "SELECT hex(ZTEXT) FROM ZTHING") == [[.text("61FF62")]])
  }

  @Test("Functions and comparisons do not stop at a NUL character")
  func nulCharacters() throws {
    for text in ["a\0b", "a", "a\0c", ""] { try save(["text": .text(text)]) }
    func keys(_ condition: FetchExpression) throws -> [Int64] {
      try store.keys(FetchRequest(entityName: "Thing", predicate: condition)).map(\.key).sorted()
    }
    let text = FetchExpression.attribute(FetchPath(), name: "text", element: [])
    #expect(try keys(.comparison(.equal, text, .constant(.text("a\0b")))) == [1])
    #expect(try keys(.comparison(.equal, text, .constant(.text("a")))) == [2])
    #expect(try keys(.comparison(.less, text, .constant(.text("a\0c")))) == [1, 2, 4])
    #expect(try keys(.comparison(.equal, .string(.count, [text]), .constant(.integer(3)))) == [1, 3])
    #expect(try keys(.string(.contains, [text, .constant(.text("\0c"))])) == [3])
    #expect(try keys(.string(.ends, [text, .constant(.text("b"))])) == [1])
    #expect(try keys(.string(.isEmpty, [text])) == [4])
  }

  static let names = [
    "straße", "STRASSE", "ısı", "isI", "ﬁn", "имя", "名前", "naïve", "ǆ", "order", "a\"b", "a b", "a;--",
  ]

  @Test(
    "CD-2.3 names beyond ASCII are columns in capitals, told apart by numbers, and never SQL",
    .damagesStores("names that the checker does not quote"))
  func unicodeNames() throws {
    let names = Self.names.filter { !$0.contains(where: { "\" ;-".contains($0) }) }
    for (names, isChecked) in [(names, true), (Self.names, false)] {
      let folder = try TemporaryStore()
      let model = ModelDescription(entities: [
        EntityDescription(name: "Größe", properties: names.map { FetchTestWorld.attribute($0, .string) })
      ])
      let store = try PersistentStore.open(at: folder.url, model: model)
      let row = Dictionary(uniqueKeysWithValues: names.map { ($0, StoreValue.text("value of \($0)")) })
      var changes = ChangeSet()
      changes.insertions = [
        .init(
          entity: 1, columns: names.map { ColumnSelection(entityName: "Größe", propertyName: $0) },
          source: StoreValuesRow(values: row))
      ]
      _ = try store.save(changes)
      store.close()
      let again = try PersistentStore.open(at: folder.url)
      #expect(try again.rows(of: "Größe", properties: names)[0].dropFirst(3) == names.map { row[$0] ?? .null }[...])
      let columns = try PlainSQL.rows(folder.url, "SELECT name FROM pragma_table_info('ZGRÖSSE')").map { $0[0] }
      #expect(columns.count == names.count + 3 && Set(columns).count == columns.count)
      #expect(columns.contains(.text("ZИМЯ")) && columns.contains(.text("Z名前")))
      if isChecked {
        try Oracle.expectSound(folder.url, fresh: true)
      }
    }
  }
}
