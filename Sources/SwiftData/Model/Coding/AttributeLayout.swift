internal import CoreDataStore
internal import Foundation
internal import ManagedModel
internal import StoreRequests
internal import Synchronization

/// The columns of a type whose value is not one column by itself (CD-5); found once per type.
final class AttributeLayout: @unchecked Sendable {
  let shape: Shape
  /// The leaves of a structure or of a single value by their keys; empty for other shapes.
  let columns: [String: Leaf]
  /// Whether the type is an optional.
  let isOptional: Bool
  /// The type of an array's elements, if an engine may keep them as values of their own.
  let arrayElement: AttributeType?

  enum Shape {
    /// One column.
    case column(any _ColumnValue.Type)
    /// An enumeration, or another type with a raw value: a composite with one leaf, named like the property.
    case rawValue(any _ColumnValue.Type)
    /// A type that encodes itself as a single value: one column of this value's type.
    case singleValue(Leaf)
    /// An enumeration without raw values: a composite with a leaf per case. The leaf of the value's case holds the case's name.
    case cases([String], [String: Any])
    /// Like ``cases(_:_:)``, for an enumeration with payloads: the leaves of a case with a payload hold the payload.
    case variants([EnumerationCase])
    /// A `Codable` structure: a composite with a leaf per stored property.
    case structure([Leaf])
    /// An array, a set or a dictionary: one column of bytes.
    case collection
    /// A type that encodes itself as a list: one column of JSON.
    case list
    case unsupported(String)
  }

  /// One column of a structure.
  struct Leaf {
    let name: String
    /// The type of the column; `Data` for members that are stored as JSON.
    let type: any _ColumnValue.Type
    let isOptional: Bool
    let isJSON: Bool
    /// Whether the column holds the member's raw value, or the single value that its type encodes itself as.
    var isCoded = false
    /// The type of the member, without an optional.
    var memberType: any Any.Type = Any.self
    /// The members that lead to this leaf's composite, if it is nested in the property's composite; otherwise empty.
    var outer: [String] = []
    /// Whether `init(from:)` reads the member of each value. Of a member that is stored as JSON ``isOptional`` does not tell.
    var isRequired = false

    var path: [String] { outer + [name] }
    /// The name of the leaf of a single value, which has no key.
    static let singleValueName = ""

    /// The path as one string, the key under which values are found.
    var key: String { path.joined(separator: AttributeLayout.separator) }
  }

  /// Separates the members of a path; no name in Core Data contains it.
  static let separator = "\u{1F}"

  private static let cache = Mutex<[ObjectIdentifier: AttributeLayout]>([:])
  /// The types whose layouts are being found, which detects an indirect enumeration that contains itself.
  @TaskLocal private static var beingFound: Set<ObjectIdentifier> = []

  static func of(_ type: any Any.Type) -> AttributeLayout {
    let key = ObjectIdentifier(type)
    if let known = cache.withLock({ $0[key] }) { return known }
    let outer = beingFound
    guard !outer.contains(key) else { return AttributeLayout(.unsupported("it contains itself."), of: type) }
    let made = $beingFound.withValue(outer.union([key])) { AttributeLayout(shape(of: type), of: type) }
    // A layout found inside another layout may stop at an outer type, so it is not cached.
    guard outer.isEmpty else { return made }
    return cache.withLock { cache in
      if let known = cache[key] { return known }
      cache[key] = made
      return made
    }
  }

  private init(_ shape: Shape, of type: any Any.Type) {
    self.shape = shape
    columns = Dictionary(shape.leaves.map { ($0.key, $0) }) { first, _ in first }
    isOptional = type is any OptionalType.Type
    if case .collection = shape, let array = SwiftData.unwrapped(type) as? any ArrayValue.Type {
      arrayElement = ArrayElement.type(of: array.elementType)
    } else {
      arrayElement = nil
    }
  }

