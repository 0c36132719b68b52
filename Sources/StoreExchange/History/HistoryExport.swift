package import CoreDataStore
import ManagedModel
package import StoreRequests

/// Reads a store's history in plain form: transactions, and the changes of each with names instead of numbers (CD-7).
///
/// No transaction or change is kept, so that a history of any length can be printed. One thread at a time uses it.
package final class HistoryExport {
  private let entities: EntityTable
  private let cursor: HistoryCursor
  /// Names of entities that the model does not have, from `Z_PRIMARYKEY`.
  private let storedNames: [Int32: String]
  /// The texts that the caller got otherwise than they are stored.
  package private(set) var repairedTexts = RepairedTexts()

  /// Selects the transactions of a request. Cost: one query, which runs while the transactions are read, and the list of
  /// entities.
  ///
  /// - Throws: `SQLiteError`, or `StoreError` if the store is closed.
  package init(_ request: HistoryRequest = HistoryRequest(), of store: PersistentStore) throws {
    entities = store.storedEntities
    storedNames = try store.entityNames()
    cursor = try store.history(request)
  }

  /// Moves to the next transaction and returns it; `nil` after the last one.
  package func next() throws -> HistoryTransaction? {
    guard let transaction = try cursor.next() else { return nil }
    for name in cursor.repairedTexts { repairedTexts.add { (name, "transaction \(transaction.number)") } }
    return transaction
  }

  /// The next change of the current transaction; `nil` after its last change.
  package func nextChange() throws -> ExportChange? {
    guard let change = try cursor.nextChange() else { return nil }
    let entity = entities.entity(numbered: change.object.entity)
    let name = entity?.name ?? storedNames[change.object.entity] ?? "entity \(change.object.entity)"
    for attribute in cursor.repairedTexts {
      repairedTexts.add { (attribute, ObjectName(entity: name, key: change.object.key).description) }
    }
    // History keeps the values in the order of the entity's properties.
    let values = (entity?.properties ?? []).compactMap { property -> ExportValue.Element? in
      guard case .attribute(let attribute) = property, attribute.description.preservesValueInHistoryOnDeletion,
        let value = Self.value(of: attribute, in: change)
      else { return nil }
      return ExportValue.Element(property.name, value)
    }
    return ExportChange(
      number: change.number, kind: change.kind, object: ObjectName(entity: name, key: change.object.key),
      properties: change.changedProperties, tombstone: values)
  }

  /// The preserved value of an attribute, a composite's in the form of exported objects; `nil` if there is none.
  private static func value(of attribute: StoreAttribute, in change: HistoryChange) -> ExportValue? {
    let values = zip(attribute.leaves, attribute.tombstoneKeys).map { leaf, key in
      (path: leaf.path.dropFirst(), value: ExportValue(change.tombstone[key] ?? .null, as: leaf.attribute.type))
    }
    let value = attribute.description.type == .composite ? .composite(values[...]) : values.first?.value ?? .null
    return value == .null ? nil : value
  }
}

/// The change of one object, with names.
package struct ExportChange: Sendable {
  /// The change's own number.
  package let number: Int64
  package let kind: HistoryChange.Kind
  package let object: ObjectName
  /// The properties that an update changed; `nil` for other kinds, and if another version of the model recorded them.
  package let properties: [String]?
  /// The values that history keeps of a deleted object, without values that were missing.
  package let tombstone: [ExportValue.Element]
}

extension HistoryRequest {
  /// Restricts a request to changes of some entities and their subentities.
  ///
  /// - Throws: `QueryError` with the nearest name if there is no such entity.
  package mutating func select(entities names: [String], in store: PersistentStore) throws {
    guard !names.isEmpty else { return }
    let stored = store.entities.entities.isEmpty ? try store.entityNames() : [:]
    entities = Set(
      try names.flatMap { name -> [Int32] in
        let numbers = stored.filter { $0.value == name }.map(\.key)
        return numbers.isEmpty ? try store.entities.existingEntity(name).kindNumbers : numbers
      })
  }
}
