import Foundation
import ManagedModel
import StoreRequests

@testable import CoreDataStore

/// The rows of a store as its columns have them, with the pairs of rows of each relationship.
struct StoredRows {
  struct Pair: Hashable {
    let owner: Int64
    let member: Int64
  }

  /// By entity and key: the values of attributes, by name, and by path for elements of structures.
  private(set) var rows: [String: [Int64: [String: StoreValue]]] = [:]
  /// By entity of the owner and relationship: the pairs with the member's position.
  private(set) var pairs: [String: [String: [(pair: Pair, position: StoreValue)]]] = [:]
  let layout: StoreLayout

  init(_ store: PersistentStore) throws {
    layout = store.layout
    for entity in layout.entities where !entity.isAbstract {
      rows[entity.name] = [:]
      let columns = entity.properties.flatMap { (property) -> [AttributeColumn] in
        if case .attribute(let attribute) = property { attribute.columns } else { [] }
      }
      let list = (["Z_PK"] + columns.map { "\($0.name)" }).joined(separator: ", ")
      let sql = "SELECT \(list) FROM \(entity.table) WHERE Z_ENT = \(entity.number)"
      for row in try store.rows(of: [.text(sql)]).rows {
        guard case .integer(let key) = row[0] else { continue }
        rows[entity.name]?[key] = Dictionary(
          zip(columns.map { $0.path.joined(separator: ".") }, row.dropFirst()), uniquingKeysWith: { $1 })
      }
      for property in entity.properties {
        guard let sql = Self.pairs(of: property, entity) else { continue }
        pairs[entity.name, default: [:]][property.name] = try store.rows(of: [.text(sql)]).rows.compactMap { row in
          guard case .integer(let owner) = row[0], case .integer(let member) = row[1] else { return nil }
          return (Pair(owner: owner, member: member), row[2])
        }
      }
    }
  }

  private static func pairs(of property: PropertyLayout, _ entity: EntityLayout) -> String? {
    let owners = "(SELECT Z_PK FROM \(entity.table) WHERE Z_ENT = \(entity.number))"
    switch property {
    case .attribute: return nil
    case .toOne(let toOne):
      return "SELECT Z_PK, \(toOne.key), 0 FROM \(entity.table) WHERE Z_ENT = \(entity.number) AND \(toOne.key) NOTNULL"
    case .toMany(let toMany):
      switch toMany.storage {
      case .key(let side):
        let order = side.orderColumn.map { "\($0)" } ?? "0"
        return
          "SELECT \(side.key), Z_PK, \(order) FROM \(side.table) WHERE \(side.key) IN \(owners) ORDER BY 3, 2"
      case .joinTable(let side):
        let order = side.orderColumn.map { "\($0)" } ?? "0"
        return
          "SELECT \(side.ownColumn), \(side.otherColumn), \(order) FROM \(side.table) WHERE \(side.ownColumn) IN \(owners) "
          + "ORDER BY 3, 2"
      }
    }
  }

  func row(_ key: Int64, ofRoot name: String) -> [String: StoreValue]? {
    let root = layout.entity(named: name)?.rootName
    return layout.entities.lazy.filter { $0.rootName == root }.compactMap { rows[$0.name]?[key] }.first
  }
}

/// What a mapping model makes of a store, worked out in memory.
struct MappedReference {
  struct Refused: Error {}

  private let resolution: MappingResolution
  private let old: StoredRows
  private let new: StoreLayout
  private let filters: [String: String]
  /// By entity mapping: the new key of each old one.
  private var keys: [[Int64: Int64]] = []
  private var rows: [String: [Int64: [String: StoreValue]]] = [:]
  /// By relationship of the new model; the other side of it has the same pairs turned round.
  private var pairs: [String: Set<StoredRows.Pair>] = [:]