  private static func shape(of type: any Any.Type) -> Shape {
    let type = (type as? any OptionalType.Type)?.wrappedType ?? type
    if let column = type as? any _ColumnValue.Type { return .column(column) }
    if let raw = type as? any RawRepresentable.Type, let column = rawType(raw) { return .rawValue(column) }
    if let set = setElement(type), set is any PersistentModel.Type {
      return .unsupported("a to-many relationship is an array: write [\(set)].")
    }
    if type is any ArrayValue.Type || type is any EmptyCollectionValue.Type {
      return type is any Codable.Type ? .collection : .unsupported("its elements are not Codable.")
    }
    guard let codable = type as? any Codable.Type else {
      if type == AttributedString.self {
        return .unsupported(
          "Foundation on Linux cannot code it. Store its text or its Markdown, or mark the property @Transient.")
      }
      return .unsupported("make it Codable, or mark the property @Transient.")
    }
    // Foundation on Linux traps when it decodes a character set from a number that identifies no set.
    if type == CharacterSet.self { return .unsupported("its parts are not known: use @Attribute(.codable).") }
    if let cases = EnumerationCase.all(of: codable) { return shape(of: codable, cases) }
    // A type's own `allCases` may leave out cases, so it is asked only if the coding does not tell them.
    if let enumeration = type as? any CaseIterable.Type, let cases = cases(of: enumeration) { return cases }
    if let composite = type as? any CompositeValue.Type { return .structure(composite.leaves()) }
    // A property is an optional; a second optional has no column.
    if type is any OptionalType.Type { return .unsupported("an optional of an optional has no column: write one '?'.") }
    do {
      return try LeafRecorder.shape(of: codable)
    } catch let problem as LeafRecorder.Problem {
      return .unsupported(problem.reason)
    } catch {
      return .unsupported(
        "its stored parts cannot be found, since its init(from:) fails without values: use @Attribute(.codable).")
    }
  }

  private static func cases<Enumeration: CaseIterable>(of type: Enumeration.Type) -> Shape? {
    let pairs = type.allCases.compactMap { value in
      (value as? any Encodable).flatMap { LeafEncoder.caseName(of: $0) }.map { (name: $0, value: value as Any) }
    }
    guard !pairs.isEmpty, pairs.count == type.allCases.count, Set(pairs.map(\.name)).count == pairs.count else {
      return nil
    }
    return .cases(pairs.map(\.name), Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first })
  }

  private static func shape<Value: Decodable>(of type: Value.Type, _ cases: [EnumerationCase]) -> Shape {
    var values: [String: Any] = [:]
    for member in cases {
      guard case .none = member.payload, let value = try? member.value(type, from: []) else {
        return .variants(cases)
      }
      values[member.name] = value
    }
    return .cases(cases.map(\.name), values)
  }

  private static func rawType<Raw: RawRepresentable>(_ type: Raw.Type) -> (any _ColumnValue.Type)? {
    Raw.RawValue.self as? any _ColumnValue.Type
  }

  private static func setElement(_ type: any Any.Type) -> (any Any.Type)? { (type as? any SetValue.Type)?.elementType }

  /// The leaves of a composite under the name of its property; `nil` if the type is not a composite.
  func leaves(named name: String) -> [(name: String, type: any Any.Type)]? {
    switch shape {
    case .column, .singleValue, .collection, .list, .unsupported: nil
    case .cases(let names, _): names.map { ($0, String?.self) }
    case .variants(let cases): cases.columns.map { ($0.name, Self.optional($0.type)) }
    case .rawValue(let column): [(name, Self.optional(column))]
    case .structure(let leaves):
      leaves.map { ($0.key, isOptional || $0.isOptional ? Self.optional($0.type) : $0.type) }
    }
  }

  private static func optional<Value>(_ type: Value.Type) -> any Any.Type { Value?.self }

  /// Whether a property of the type has one column, and not one for each of its parts.
  var hasOneColumn: Bool {
    switch shape {
    case .column, .rawValue, .singleValue, .collection, .list: true
    case .cases, .variants, .structure, .unsupported: false
    }
  }

  /// The names of the leaves whose bytes are JSON.
  var jsonLeaves: Set<String> {
    switch shape {
    case .column, .rawValue, .singleValue, .cases, .collection, .list, .unsupported: []
    case .variants(let cases): Set(cases.columns.filter(\.isJSON).map(\.name))
    case .structure(let leaves): Set(leaves.filter(\.isJSON).map(\.key))
    }
  }

  /// The zero of a composite or of a single value: a structure of zero leaves, or the first case that can be made; `nil` if neither works.
  func zero<Value>(_ type: Value.Type) -> Value? {
    switch (shape, type as? any Decodable.Type) {
    case (.structure, let codable?), (.singleValue, let codable?):
      try? LeafDecoder.decode(codable, from: Dictionary(shape.leaves.map { ($0.key, $0.zero) }) { first, _ in first })
        as? Value
    case (.cases(let names, let values), _): names.first.flatMap { values[$0] } as? Value
    case (.variants(let cases), let codable?):
      cases.lazy.compactMap { (try? $0.value(codable, from: [])) as? Value }.first
    default: nil
    }
  }
}

