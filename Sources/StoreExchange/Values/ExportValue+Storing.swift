import Foundation
import PropertyLists
import StoreRequests

extension ExportValue {
  /// The value that its column stores.
  ///
  /// - Throws: ``UnstorableValue``, ``ArchivedValueError``
  func stored() throws -> StoreValue {
    switch self {
    case .null, .composite, .object, .objects: .null
    case .boolean(let value): .integer(value ? 1 : 0)
    case .integer(let value): .integer(value)
    case .real(let value), .date(let value): .real(value)
    case .decimal(let value): try RowBinder.stored(value)
    case .text(let value): .text(value)
    case .data(let value): .blob(value)
    case .uuid(let value): .blob(withUnsafeBytes(of: value.uuid) { Data($0) })
    case .archived(let value): .blob(try value.archived())
    case .stored(let value): value
    }
  }
}
