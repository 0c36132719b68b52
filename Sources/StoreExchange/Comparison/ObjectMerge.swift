import CoreDataStore
import ManagedModel
import PropertyLists
import StoreRequests

/// Walks the objects of one entity in two stores side by side, in the order of their matching values.
struct ObjectMerge {
  private let first: Side
  private let second: Side
  private let matching: ObjectMatching
  /// The properties of both stores, and the names of ordered ones.
  private let common: Set<String>
  private let ordered: Set<String>

  /// The objects of one store, with one object of lookahead.
  private final class Side {
    let identities: ObjectIdentities
    private let cursor: ObjectCursor?
    private(set) var next: (object: ExportObject, match: [ExportValue])?
    private let matching: ObjectMatching

    init(
      _ entityName: String, _ matching: ObjectMatching, _ matchings: [String: ObjectMatching], _ reader: ObjectReader,
      spelling: EntityTable
    )
      throws
    {
      self.matching = matching
      identities = ObjectIdentities(reader, matchings, spelling: spelling)
      var request = ObjectRequest(exactly: entityName)
      if case .attributes(let names) = matching {
        request.sortTerms = names.map { SortTerm(expression: .attribute(FetchPath(), name: $0, element: [])) }
      }
      cursor = reader.entities.entity(named: entityName) == nil ? nil : try reader.objects(request)
      try advance()
    }

    func advance() throws {
      next = try cursor?.next().map { object in
        switch matching {
        case .key: return (object, [.integer(object.name.key)])
        case .attributes(let names):
          return (object, names.map { name in object.properties.first { $0.name == name }?.value ?? .null })
        }
      }
    }
  }

  init(
    entityName: String, matchings: [String: ObjectMatching], _ first: ObjectReader, _ second: ObjectReader
  ) throws {
    matching = matchings[entityName] ?? .key
    self.first = try Side(entityName, matching, matchings, first, spelling: first.entities)
    self.second = try Side(entityName, matching, matchings, second, spelling: first.entities)
    let entities = [first, second].compactMap { $0.entities.entity(named: entityName) }
    let names = entities.map { Set($0.properties.map(\.name)) }
    common = names.count == 2 ? names[0].intersection(names[1]) : []
    ordered = Set(
      (entities.first?.properties ?? []).compactMap { property in
        if case .toMany(let relationship) = property, relationship.description.isOrdered { property.name } else { nil }
      })
  }

  /// The difference of the next pair, or `.some(nil)` if the two are equal; `nil` at the end.
  mutating func next() throws -> ObjectDifference?? {
    switch (first.next, second.next) {
    case (nil, nil): return nil
    case (let left?, nil): return try only(left.object, in: first, .onlyInFirst)
    case (nil, let right?): return try only(right.object, in: second, .onlyInSecond)
    case (let left?, let right?):
      let order = ExportValue.order(left.match, right.match)
      // An object without matching values has no partner.
      if order < 0 || order == 0 && !left.match.contains(where: { $0 != .null }) {
        return try only(left.object, in: first, .onlyInFirst)
      }
      if order > 0 { return try only(right.object, in: second, .onlyInSecond) }
      let changes = try changes(left.object, right.object)
      try first.advance()
      try second.advance()
      if changes.isEmpty { return .some(nil) }
      return ObjectDifference(
        kind: .changed, first: left.object.name, second: right.object.name, matched: matched(left.object),
        changes: changes)
    }
  }

  private func only(_ object: ExportObject, in side: Side, _ kind: ObjectDifference.Kind) throws -> ObjectDifference?? {
    try side.advance()
    return ObjectDifference(
      kind: kind, first: kind == .onlyInFirst ? object.name : nil, second: kind == .onlyInSecond ? object.name : nil,
      matched: matched(object), changes: [])
  }

  private func matched(_ object: ExportObject) -> [ExportValue.Element] {
    guard case .attributes(let names) = matching else { return [] }
    return names.compactMap { name in object.properties.first { $0.name == name } }
  }