extension AttributeLayout.Shape {
  /// The leaves of a structure, or the only leaf of a single value; empty for other shapes.
  var leaves: [AttributeLayout.Leaf] {
    switch self {
    case .structure(let leaves): leaves
    case .singleValue(let leaf): [leaf]
    case .column, .rawValue, .cases, .variants, .collection, .list, .unsupported: []
    }
  }
}

/// `Set`, to find its element type at run time.
protocol SetValue {
  static var elementType: any Any.Type { get }
}

extension Set: SetValue { static var elementType: any Any.Type { Element.self } }

extension AttributeLayout.Leaf {
  var zero: StoreValue {
    isOptional || isCoded ? .null : (isJSON ? .blob(Data("[]".utf8)) : type._zero._columnConstant.value)
  }
}

extension AttributeLayout {
  /// Reads the columns of a value; if they hold none, `nil`, or for an optional type the value `nil`.
  func read<Value>(_ type: Value.Type, from row: inout _RowReader) -> Value? {
    let none = (type as? any OptionalType.Type)?.emptyValue as? Value
    let target = (type as? any OptionalType.Type)?.wrappedType ?? type
    let place = row.place
    switch shape {
    case .column(let column):
      return Self.readColumn(column, from: &row) as? Value ?? none
    case .rawValue(let column):
      guard let raw = Self.readColumn(column, from: &row), let type = target as? any RawRepresentable.Type else {
        return none
      }
      if let value = Self.value(type, raw) as? Value { return value }
      row.noteMisfit()
      return none
    case .cases(let names, let values):
      var found: Value?
      for name in names where row.row.text() != nil { found = values[name] as? Value ?? found }
      return found ?? none
    case .variants(let cases):
      guard let stored = cases.stored({ row.row.value() }), let type = target as? any Decodable.Type else {
        return none
      }
      return Self.reading(type, place) { try stored.member.value(type, from: stored.values) } as? Value ?? none
    case .structure, .singleValue:
      var values: [String: StoreValue] = [:]
      var hasValue = false
      let leaves = shape.leaves
      for leaf in leaves {
        let value = row.row.value()
        hasValue = hasValue || value != .null
        values[leaf.key] = value
      }
      guard let type = target as? any Decodable.Type else { return none }
      guard hasValue else { return none ?? Self.valueOfNulls(type, values) as? Value }
      return Self.reading(type, place) { try LeafDecoder.decode(type, from: values, at: place) } as? Value ?? none
    case .collection:
      let isJSON = row.row.isJSON
      guard let data = row.row.blob(), let type = target as? any Decodable.Type else { return none }
      return Self.reading(type, place) {
        try ArchivedCollection.decode(type, from: data, isJSON: isJSON, zeros: TypeZeros())
      } as? Value ?? none
    case .list: return OpaqueValue(.codable).read(type, from: row.row.blob(), at: place)
    case .unsupported:
      return none
    }
  }

