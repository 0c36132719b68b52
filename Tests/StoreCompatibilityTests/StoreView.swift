import Foundation
import SQLite
import Testing

@testable import SwiftData

/// The values of all objects of a context, under the names of the columns that should hold them.
///
/// Column names follow hand-written rules of CD-2 and exceptions that a test states, not the library's layout.
struct StoreView {
  struct Object: Equatable {
    /// Values of attributes, and keys of the destinations of to-one relationships, by column; without nil.
    var columns: [String: ExportValue] = [:]
    /// Keys of the members of each to-many relationship that is not empty; in order if it is ordered.
    var members: [String: [Int64]] = [:]
  }

  /// By entity, then by key.
  private(set) var objects: [String: [Int64: Object]] = [:]

  var count: Int { objects.values.reduce(0) { $0 + $1.count } }

  /// - Parameter names: columns that are not named after their property, by entity and path: `"Cocktail.author.id": "ZID"`.
  init(_ context: ModelContext, _ schema: Schema, names: [String: String] = [:]) throws {
    for model in schema.classes.values {
      for object in try Self.fetch(model.type, context) where object.persistentModelID.entityName == model.entityName {
        var view = Object()
        for property in model.properties where !property.isTransient {
          let value = (object as Any)[keyPath: property.keyPath]
          let name = property.persistentName
          if property.isToMany {
            let keys = (Self.unwrapped(value) as? [any PersistentModel] ?? []).map { $0._$state.key }
            let isOrdered = property.relationship?.options.contains(.ordered) ?? false
            if !keys.isEmpty { view.members[name] = isOrdered ? keys : keys.sorted() }
          } else if property.attribute?.options.contains(.externalStorage) == true {
            view.columns["Z" + name.uppercased()] = (Self.unwrapped(value) as? Data).map { .external($0) }
          } else {
            try view.add(value, named: name, at: "\(model.entityName).\(name)", names)
          }
        }
        objects[model.entityName, default: [:]][object._$state.key] = view
      }
    }
    #expect(!context.hasChanges, "reading changes nothing")
  }

  /// The differences from another view, one line each.
  func differences(from other: StoreView) -> [String] {
    var lines: [String] = []
    for entity in Set(objects.keys).union(other.objects.keys) {
      let (own, others) = (objects[entity] ?? [:], other.objects[entity] ?? [:])
      for key in Set(own.keys).union(others.keys) where own[key] != others[key] {
        let (own, other) = (own[key] ?? Object(), others[key] ?? Object())
        for name in Set(own.columns.keys).union(other.columns.keys) where own.columns[name] != other.columns[name] {
          lines.append("\(entity) \(key) \(name): \(own.columns[name] as Any), not \(other.columns[name] as Any)")
        }
        for name in Set(own.members.keys).union(other.members.keys) where own.members[name] != other.members[name] {
          lines.append("\(entity) \(key) \(name): \(own.members[name] as Any), not \(other.members[name] as Any)")
        }
      }
    }
    return lines.sorted()
  }

  private static func fetch<Model: PersistentModel>(
    _ type: Model.Type, _ context: ModelContext
  ) throws -> [any PersistentModel] {
    try context.fetch(FetchDescriptor<Model>())
  }

  fileprivate static func unwrapped(_ value: Any?) -> Any? {
    guard let value else { return nil }
    guard let optional = value as? any OptionalType else { return value }
    return unwrapped(optional.wrappedValue)
  }
}

extension StoreView.Object {
  /// Adds a value, or the values of a structure's elements.
  fileprivate mutating func add(
    _ value: Any?, named name: String, at path: String, isPart: Bool = false, _ names: [String: String]
  ) throws {
    let column = names[path] ?? "Z" + name.uppercased()
    switch StoreView.unwrapped(value) {
    case nil: break
    case let object as any PersistentModel: columns[column] = .integer(object._$state.key)
    case let value? where ExportValue(value) != nil: columns[column] = ExportValue(value)
    case let value as any RawRepresentable: try add(value.rawValue, named: name, at: path, isPart: isPart, names)
    case let value as any CaseIterable: columns["Z\(value)".uppercased()] = .text("\(value)")
    case let list as [any Encodable]:
      columns[column] = isPart ? try .json(list) : .archive(list.map { "\($0)" })
    case let value?:
      for part in Mirror(reflecting: value).children {
        let label = part.label ?? ""
        try add(part.value, named: label, at: "\(path).\(label)", isPart: true, names)
      }
    }
  }
}

