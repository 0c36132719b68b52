package import Foundation
import ManagedModel

/// Which bit of `ZCOLUMNS` stands for which property of an entity (CD-7).
///
/// To-one relationships come first, then the entity and order columns of keys, then attributes, then to-many relationships,
/// then those of them that have a join table; in each kind the root's own first, then down the line, each level by name, but to-many
/// relationships as ``EntityLayout/dictionaryOrder`` has them. The first bit is the highest of the first byte. Elements of
/// composites count one bit each; no real store has shown that yet.
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
    var columns: [Slot] = []
    var attributes: [Slot] = []
    var toMany: [(level: Int, place: Int, slot: Slot)] = []
    var pairs = toMany
    let places = entity.dictionaryOrder
    for property in entity.properties {
      switch property {
      case .toOne(let relationship):
        toOne.append(.property(property.name))
        if relationship.entityColumn != nil { columns.append(.entityColumn(property.name)) }
        if relationship.orderColumn != nil { columns.append(.orderColumn(property.name)) }
      case .attribute(let attribute):
        attributes +=
          attribute.description.type == .composite
          ? attribute.columns.map { .element($0.path) } : [.property(property.name)]
      case .toMany(let relationship):
        let level = entity.lineage.firstIndex(of: relationship.declaringEntityName) ?? 0
        let entry = (level, places[property.name] ?? 0, Slot.property(property.name))
        if case .joinTable = relationship.storage { pairs.append(entry) } else { toMany.append(entry) }
        // The order column of a virtual key counts for its owner where both are rows of one table.
        if case .key(let side) = relationship.storage, side.isVirtual, side.orderColumn != nil,
          side.table == entity.table
        {
          columns.append(.orderColumn(property.name))
        }
      }
    }
    slots =
      toOne + columns + attributes
      + [toMany, pairs].flatMap { $0.sorted { ($0.level, $0.place) < ($1.level, $1.place) }.map(\.slot) }
    positions = Dictionary(slots.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })
  }

  package func position(of slot: Slot) -> Int? { positions[slot] }

  /// The bitmap with the bits of these slots set; slots the entity does not have are passed over.
  package func bytes(_ changed: some Sequence<Slot>) -> Data {
    var bytes = Data(count: byteCount)
    for slot in changed {
      if let position = positions[slot] { bytes[position / 8] |= 0x80 >> UInt8(position % 8) }
    }
    return bytes
  }

  /// The slots whose bits are set; bits beyond the last slot are passed over.
  package func slots(in bytes: Data) -> [Slot] {
    slots.indices.filter { position in
      let offset = position / 8
      return offset < bytes.count && bytes[bytes.startIndex + offset] & (0x80 >> UInt8(position % 8)) != 0
    }.map { slots[$0] }
  }

  /// The names of the properties whose bits are set, in the order of the bits, each once.
  ///
  /// - Returns: `nil` for bits of another length, which were recorded for another version of the model.
  package func properties(in bytes: Data) -> [String]? {
    guard bytes.count == byteCount else { return nil }
    var seen: Set<String> = []
    return slots(in: bytes).map(\.propertyName).filter { seen.insert($0).inserted }
  }
}

extension ChangeBitmap.Slot {
  /// The property that the slot is about.
  package var propertyName: String {
    switch self {
    case .property(let name), .entityColumn(let name), .orderColumn(let name): name
    case .element(let path): path.first ?? ""
    }
  }
}