  /// Writes the columns of a value.
  func write<Value>(_ value: Value, into row: inout _RowWriter) throws {
    let content: Any? = (value as? any OptionalType).map { $0.wrappedValue } ?? value
    switch shape {
    case .column(let column): try Self.writeColumn(column, content, into: &row)
    case .rawValue(let column):
      try Self.writeColumn(column, (content as? any RawRepresentable).map { Self.rawValue($0) }, into: &row)
    case .cases(let names, _):
      let chosen = try Self.encodable(content).map { try LeafEncoder.caseName(of: $0, among: names) }
      for name in names { try row.row.bind(name == chosen ? name : nil) }
    case .variants(let cases):
      let values = try Self.encodable(content).map {
        try EnumerationCase.columns(of: $0, cases: cases, keepsAllDigits: true)
      }
      for (index, leaf) in cases.columns.enumerated() {
        try Self.bind(values?[index] ?? .null, isDecimal: leaf.type == Decimal.self, into: &row)
      }
    case .structure, .singleValue:
      let values = try Self.encodable(content).map { try LeafEncoder.encode($0, keepsAllDigits: true) } ?? [:]
      for leaf in shape.leaves {
        try Self.bind(values[leaf.key] ?? .null, isDecimal: leaf.type == Decimal.self, into: &row)
      }
    case .collection:
      guard let encodable = try Self.encodable(content) else { return try row.row.bind(StoreValue.null) }
      try row.row.bind(.blob(try ArchivedCollection.encode(encodable)))
    case .list:
      let bytes = try Self.encodable(content).map { try ColumnJSON.encode($0) }
      try row.row.bind(bytes.map { .blob($0) } ?? StoreValue.null)
    case .unsupported: try row.row.bindNull()
    }
  }

  /// Writes the value of a column. The engine decides how many digits of a decimal number its column keeps.
  private static func bind(_ value: StoreValue, isDecimal: Bool, into row: inout _RowWriter) throws {
    if isDecimal, value != .null, let number = value.allDigits {
      try row.row.bind(number)
    } else {
      try row.row.bind(value)
    }
  }

  /// The value as an encoder takes it; `nil` for none.
  ///
  /// - Throws: `EncodingError` if a global actor isolates the type's conformance and this thread is not the actor's.
  private static func encodable(_ content: Any?) throws -> (any Encodable)? {
    guard let content else { return nil }
    if let encodable = content as? any Encodable { return encodable }
    throw EncodingError.invalidValue(content, .init(codingPath: [], debugDescription: OpaqueValue.notEncodable))
  }

  /// The structure whose columns are all `NULL`, since each of its members is `nil`; `nil` if the type has no such value.
  private static func valueOfNulls<Value: Decodable>(_ type: Value.Type, _ nulls: [String: StoreValue]) -> Any? {
    guard let value = try? LeafDecoder.exactly(type, from: nulls),
      let written = (value as? any Encodable).flatMap({ try? LeafEncoder.encode($0) }),
      nulls.keys.allSatisfy({ (written[$0] ?? .null) == .null })
    else { return nil }
    return value
  }

  /// The result of `read`; if it throws, logs the error and returns `nil`.
  private static func reading(_ type: any Decodable.Type, _ place: ValuePlace, _ read: () throws -> Any) -> Any? {
    do { return try read() } catch {
      place.reportMisfit(type, error)
      return nil
    }
  }

  private static func readColumn<Column: _ColumnValue>(_ type: Column.Type, from row: inout _RowReader) -> Any? {
    Column._read(from: &row)
  }

  private static func writeColumn<Column: _ColumnValue>(
    _ type: Column.Type, _ value: Any?, into row: inout _RowWriter
  ) throws {
    try Column._write(value as? Column, into: &row)
  }

  private static func value<Raw: RawRepresentable>(_ type: Raw.Type, _ raw: Any) -> Any? {
    (raw as? Raw.RawValue).flatMap { Raw(rawValue: $0) }
  }

  private static func rawValue<Raw: RawRepresentable>(_ value: Raw) -> Any { value.rawValue }
}