/// A value as SQLite stores it. Numbers compare by amount: columns of dates store whole numbers as integers.
enum ExportValue: Equatable, CustomStringConvertible {
  case integer(Int64)
  case real(Double)
  case text(String)
  case bytes(Data)
  /// Bytes in the row after a marker byte, or in a file.
  case external(Data)
  /// Canonical text.
  case json(String)
  /// The strings in a keyed archive.
  case archive([String])

  init?(_ value: Any) {
    switch value {
    case let value as Bool: self = .integer(value ? 1 : 0)
    case let value as any FixedWidthInteger: self = .integer(Int64(clamping: value))
    case let value as Double: self = .real(value)
    case let value as Float: self = .real(Double(value))
    case let value as Decimal: self = .real(Double("\(value)") ?? .nan)
    case let value as String: self = .text(value)
    case let value as Date: self = .real(value.timeIntervalSinceReferenceDate)
    case let value as Data: self = .bytes(value)
    case let value as UUID: self = .bytes(withUnsafeBytes(of: value.uuid) { Data($0) })
    case let value as any PlainBytes: self = .bytes(value.bytes)
    default: return nil
    }
  }

  static func json(_ list: [any Encodable]) throws -> ExportValue {
    let parts = try list.map {
      try JSONSerialization.jsonObject(with: JSONEncoder().encode($0), options: .fragmentsAllowed)
    }
    return .json(try canonical(parts))
  }

  private static func canonical(_ object: Any) throws -> String {
    String(
      decoding: try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .fragmentsAllowed]),
      as: UTF8.self)
  }

  static func == (left: ExportValue, right: ExportValue) -> Bool {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): left == right
    case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
    case (.integer(let left), .real(let right)), (.real(let right), .integer(let left)): Double(left) == right
    case (.text(let left), .text(let right)): Data(left.utf8) == Data(right.utf8)
    case (.bytes(let left), .bytes(let right)): left == right
    case (.external(let left), .external(let right)): left == right
    case (.json(let left), .json(let right)): left == right
    case (.json(let text), .bytes(let bytes)), (.bytes(let bytes), .json(let text)):
      (try? canonical(JSONSerialization.jsonObject(with: bytes))) == text
    case (.archive(let left), .archive(let right)): left == right
    case (.archive(let list), .bytes(let bytes)), (.bytes(let bytes), .archive(let list)):
      (try? NSKeyedUnarchiver.unarchivedObject(ofClasses: [NSArray.self, NSString.self], from: bytes)) as? [String]
        == list
    default: false
    }
  }

  var description: String {
    switch self {
    case .integer(let value): "\(value)"
    case .real(let value): "\(value)"
    case .text(let value): value.debugDescription
    case .bytes(let value), .external(let value):
      value.count > 40 ? "\(value.count) bytes" : value.map { String(format: "%02x", $0) }.joined()
    case .json(let value): value
    case .archive(let list): "\(list)"
    }
  }
}

extension Statement {
  /// The value as it is stored; `nil` for NULL.
  fileprivate func plainValue(_ column: Int) -> ExportValue? {
    switch type(column) {
    case .null: nil
    case .integer: .integer(integer(column))
    case .real: .real(double(column))
    case .text: .text(text(column) ?? "")
    case .blob: .bytes(blob(column) ?? Data())
    }
  }
}

/// A value that a test's own transformer stores as these bytes.
protocol PlainBytes {
  var bytes: Data { get }
}

/// The rows of a store, by plain SQL.
struct ExportStore {
  private let url: URL
  private let connection: Connection

  init(_ url: URL) throws {
    self.url = url
    connection = try Connection(path: url.path, mode: .readWrite)
  }

  func close() { connection.close() }

  /// All rows of a query by their first column, without columns that are NULL.
  private func rows(_ sql: String) throws -> [Int64: [String: ExportValue]] {
    let statement = try connection.prepare(sql)
    var rows: [Int64: [String: ExportValue]] = [:]
    while try statement.step() {
      var row: [String: ExportValue] = [:]
      for column in 0..<statement.columnCount { row[statement.columnName(column)] = statement.plainValue(column) }
      rows[statement.integer(0)] = row
    }
    return rows
  }

