import Foundation
import ManagedModel
import PostgreSQL
import StoreRequests

/// The values of a deleted object that its history keeps, as JSON: `{"title": {"text": "A"}}`. See ``StoreAttribute/tombstoneKeys``.
enum Tombstone {
  /// The texts of rows of one hierarchy, which are about to be deleted. Cost: one query for each entity with such attributes.
  static func texts(
    of objects: [ObjectKey], over connection: Connection, _ layout: StoreLayout
  ) throws -> [ObjectKey: String] {
    var texts: [ObjectKey: String] = [:]
    for (number, own) in Dictionary(grouping: objects, by: \.entity).sorted(by: { $0.key < $1.key }) {
      let entity = try layout.existingEntity(number)
      let kept = entity.properties.compactMap { property -> StoreAttribute? in
        guard case .attribute(let attribute) = property, attribute.description.preservesValueInHistoryOnDeletion else {
          return nil
        }
        return attribute
      }
      guard !kept.isEmpty else { continue }
      let columns = kept.map { ColumnSelection(entityName: entity.name, propertyName: $0.description.name) }
      let statement = try SelectStatement.objects(of: entity, columns: columns, in: layout)
        .selecting(own.map(\.key))
      let rows = ServerRows(
        try connection.run(statement.sql, statement.parameters), of: layout.table(of: entity), soleEntity: number)
      while try rows.next() {
        var values: [String: StoreValue] = [:]
        var first = 0
        for attribute in kept {
          let keys = attribute.tombstoneKeys
          for (index, key) in keys.enumerated() {
            let value = rows.value(first + index)
            if value != .null { values[key] = value }
          }
          // A structure whose members are all nil is a value, too, where there has to be one.
          if keys.count > 1, !attribute.description.isOptional, !keys.contains(where: { values[$0] != nil }) {
            values[keys[0]] = .null
          }
          first += keys.count
        }
        texts[rows.object] = text(values)
      }
    }
    return texts
  }

  static func text(_ values: [String: StoreValue]) -> String? {
    guard !values.isEmpty else { return nil }
    let object = values.mapValues { value -> [String: Any] in
      switch value {
      case .null: [:]
      case .integer(let number): ["integer": "\(number)"]
      case .real(let number): ["real": "\(number)"]
      case .text(let text): ["text": text]
      case .blob(let data): ["bytes": data.base64EncodedString()]
      }
    }
    return (try? JSONSerialization.data(withJSONObject: object, options: .sortedKeys)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  static func values(_ text: String?) -> [String: StoreValue] {
    guard let text, let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: [String: String]]
    else { return [:] }
    return object.compactMapValues { value in
      switch value.first {
      case nil: .null
      case ("integer", let number)?: Int64(number).map { .integer($0) }
      case ("real", let number)?: Double(number).map { .real($0) }
      case ("text", let text)?: .text(text)
      case ("bytes", let text)?: Data(base64Encoded: text).map { .blob($0) }
      default: nil
      }
    }
  }
}