  /// - Throws: `Refused` for rows that have no place in the new store.
  init(_ resolution: MappingResolution, of old: StoredRows, to new: StoreLayout, filters: [String: String]) throws {
    (self.resolution, self.old, self.new, self.filters) = (resolution, old, new, filters)
    for index in resolution.entities.indices { keys.append(newKeys(of: index)) }
    for (index, entity) in resolution.entities.enumerated() {
      guard let source = entity.source, let destination = entity.destination else { continue }
      for (oldKey, newKey) in keys[index] {
        rows[destination.name, default: [:]][newKey] = try values(of: entity, oldKey, source.name, destination.name)
      }
      for property in entity.properties { try link(property, of: entity, index) }
    }
    for entity in new.entities where !entity.isAbstract {
      for property in entity.properties { try check(property, of: entity) }
    }
  }

  private func root(_ index: Int) -> String? {
    resolution.entities[index].destination.flatMap { new.entity(named: $0.name)?.rootName }
  }

  private func newKeys(of index: Int) -> [Int64: Int64] {
    let entity = resolution.entities[index]
    guard let source = entity.source?.name else { return [:] }
    let taken = (old.rows[source] ?? [:]).filter { _, row in
      guard let attribute = filters[entity.mapping.name] else { return true }
      if case .integer(let number)? = row[attribute] { return number > 0 }
      return false
    }.keys.sorted()
    let others = resolution.entities.indices.filter { root($0) == root(index) }
    let sources = others.compactMap { resolution.entities[$0].source?.name }
    let isOneTable = Set(sources.compactMap { old.layout.entity(named: $0)?.rootName }).count == 1
    if isOneTable, Set(sources).count == sources.count {
      return Dictionary(uniqueKeysWithValues: taken.map { ($0, $0) })
    }
    let last = others.filter { $0 < index }.flatMap { keys[$0].values }.max() ?? 0
    return Dictionary(uniqueKeysWithValues: taken.enumerated().map { ($1, last + Int64($0) + 1) })
  }

  // MARK: Values

  private func values(
    of entity: MappingResolution.Entity, _ key: Int64, _ source: String, _ destination: String
  ) throws -> [String: StoreValue] {
    var values: [String: StoreValue] = [:]
    let mapped = Dictionary(entity.properties.map { ($0.property.name, $0.value) }, uniquingKeysWith: { $1 })
    for case .attribute(let attribute) in new.entity(named: destination)?.properties ?? [] {
      let name = attribute.description.name
      guard case .mapped(let value)? = mapped[name] else {
        for column in attribute.columns {
          values[column.path.joined(separator: ".")] =
            column.attribute.defaultValue == .integer(42) ? .integer(42) : .null
        }
        continue
      }
      if attribute.description.type == .composite, case .source(let path) = value {
        for column in attribute.columns {
          let former = ([path[0]] + column.path.dropFirst()).joined(separator: ".")
          values[column.path.joined(separator: ".")] = old.rows[source]?[key]?[former] ?? .null
        }
      } else {
        let computed = try evaluate(value, key, source)
        values[name] = try Self.converted(computed.value, computed.type, to: attribute.description.type)
      }
    }
    return values
  }

  private typealias Typed = (value: StoreValue, type: AttributeType)

  private func evaluate(_ value: MappedValue, _ key: Int64, _ entity: String) throws -> Typed {
    switch value {
    case .constant(.integer(let number)): return (.integer(number), .integer64)
    case .constant(.real(let number)): return (.real(number), .double)
    case .constant(.string(let text)): return (.text(text), .string)
    case .constant, .rows: throw Refused()
    case .letterCase(let isUpper, let inner):
      let text = try evaluate(inner, key, entity)
      guard case .text(let string) = text.value else { return text }
      return (.text(isUpper ? string.uppercased() : string.lowercased()), .string)
    case .arithmetic(let symbol, let left, let right):
      return try Self.compute(evaluate(left, key, entity), symbol, evaluate(right, key, entity))
    case .source(let path): return read(path, key, entity)
    }
  }