  private func pairs(_ sql: String) throws -> [Int64: [Int64]] {
    let statement = try connection.prepare(sql)
    var pairs: [Int64: [Int64]] = [:]
    while try statement.step() { pairs[statement.integer(0), default: []].append(statement.integer(1)) }
    return pairs
  }

  /// Expects that objects and rows agree: every column of every row, and every pair.
  ///
  /// - Parameter pairs: a query of owner and member for each to-many relationship, by entity and name, in the order of members.
  func expectSame(as view: StoreView, pairs queries: [String: String], sourceLocation: SourceLocation) throws {
    let numbers = try connection.prepare("SELECT Z_ENT, Z_NAME FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT")
    var rowCount = 0
    while try numbers.step() {
      guard case .text(let entity)? = numbers.plainValue(1) else { continue }
      let objects = view.objects[entity] ?? [:]
      let rows = try rows("SELECT * FROM Z\(entity.uppercased()) WHERE Z_ENT = \(numbers.integer(0))")
      rowCount += rows.count
      #expect(rows.keys.sorted() == objects.keys.sorted(), "\(entity)", sourceLocation: sourceLocation)
      for (key, row) in rows {
        // Keys, versions, order columns, and foreign keys of relationships without an inverse, which the pairs below cover.
        let values = row.filter { !$0.key.hasPrefix("Z_") && !($0.key.dropFirst().first?.isNumber ?? false) }
        for column in Set(values.keys).union((objects[key]?.columns ?? [:]).keys) {
          let read = objects[key]?.columns[column]
          let stored = if case .external? = read { values[column].flatMap(external) } else { values[column] }
          #expect(stored == read, "\(entity) \(key): \(column)", sourceLocation: sourceLocation)
        }
      }
    }
    #expect(rowCount == view.count, sourceLocation: sourceLocation)
    for (name, sql) in queries {
      let parts = name.split(separator: ".").map(String.init)
      let read = (view.objects[parts[0]] ?? [:]).compactMapValues { $0.members[parts[1]] }
      #expect(try pairs(sql) == read, "\(name)", sourceLocation: sourceLocation)
    }
    let named = Set(
      view.objects.flatMap { entity in entity.value.values.flatMap { $0.members.keys.map { "\(entity.key).\($0)" } } })
    #expect(named.subtracting(queries.keys) == [], "each has its query", sourceLocation: sourceLocation)
  }

  /// A value of external storage: after a 1 its bytes, after a 2 the name of a file (CD-5).
  private func external(_ value: ExportValue) -> ExportValue? {
    guard case .bytes(let bytes) = value else { return nil }
    if bytes.first == 1 { return .external(bytes.dropFirst()) }
    let folder = url.deletingLastPathComponent().appending(
      path: ".\(url.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA")
    let name = String(decoding: bytes.dropFirst().dropLast(), as: UTF8.self)
    return (try? Data(contentsOf: folder.appending(path: name))).map { .external($0) }
  }

  /// The parts that no save may change: tables, indexes and triggers with their SQL, the model and the metadata.
  func form() throws -> [String] {
    var form: [String] = []
    for sql in [
      "SELECT 1, name, sql FROM sqlite_master ORDER BY name", "SELECT 1, hex(Z_CONTENT) FROM Z_MODELCACHE",
      "SELECT 1, Z_VERSION, Z_UUID, hex(Z_PLIST) FROM Z_METADATA",
      "SELECT 1, Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY WHERE Z_ENT < 16000 ORDER BY Z_ENT",
    ] where try sql.contains("Z_MODELCACHE") == false || connection.integer(Self.hasModel) == 1 {
      let statement = try connection.prepare(sql)
      while try statement.step() {
        form.append(
          (1..<statement.columnCount).map { "\(statement.plainValue($0)?.description ?? "")" }.joined(separator: " "))
      }
    }
    return form
  }

  private static let hasModel = "SELECT count(*) FROM sqlite_master WHERE name = 'Z_MODELCACHE'"
}
