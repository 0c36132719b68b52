package import Foundation
import ManagedModel
import PropertyLists

/// The bits of `ZCOLUMNS`, and the property of an entity for each bit (CD-7).
///
/// Bits come in six groups: to-one relationships, entity columns of keys, order columns of keys, attributes, to-many
/// relationships without a join table, and to-many relationships with one. In each group properties of the root come
/// first, then those of each subentity down to the entity. Each level is sorted by name, except order columns and
/// to-many relationships, which have the order of Core Foundation's dictionaries. The first bit is the highest bit of
/// the first byte. Each element of a composite has a bit of its own; no real store has confirmed that yet.
package struct ChangeBitmap: Sendable {
  package enum Slot: Sendable, Hashable {
    /// A relationship, or an attribute with one column.
    case property(String)
    /// One element of a composite attribute, by its path.
    case element([String])
    /// The entity column of a to-one relationship's key.
    case entityColumn(String)
    /// The order column of a to-one relationship's key.
    case orderColumn(String)
  }

  package let slots: [Slot]
  private let positions: [Slot: Int]
  package var byteCount: Int { (slots.count + 7) / 8 }

  package init(_ entity: EntityLayout) {
    var toOne: [Slot] = []
    var entityColumns: [Slot] = []
    var orderColumns: [Entry] = []
    var attributes: [Slot] = []
    var toMany: [Entry] = []
    var pairs: [Entry] = []
    let places = entity.dictionaryOrder
    func level(_ name: String) -> Int { entity.lineage.firstIndex(of: name) ?? 0 }
    func addOrderColumn(_ name: String, of declaringEntityName: String) {
      orderColumns.append((level(declaringEntityName), 0, .orderColumn(name)))
    }
    for property in entity.properties {
      switch property {
      case .toOne(let relationship):
        toOne.append(.property(property.name))
        if relationship.entityColumn != nil { entityColumns.append(.entityColumn(property.name)) }
        if relationship.orderColumn != nil { addOrderColumn(property.name, of: relationship.declaringEntityName) }
      case .attribute(let attribute):
        attributes +=
          attribute.description.type == .composite
          ? attribute.columns.map { .element($0.path) } : [.property(property.name)]
      case .toMany(let relationship):
        let entry: Entry = (
          level(relationship.declaringEntityName), places[property.name] ?? 0, .property(property.name)
        )
        if case .joinTable = relationship.storage { pairs.append(entry) } else { toMany.append(entry) }
        // The order column of a virtual key belongs to its owner's bitmap if both have rows in one table.
        if case .key(let side) = relationship.storage, side.isVirtual, side.orderColumn != nil,
          side.table == entity.table
        {
          addOrderColumn(property.name, of: relationship.declaringEntityName)
        }
      }
    }
    let orderPlaces = ChangeBitmap.orderPlaces(orderColumns.map(\.slot.propertyName))
    for index in orderColumns.indices {
      orderColumns[index].place = orderPlaces[orderColumns[index].slot.propertyName] ?? 0
    }
    func sorted(_ entries: [Entry]) -> [Slot] {
      entries.sorted { ($0.level, $0.place) < ($1.level, $1.place) }.map(\.slot)
    }
    slots = toOne + entityColumns + sorted(orderColumns) + attributes + sorted(toMany) + sorted(pairs)
    positions = Dictionary(slots.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  /// A slot, the level of the entity that declares it, and its position in that level.
  private typealias Entry = (level: Int, place: Int, slot: Slot)

  /// The positions of order columns: the order of a dictionary of their names, as in most real stores' tables.
  private static func orderPlaces(_ names: [String]) -> [String: Int] {
    let keys = Dictionary(names.map { ("_FOK_" + $0, $0) }, uniquingKeysWith: { first, _ in first })
    let sorted = DictionaryOrder.sorted(keys.keys.sorted(by: codeUnitOrder)).compactMap { keys[$0] }
    return Dictionary(sorted.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  package func position(of slot: Slot) -> Int? { positions[slot] }

  /// The bitmap with these bits set. Ignores slots that the entity lacks.
  package func bytes(_ changed: some Sequence<Slot>) -> Data {
    var bytes = Data(count: byteCount)
    for slot in changed {
      if let position = positions[slot] { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    }
    return bytes
  }

  /// The slots whose bits are set. Ignores bits after the last slot.
  package func slots(in bytes: Data) -> [Slot] {
    slots.indices.filter { position in
      let offset = position / 8
      return offset < bytes.count && bytes[bytes.startIndex + offset] & (0x80 >> UInt8(position % 8)) != 0
    }.map { slots[$0] }
  }

  /// The names of the properties whose bits are set, in the order of the bits, each once.
  ///
  /// - Returns: `nil` for a bitmap of another length, which another version of the model recorded.
  package func properties(in bytes: Data) -> [String]? {
    guard bytes.count == byteCount else { return nil }
    var seen: Set<String> = []
    return slots(in: bytes).map(\.propertyName).filter { seen.insert($0).inserted }
  }
}

extension ChangeBitmap.Slot {
  /// The property of the slot.
  package var propertyName: String {
    switch self {
    case .property(let name), .entityColumn(let name), .orderColumn(let name): name
    case .element(let path): path.first ?? ""
    }
  }
}
