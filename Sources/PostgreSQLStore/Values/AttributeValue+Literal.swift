import Foundation
import ManagedModel
import PostgreSQL

extension AttributeValue {
  /// The value as an SQL literal of a column's type; `nil` for a value that the type cannot hold.
  func literal(_ type: DataType) -> String? {
    switch (self, type) {
    case (.integer(let number), .boolean): number == 0 ? "false" : "true"
    case (.integer(let number), .moment): Self.moment(Double(number))
    case (.integer(let number), _) where type.isNumber: "'\(number)'::\(type.sql)"
    case (.boolean(let truth), .boolean): truth ? "true" : "false"
    case (.boolean(let truth), _) where type.isNumber: "'\(truth ? 1 : 0)'::\(type.sql)"
    case (.double(let number), .moment), (.date(let number), .moment): Self.moment(number)
    case (.double(let number), .boolean): number == 0 ? "false" : "true"
    case (.double(let number), .integer16), (.double(let number), .integer32), (.double(let number), .integer64):
      Int64(exactly: number).map { "'\($0)'::\(type.sql)" }
    case (.double(let number), _) where type.isNumber: "'\(number)'::\(type.sql)"
    case (.date(let number), .double): "'\(number)'::\(type.sql)"
    case (.decimal(let number), _) where type.isNumber: "'\(number)'::\(type.sql)"
    case (.string(let text), .text), (.uri(let text), .text): "\(sqlLiteral(text))::text"
    case (.uuid(let uuid), .uuid): "'\(uuid.uuidString)'::uuid"
    case (.binary(let data), .bytes):
      "decode('\(data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())', 'hex')"
    default: nil
    }
  }

  /// A moment in seconds since 2001, to the microsecond.
  private static func moment(_ seconds: Double) -> String? {
    guard let count = BinaryForm.microseconds(seconds) else { return nil }
    switch count {
    case .max: return "'infinity'::timestamptz"
    case .min: return "'-infinity'::timestamptz"
    default:
      return
        "(timestamptz '2000-01-01 00:00:00+00' + interval '\(count / 1_000_000) seconds \(count % 1_000_000) microseconds')"
    }
  }
}

extension DataType {
  fileprivate var isNumber: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .single, .double, .numeric: true
    default: false
    }
  }
}
