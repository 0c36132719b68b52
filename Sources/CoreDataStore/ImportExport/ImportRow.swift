import Foundation
import PropertyLists

/// The values of an object that is imported, as a save writes them.
final class ImportRow: RowSource {
  enum Content {
    /// The value of an attribute, or those of a composite's leaves in declared order.
    case values([ExportValue])
    case object(ObjectKey?)
  }

  var contents: [String: Content] = [:]

  func bind(_ columns: [ColumnSelection], into binder: inout RowBinder) throws {
    for column in columns {
      switch contents[column.propertyName] {
      case .values(let values): for value in values { try Self.bind(value, &binder) }
      case .object(let object): try binder.bind(object)
      case nil: throw QueryError.missingValue(property: column.propertyName, entity: column.entityName)
      }
    }
  }

  func assign(_ object: ObjectKey, wasMerged: Bool) {}

  private static func bind(_ value: ExportValue, _ binder: inout RowBinder) throws {
    switch value {
    case .null, .composite, .object, .objects: try binder.bindNull()
    case .boolean(let value): try binder.bind(value)
    case .integer(let value): try binder.bind(value)
    case .real(let value), .date(let value): try binder.bind(value)
    case .decimal(let value): try binder.bind(value)
    case .text(let value): try binder.bind(value)
    case .data(let value): try binder.bind(value)
    case .uuid(let value): try binder.bind(value)
    case .archived(let value): try binder.bind(try value.archived())
    case .stored(let value): try binder.bind(value)
    }
  }
}