  private func read(_ path: [String], _ key: Int64, _ entity: String) -> Typed {
    switch old.layout.entity(named: entity)?.property(named: path[0]) {
    case .attribute(let attribute): return (old.row(key, ofRoot: entity)?[path[0]] ?? .null, attribute.description.type)
    case .toMany:
      let count = (old.pairs[entity]?[path[0]] ?? []).count { $0.pair.owner == key }
      return (.integer(Int64(count)), .integer64)
    case .toOne(let toOne):
      let found = old.pairs[entity]?[path[0]]?.first { $0.pair.owner == key }
      // A missing row has no values, but they have a type.
      return read(Array(path.dropFirst()), found?.pair.member ?? -1, toOne.destinationName)
    case nil: return (.null, .string)
    }
  }

  private static func compute(_ left: Typed, _ symbol: String, _ right: Typed) throws -> Typed {
    let integers: Set<AttributeType> = [.integer16, .integer32, .integer64]
    guard integers.contains(left.type), integers.contains(right.type) else {
      guard let one = left.value.number, let other = right.value.number else { return (.null, .double) }
      switch symbol {
      case "+": return (.real(one + other), .double)
      case "-": return (.real(one - other), .double)
      case "*": return (.real(one * other), .double)
      default:
        if other == 0 { throw Refused() }
        return (.real(one / other), .double)
      }
    }
    guard case .integer(let one) = left.value, case .integer(let other) = right.value else {
      return (.null, .integer64)
    }
    let (result, isMissing) =
      switch symbol {
      case "+": one.addingReportingOverflow(other)
      case "-": one.subtractingReportingOverflow(other)
      case "*": one.multipliedReportingOverflow(by: other)
      default: one.dividedReportingOverflow(by: other)
      }
    if isMissing { throw Refused() }
    return (.integer(result), .integer64)
  }

  private static func converted(_ value: StoreValue, _ type: AttributeType, to wanted: AttributeType) throws
    -> StoreValue
  {
    guard type != wanted, let number = value.number else { return value }
    switch wanted {
    case .integer16, .integer32, .integer64:
      let bits = wanted == .integer16 ? 16 : wanted == .integer32 ? 32 : 64
      guard let whole = Int64(exactly: number), bits == 64 || abs(whole) < 1 << (bits - 1) else { throw Refused() }
      if case .integer = value { return value }
      return .integer(whole)
    case .string:
      if case .integer(let whole) = value { return .text("\(whole)") }
      return value
    case .double:
      if case .integer(let whole) = value, whole.magnitude > 1 << 53 { throw Refused() }
      return .real(number)
    default: return value
    }
  }

  // MARK: Links

  private mutating func link(
    _ property: MappingResolution.Property, of entity: MappingResolution.Entity, _ index: Int
  ) throws {
    guard case .mapped(.rows(let path, let name)) = property.value, let source = entity.source?.name,
      let destination = entity.destination?.name, case .relationship(let relationship) = property.property
    else { return }
    let members = resolution.linkCandidates(
      at: path, of: entity, by: name, to: relationship.destinationEntityName)
    for (pair, _) in old.pairs[source]?[path[0]] ?? [] {
      guard let owner = keys[index][pair.owner],
        let member = members.compactMap({ keys[$0][pair.member] }).first
      else { continue }
      let side = side(of: relationship.name, destination)
      let (one, other) = side.isTurned ? (member, owner) : (owner, member)
      pairs[side.name, default: []].insert(.init(owner: one, member: other))
      if side.isOwnInverse { pairs[side.name, default: []].insert(.init(owner: other, member: one)) }
    }
  }

  /// The name that both sides of a relationship share, and whether this is the other one.
  private func side(of name: String, _ entity: String) -> (name: String, isTurned: Bool, isOwnInverse: Bool) {
    guard let property = new.entity(named: entity)?.property(named: name) else { return (name, false, false) }
    let own = "\(property.declaringEntityName).\(name)"
    let inverse: InverseLayout? =
      switch property {
      case .attribute: nil
      case .toOne(let toOne): toOne.inverse
      case .toMany(let toMany): toMany.inverse
      }
    guard let inverse else { return (own, false, false) }
    let other = "\(inverse.entityName).\(inverse.description.name)"
    return (min(own, other), other < own, own == other)
  }

