import Foundation
import ManagedModel
import SQLite
import StoreRequests

/// The new column bitmap of a history row (CD-7): which bit of the old bitmap becomes which bit of the new one.
struct MigratedBitmap: Sendable {
  let oldByteCount: Int
  let newByteCount: Int
  let positions: [(old: Int, new: Int)]

  /// `nil` for a bitmap that another version of the model recorded.
  func migrated(_ bytes: Data) -> Data? {
    guard bytes.count == oldByteCount else { return nil }
    var result = Data(count: newByteCount)
    for (old, new) in positions where bytes[bytes.startIndex + old / 8] & (0x80 >> UInt8(old % 8)) != 0 {
      result[new / 8] |= 0x80 >> UInt8(new % 8)
    }
    return result
  }
}

extension MigrationPlanner {
  /// The SQL function that gives a history row's bitmap under the new model.
  static let bitmapFunction = "OSD_MIGRATED_BITMAP"

  // MARK: Keys

  /// The rows of `Z_PRIMARYKEY` (CD-1.2). A table's largest key is that of the tables whose rows it has.
  mutating func addPrimaryKeys() {
    let limit = HistoryTables.changeNumber
    run("UPDATE Z_PRIMARYKEY SET Z_ENT = - Z_ENT WHERE Z_ENT BETWEEN 1 AND \(limit - 1)")
    for entity in new.entities {
      var maximum = "0"
      if entity.number == entity.rootNumber {
        let roots = Set(new.entities.filter { $0.table == entity.table }.compactMap { source(of: $0)?.rootNumber })
        let numbers = roots.sorted().map { "-\($0)" }.joined(separator: ", ")
        let former =
          roots.isEmpty ? "0" : "ifnull((SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_ENT IN (\(numbers))), 0)"
        maximum = "max(\(former), ifnull((SELECT max(Z_PK) FROM \(entity.table)), 0))"
      }
      run(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(entity.number), \(Identifier.literal(entity.name)), "
          + "\(entity.superentityNumber), \(maximum))")
    }
    run("DELETE FROM Z_PRIMARYKEY WHERE Z_ENT < 0")
  }

  // MARK: History

  /// Gives the changes in history the new numbers, bitmaps and places of kept values (CD-7). Changes of removed entities go.
  mutating func addHistory() -> [Int: MigratedBitmap] {
    let table = HistoryTables.change
    guard let columns = catalogue.columns[table] else { return [:] }
    let count = max(HistoryTables.tombstoneCount(among: columns), new.tombstoneCount)
    for column in (0..<count).map(HistoryTables.tombstone) where !columns.contains(column) {
      run("ALTER TABLE \(table) ADD COLUMN \(column) BLOB")
    }
    var bitmaps: [Int: MigratedBitmap] = [:]
    var cases: [String] = []
    for entity in old.entities {
      guard let number = newNumbers[entity.number], let destination = new.entity(numbered: number) else {
        run("DELETE FROM \(table) WHERE ZENTITY = \(entity.number)")
        continue
      }
      var assignments: [String] = []
      if let bitmap = bitmap(from: entity, to: destination), columns.contains("ZCOLUMNS") {
        bitmaps[entity.number] = bitmap
        assignments.append("ZCOLUMNS = \(Self.bitmapFunction)(\(entity.number), ZCOLUMNS)")
      }
      assignments += tombstones(from: entity, to: destination, count: count)
      if !assignments.isEmpty {
        run("UPDATE \(table) SET \(assignments.joined(separator: ", ")) WHERE ZENTITY = \(entity.number)")
      }
      if number != entity.number { cases.append("WHEN \(entity.number) THEN \(number)") }
    }
    if !cases.isEmpty {
      run("UPDATE \(table) SET ZENTITY = CASE ZENTITY \(cases.joined(separator: " ")) ELSE ZENTITY END")
    }
    return bitmaps
  }

  /// `nil` if all bits stay where they are.
  private func bitmap(from source: EntityLayout, to destination: EntityLayout) -> MigratedBitmap? {
    let (before, after) = (ChangeBitmap(source), ChangeBitmap(destination))
    var positions: [(old: Int, new: Int)] = []
    for (new, slot) in after.slots.enumerated() {
      guard let name = properties[destination.name]?[slot.propertyName] else { continue }
      let former: ChangeBitmap.Slot =
        switch slot {
        case .property: .property(name)
        case .element(let path):
          if case .attribute(let attribute)? = source.property(named: name),
            case .attribute(let new)? = destination.property(named: slot.propertyName)
          {
            // A new element has no position before.
            .element(new.description.formerPath(of: path, in: attribute.description) ?? [])
          } else {
            .element([name] + path.dropFirst())
          }
        case .entityColumn: .entityColumn(name)
        case .orderColumn: .orderColumn(name)
        }
      if let old = before.position(of: former) { positions.append((old, new)) }
    }
    let isSame =
      before.slots.count == after.slots.count && positions.count == after.slots.count
      && positions.allSatisfy { $0.old == $0.new }
    return isSame
      ? nil : MigratedBitmap(oldByteCount: before.byteCount, newByteCount: after.byteCount, positions: positions)
  }

  private func tombstones(from source: EntityLayout, to destination: EntityLayout, count: Int) -> [String] {
    let before = source.tombstoneAttributes
    let values = destination.tombstoneAttributes.map { attribute -> String? in
      guard let former = properties[destination.name]?[attribute.description.name],
        let index = before.firstIndex(where: { $0.description.name == former })
      else { return nil }
      return TombstoneElements.migrated(attribute, from: before[index], in: HistoryTables.tombstone(index))
    }
    guard values != before.indices.map({ HistoryTables.tombstone($0).description }) else { return [] }
    return (0..<count).map { index in
      "\(HistoryTables.tombstone(index)) = \((index < values.count ? values[index] : nil) ?? "NULL")"
    }
  }

  // MARK: Derived attributes

  /// Computes derived attributes whose values may have changed.
  mutating func addDerivedValues() {
    for entity in new.entities {
      for case .attribute(let attribute) in entity.properties where attribute.declaringEntityName == entity.name {
        guard attribute.description.derivation != nil, let column = attribute.column?.name else { continue }
        if relationships.keepsDerivedValues(of: attribute.description.name, of: entity.name) { continue }
        let test = "Z_ENT \(SQLText.numbersTest(entity.kindNumbers))"
        if let derived = Derivation(attribute, of: entity, in: new) {
          let value = DerivationTriggers(derived, isTemporary: true).value
          run("UPDATE \(entity.table) SET \(column) = \(value) WHERE \(test)")
        } else if let value = ComputedColumn(attribute, of: entity)?.sql(written: { "\($0)" }) {
          run("UPDATE \(entity.table) SET \(column) = \(value) WHERE \(test)")
        }
      }
    }
  }
}
