internal import ErrorReporting
internal import Foundation
internal import ManagedModel
internal import StoreRequests

/// The values of a snapshot as an engine's rows have them.
struct SnapshotContent {
  let entity: StoreEntity
  /// By property name in the model.
  var values: [String: [StoreValue]] = [:]
  /// The members of each to-many relationship that the snapshot has.
  var members: [String: [PersistentIdentifier]] = [:]
  var hash: SnapshotHash {
    var hashes: [String: Int] = [:]
    for (name, listed) in members {
      if case .toMany(let relationship) = entity.property(named: name), relationship.description.isOrdered {
        hashes[name] = listed.hashValue
      } else {
        // A store may give the members in any order.
        hashes[name] = Set(listed).hashValue
      }
    }
    return SnapshotHash(values: values.hashValue, members: hashes)
  }
}

/// Tells whether a row has changed.
struct SnapshotHash {
  fileprivate let values: Int
  /// Of each to-many relationship that the snapshot has. A store may give other relationships than it was given.
  fileprivate var members: [String: Int]

  func differs(from other: SnapshotHash) -> Bool {
    values != other.values || members.contains { name, hash in other.members[name].map { $0 != hash } ?? false }
  }

  /// Takes over the relationships that only a later snapshot of the same row has.
  mutating func learnMembers(of other: SnapshotHash) {
    if members.count < other.members.count { members.merge(other.members) { own, _ in own } }
  }
}

/// A snapshot as a row.
struct SnapshotRow {
  let object: ObjectKey
  let version: Int64
  let content: SnapshotContent
}

extension SnapshotEngine {
  /// The values of a snapshot.
  ///
  /// - Parameter remapped: replaces identifiers of related objects.
  /// - Throws: ``SwiftDataError`` if the snapshot has no identifier, or a value that is not of its property's type.
  func content(
    of snapshot: Store.Snapshot, replacing remapped: [PersistentIdentifier: PersistentIdentifier]
  ) throws -> (PersistentIdentifier, SnapshotContent) {
    let coded = try SnapshotValues(snapshot)
    let identifier = snapshot.persistentIdentifier
    let entity = try entities.existingEntity(identifier.entityName)
    guard let model = classes[entity.name] else { throw QueryError.unknownEntity(name: entity.name, nearest: nil) }
    var content = SnapshotContent(entity: entity)
    for property in model.properties where !property.isTransient {
      let name = property.persistentName
      let given = coded.values[property.name] ?? coded.values[name]
      do {
        switch entity.property(named: name) {
        case .attribute(let attribute):
          content.values[name] = try columns(property.valueType, given, property, width: attribute.leaves.count)
        case .toOne(let relationship):
          let named = try recoded(given, as: PersistentIdentifier.self).map { remapped[$0] ?? $0 }
          let object = destination(named, of: property, relationship, in: entity)
          content.values[name] = object.map { [.integer($0.key), .integer(Int64($0.entity))] } ?? [.null, .null]
        case .toMany(let relationship):
          let named = try recoded(given, as: [PersistentIdentifier].self)?.map { remapped[$0] ?? $0 }
          content.members[name] = members(named, of: property, relationship, in: entity)
        case nil: break
        }
      } catch {
        throw SwiftDataError(
          .storeFailure,
          "The store \(store.configuration.name) gave a value of \(entity.name).\(property.name) that is not \(property.typeInSnapshots): \(error)",
          underlyingError: error)
      }
    }
    return (remapped[identifier] ?? identifier, content)
  }

  /// The columns of an attribute's value.
  private func columns<Value>(
    _ type: Value.Type, _ given: (any Encodable)?, _ property: ModelClass.Property, width: Int
  ) throws -> [StoreValue] {
    let nulls = [StoreValue](repeating: .null, count: width)
    guard let given else { return nulls }
    let sink = ValueSink()
    var writer = _RowWriter(RowBinder(sink, startingAt: 1))
    let option = property.attribute?.options.first(where: \.isOpaque)
    // A transformable value comes as the transformed bytes, any other opaque value as itself.
    if option != nil, let bytes = given as? Data {
      try writer.write(bytes)
    } else {
      guard let value = try typed(given, as: type) else { return nulls }
      if let option {
        try writer.write(OpaqueValue(option).bytes(of: value))
      } else {
        try AttributeLayout.of(type).write(value, into: &writer)
      }
    }
    return sink.values.count == width ? sink.values : nulls
  }

  /// A value of a snapshot as its property's type; `nil` if it is coded as null.
  private func typed<Value>(_ given: any Encodable, as type: Value.Type) throws -> Value? {
    if let value = given as? Value { return value }
    let target = (type as? any OptionalType.Type)?.wrappedType ?? type
    func recode<Coded: Decodable>(_ type: Coded.Type) throws -> Any? { try recoded(given, as: type) }
    if let decodable = target as? any Decodable.Type {
      guard let value = try recode(decodable) else { return nil }
      if let value = value as? Value { return value }
    }
    throw SnapshotMismatch(given: "\(Swift.type(of: given))")
  }

  /// A value of a snapshot as another type that has the same coding; `nil` if it is absent, or coded as null.
  func recoded<Value: Decodable>(_ given: (any Encodable)?, as type: Value.Type) throws -> Value? {
    guard let given else { return nil }
    if let value = given as? Value { return value }
    if let optional = given as? any OptionalType, optional.wrappedValue == nil { return nil }
    func encoded<Given: Encodable>(_ given: Given) throws -> Data { try JSONEncoder().encode([given]) }
    return try JSONDecoder().decode([Value?].self, from: encoded(given)).first ?? nil
  }
}

extension ModelClass.Property {
  /// What a snapshot has for the property, in words.
  fileprivate var typeInSnapshots: String {
    switch relationshipType?.isToMany {
    case nil: "of type \(valueType)"
    case false?: "a PersistentIdentifier"
    case true?: "a list of PersistentIdentifiers"
    }
  }
}

/// A value of a snapshot that is not of its property's type, and cannot be coded as it.
private struct SnapshotMismatch: ReportableError {
  let given: String
  var problem: String { "it is of type \(given)" }
  var remedy: String? { "give it as a value of the property's type, or of a type with the same coding" }
}

/// Rows of a custom store, each with the key of its owner.
final class SnapshotRows: ObjectRows {
  private let rows: [(owner: Int64, row: SnapshotRow)]
  private let columns: [ColumnSelection]
  private let entities: EntityTable
  private var position = -1
  private var values: [StoreValue] = []

  init(_ rows: [(Int64, SnapshotRow)], _ columns: [ColumnSelection], _ entities: EntityTable) {
    self.rows = rows
    self.columns = columns
    self.entities = entities
  }

  convenience init(_ rows: [SnapshotRow], _ columns: [ColumnSelection], _ entities: EntityTable) {
    self.init(rows.map { (0, $0) }, columns, entities)
  }

  var soleEntity: Int32? { nil }
  var key: Int64 { rows[position].row.object.key }
  var entity: Int32 { rows[position].row.object.entity }
  var version: Int64 { rows[position].row.version }
  var owner: Int64 { rows[position].owner }

  func next() throws -> Bool {
    position += 1
    guard position < rows.count else { return false }
    let content = rows[position].row.content
    values = columns.flatMap { column -> [StoreValue] in
      let width = entities.entity(named: column.entityName)?.property(named: column.propertyName)?.width ?? 0
      return content.values[column.propertyName] ?? [StoreValue](repeating: .null, count: width)
    }
    return true
  }

  func value(_ column: Int) -> StoreValue { values.indices.contains(column) ? values[column] : .null }

  func close() { position = rows.count }
}
