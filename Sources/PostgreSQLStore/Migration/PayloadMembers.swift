import ManagedModel
import PostgreSQL

/// SQL for the members of a payload that an earlier version of this library stored as one JSON object.
struct PayloadMembers {
  let label: String
  let attribute: AttributeDescription

  private func text(of object: String) -> String { "(\(object) ->> \(sqlLiteral(label)))" }
  private func json(of object: String) -> String { "(\(object) -> \(sqlLiteral(label)))" }
  /// The bytes of a type without a form of its own are JSON, too.
  private var isJSON: Bool { attribute.type == .binary && attribute.contents == .json }

  /// The value of a column.
  ///
  /// - Parameter object: an expression of the type `jsonb`.
  func value(of object: String, in column: ColumnLayout) -> String {
    if isJSON {
      let value = json(of: object)
      return column.type == .jsonb ? value : "convert_to(\(value)::text, 'UTF8')"
    }
    let text = text(of: object)
    return switch attribute.type {
    case .integer64: "\(Self.signed(text))::bigint"
    case .date: "timestamptz '2001-01-01 00:00:00+00' + make_interval(secs => \(text)::double precision)"
    case .binary: "decode(\(text), 'base64')"
    default: "\(text)::\(column.type.sql)"
    }
  }

  /// The value as a tombstone has it (``Tombstone``).
  func tombstone(of object: String) -> String {
    let text = text(of: object)
    let (kind, value) =
      if isJSON { ("bytes", Self.base64("convert_to(\(json(of: object))::text, 'UTF8')")) } else {
        switch attribute.type {
        case .boolean: ("integer", "\(text)::boolean::integer::text")
        case .integer16, .integer32, .integer64: ("integer", "\(Self.signed(text))::text")
        case .double, .float, .date: ("real", text)
        case .decimal: ("text", text)
        case .uuid: ("bytes", Self.base64("uuid_send(\(text)::uuid)"))
        case .binary: ("bytes", text)
        default: ("text", text)
        }
      }
    return "CASE WHEN \(text) IS NOT NULL THEN jsonb_build_object('\(kind)', \(value)) END"
  }

  /// A number of 64 bits, whose highest bit a column keeps as the sign.
  private static func signed(_ text: String) -> String {
    "(\(text)::numeric - CASE WHEN \(text)::numeric > 9223372036854775807 THEN 18446744073709551616 ELSE 0 END)"
  }

  /// Without the line breaks that the server adds.
  private static func base64(_ bytes: String) -> String { "translate(encode(\(bytes), 'base64'), E'\\n', '')" }
}
