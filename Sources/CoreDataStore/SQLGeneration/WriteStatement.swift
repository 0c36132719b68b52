import ManagedModel
import SQLite
import StoreRequests

/// Statements that write rows. Placeholders are numbered: the source binds 1 … `width`, the save binds the following
/// ones.
struct WriteStatement {
  let sql: String
  /// The number of placeholders that the row's source binds, including placeholders without a column.
  let width: Int
  /// The foreign keys of this statement with an order column beside them (CD-3.2).
  let orderedKeys: [OrderedKey]
  /// The entity columns beside the foreign keys of this statement (CD-3.1).
  let entityColumns: [EntityColumn]

  /// The placeholder of the key, after the source's placeholders.
  var keyIndex: Int { width + 1 }
  var versionIndex: Int { width + 2 }

  /// A foreign key column with its order column.
  struct OrderedKey: Hashable {
    let table: Identifier
    let key: Identifier
    let order: Identifier
  }

  /// The column with the entity of a relationship's destination.
  struct EntityColumn: Hashable {
    let relationship: String
    let name: Identifier
  }

  /// Inserts a row of an entity: the listed columns from the source, `Z_PK` from the save, `Z_ENT`, and `Z_OPT` = 1
  /// (CD-6).
  static func insert(_ entity: EntityLayout, columns: [ColumnSelection], in layout: StoreLayout) throws
    -> WriteStatement
  {
    let assignments = try Assignments(columns, of: entity, in: layout, isUpdate: false)
    let names = ["Z_PK", "Z_ENT", "Z_OPT"] + assignments.columns.map { "\($0.name)" }
    let values = ["?\(assignments.width + 1)", "\(entity.number)", "1"] + assignments.columns.map(\.value)
    return WriteStatement(
      sql: "INSERT INTO \(entity.table) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))",
      width: assignments.width, orderedKeys: assignments.orderedKeys, entityColumns: assignments.entityColumns)
  }

  /// Updates a row.
  ///
  /// - Parameters:
  ///   - bumpsVersion: whether `Z_OPT` grows by one.
  ///   - checksVersion: whether the row's version has to equal a bound version.
  static func update(
    _ entity: EntityLayout, columns: [ColumnSelection], bumpsVersion: Bool, checksVersion: Bool, in layout: StoreLayout
  ) throws -> WriteStatement {
    let assignments = try Assignments(columns, of: entity, in: layout, isUpdate: true)
    var sets = assignments.columns.map { "\($0.name) = \($0.value)" }
    // A changed key loses its order among the former owner's objects. The save then gives it an order among the new
    // owner's.
    for ordered in assignments.orderedKeys {
      let value = assignments.columns.first { $0.name == ordered.key }?.value ?? "NULL"
      sets.append("\(ordered.order) = CASE WHEN \(ordered.key) IS \(value) THEN \(ordered.order) END")
    }
    if bumpsVersion || sets.isEmpty { sets.append("Z_OPT = Z_OPT\(bumpsVersion ? " + 1" : "")") }
    let test = checksVersion ? " AND Z_OPT = ?\(assignments.width + 2)" : ""
    return WriteStatement(
      sql: "UPDATE \(entity.table) SET \(sets.joined(separator: ", ")) WHERE Z_PK = ?\(assignments.width + 1)\(test)",
      width: assignments.width, orderedKeys: assignments.orderedKeys, entityColumns: assignments.entityColumns)
  }

  /// The values that a row's source binds, and their columns.
  private struct Assignments {
    var columns: [(name: Identifier, value: String)] = []
    var orderedKeys: [OrderedKey] = []
    var entityColumns: [EntityColumn] = []
    var width = 0

    init(_ selections: [ColumnSelection], of entity: EntityLayout, in layout: StoreLayout, isUpdate: Bool) throws {
      for selection in selections {
        switch entity.property(named: selection.propertyName) {
        case .attribute(let attribute):
          for column in attribute.columns {
            width += 1
            let value =
              column.isExternal
              ? ExternalDataWriter.sql("?\(width)", replacing: isUpdate ? "\(column.name)" : nil) : "?\(width)"
            columns.append((column.name, value))
          }
        case .toOne(let relationship):
          columns.append((relationship.key, "?\(width + 1)"))
          // If the table has no entity column, the source's second value has a placeholder but no column.
          if let column = relationship.entityColumn {
            columns.append((column, "?\(width + 2)"))
            entityColumns.append(EntityColumn(relationship: selection.propertyName, name: column))
          }
          if let order = relationship.orderColumn {
            orderedKeys.append(OrderedKey(table: entity.table, key: relationship.key, order: order))
          }
          width += 2
        case .toMany: break
        case nil:
          if !layout.isUnstored(selection.propertyName, of: entity) {
            _ = try layout.property(selection.propertyName, of: entity)
          }
        }
      }
      compute(entity, in: layout)
    }

    /// Replaces values of the source with the values that the store computes for the same columns.
    private mutating func compute(_ entity: EntityLayout, in layout: StoreLayout) {
      for case .attribute(let attribute) in entity.properties where attribute.description.derivation != nil {
        guard let column = attribute.column?.name else { continue }
        if let computed = ComputedColumn(attribute, of: entity) {
          let value = computed.sql { source in columns.first { $0.name == source }?.value }
          columns.removeAll { $0.name == column }
          if let value { columns.append((column, value)) }
        } else if Derivation(attribute, of: entity, in: layout) != nil {
          // Triggers maintain it.
          columns.removeAll { $0.name == column }
        }
      }
    }
  }
}