  private func changes(_ left: ExportObject, _ right: ExportObject) throws -> [ObjectDifference.Change] {
    func values(_ object: ExportObject) -> [String: ExportValue] {
      Dictionary(object.properties.map { ($0.name, $0.value) }) { value, _ in value }
    }
    let (lefts, rights) = (values(left), values(right))
    let names = left.properties.map(\.name) + right.properties.map(\.name).filter { lefts[$0] == nil }
    return try names.filter(common.contains).compactMap { name in
      let isOrdered = ordered.contains(name)
      let one = try first.identities.named(lefts[name] ?? .null, isOrdered: isOrdered)
      let other = try second.identities.named(rights[name] ?? .null, isOrdered: isOrdered)
      return one.isWritten(as: other) ? nil : ObjectDifference.Change(property: name, first: one, second: other)
    }
  }
}

/// Names of related objects that are valid in both stores: keys, or matching values.
struct ObjectIdentities {
  private let reader: ObjectReader
  private let matchings: [String: ObjectMatching]
  private let spelling: EntityTable

  /// - Parameter spelling: the entities whose names the objects get. The other store may have the same names in
  ///   another normal form, which is no difference of the objects.
  init(_ reader: ObjectReader, _ matchings: [String: ObjectMatching], spelling: EntityTable) {
    self.reader = reader
    self.matchings = matchings
    self.spelling = spelling
  }

  /// The value with names of objects that are valid in both stores, in an order that is the same in both.
  func named(_ value: ExportValue, isOrdered: Bool) throws -> ExportValue {
    switch value {
    case .object(let name): return try text(name).map { .text($0) } ?? .object(spelled(name))
    case .objects(let names):
      let texts = try names.map { try text($0) ?? spelled($0).description }
      return .text((isOrdered ? texts : texts.sorted(by: codeUnitOrder)).joined(separator: " "))
    default: return value
    }
  }

  /// For example `Author[Vazov]`; `nil` for an object that is matched by key.
  private func text(_ name: ObjectName) throws -> String? {
    guard case .attributes(let names)? = matchings[name.entity], let entity = reader.entities.entity(named: name.entity)
    else { return nil }
    let types = try names.map { try reader.entities.leaf(of: $0, in: entity).attribute.type }
    let object = ObjectKey(entity: entity.number, key: name.key)
    guard let stored = try reader.state.values(of: names, in: object) else { return nil }
    let values = zip(stored, types).map { ExportValue($0, as: $1) }
    // An object without matching values is named by its key.
    guard values.contains(where: { $0 != .null }) else { return nil }
    return "\(spelled(name).entity)[\(values.map(Self.word).joined(separator: ", "))]"
  }

  private func spelled(_ name: ObjectName) -> ObjectName {
    ObjectName(entity: spelling.entity(named: name.entity)?.name ?? name.entity, key: name.key)
  }

  /// A value as a part of a name. A text is in quotes if it is empty, or could be taken for several.
  private static func word(_ value: ExportValue) -> String {
    guard let text = value.plainText, value != .null else { return "" }
    guard text.isEmpty || text.contains(where: { ",[]\"\\".contains($0) }) else { return text }
    var output = JSONWriter()
    output.write(text: text)
    return String(decoding: output.bytes, as: UTF8.self)
  }
}

extension ExportValue {
  /// Whether both values are written the same. Swift takes texts of other bytes for equal, and not-a-number for different from itself.
  fileprivate func isWritten(as other: ExportValue) -> Bool {
    switch (self, other) {
    case (.text(let text), .text(let other)): return text.utf8.elementsEqual(other.utf8)
    case (.null, .null): return true
    case (.integer(let number), .integer(let other)): return number == other
    default: break
    }
    var (one, two) = (JSONWriter(), JSONWriter())
    one.write(self)
    two.write(other)
    return one.bytes == two.bytes
  }
}