  private func check(_ property: PropertyLayout, of entity: EntityLayout) throws {
    switch property {
    case .attribute(let attribute):
      guard !attribute.description.isOptional, attribute.column != nil else { return }
      for row in rows[entity.name, default: [:]].values where row[property.name] ?? .null == .null { throw Refused() }
    case .toOne:
      let side = side(of: property.name, entity.name)
      let owners = (pairs[side.name] ?? []).map { side.isTurned ? $0.member : $0.owner }
      if Set(owners).count != owners.count { throw Refused() }
    case .toMany: return
    }
  }

  // MARK: Comparison

  /// The differences of a migrated store from what is expected.
  func problems(in found: StoredRows) -> [String] {
    var problems: [String] = []
    for entity in new.entities where !entity.isAbstract {
      let (expected, actual) = (rows[entity.name] ?? [:], found.rows[entity.name] ?? [:])
      if Set(expected.keys) != Set(actual.keys) {
        problems.append("\(entity.name) has the keys \(actual.keys.sorted()) instead of \(expected.keys.sorted())")
      }
      for (key, row) in expected {
        for (name, value) in row {
          let other = actual[key]?[name] ?? .null
          if !value.isSame(as: other) { problems.append("\(entity.name) \(key) \(name): \(other) instead of \(value)") }
        }
      }
      for property in entity.properties {
        if case .attribute = property { continue }
        let side = side(of: property.name, entity.name)
        let all = (pairs[side.name] ?? []).map {
          side.isTurned ? StoredRows.Pair(owner: $0.member, member: $0.owner) : $0
        }
        let wanted = Set(all.filter { expected[$0.owner] != nil })
        let linked = (found.pairs[entity.name]?[property.name] ?? []).map(\.pair)
        if Set(linked) != wanted || linked.count != wanted.count {
          problems.append("\(entity.name).\(property.name): \(linked) instead of \(wanted)")
        }
      }
    }
    return problems + orderProblems(in: found)
  }

  /// The owners whose members have another order than before.
  private func orderProblems(in found: StoredRows) -> [String] {
    var problems: [String] = []
    for (index, entity) in resolution.entities.enumerated() {
      guard let source = entity.source?.name, let destination = entity.destination?.name else { continue }
      for property in entity.properties {
        guard case .mapped(.rows(let path, let name)) = property.value,
          case .relationship(let relationship) = property.property, relationship.isOrdered, relationship.isToMany,
          case .toMany(let former)? = old.layout.entity(named: source)?.property(named: path[0]), former.isOrdered
        else { continue }
        let members = resolution.linkCandidates(
          at: path, of: entity, by: name, to: relationship.destinationEntityName)
        for (oldOwner, owner) in keys[index] {
          let before = (old.pairs[source]?[path[0]] ?? []).filter { $0.pair.owner == oldOwner }
          let wanted = before.compactMap { pair in members.compactMap { keys[$0][pair.pair.member] }.first }
          let after = (found.pairs[destination]?[relationship.name] ?? []).map(\.pair).filter { $0.owner == owner }
          // The other side may have added members, which have no order.
          if Set(before.map(\.position)).count == before.count, after.count == wanted.count,
            after.map(\.member) != wanted
          {
            problems.append("\(destination) \(owner) \(relationship.name): \(after.map(\.member)) instead of \(wanted)")
          }
        }
      }
    }
    return problems
  }
}

extension ToManyLayout {
  fileprivate var isOrdered: Bool { description.isOrdered }
}

extension StoreValue {
  fileprivate var number: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  fileprivate func isSame(as other: StoreValue) -> Bool {
    self == other || number.flatMap { one in other.number.map { one == $0 } } ?? false
  }
}
