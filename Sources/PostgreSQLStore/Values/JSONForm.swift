import Foundation
import PostgreSQL
import PropertyLists
import StoreRequests

/// The form of bytes in a column of the type `jsonb`.
///
/// The bytes are JSON text, or a keyed archive, whose value the column has. Other bytes are `{"$bytes": "base64"}`, so that each value
/// is read as it was written.
enum JSONForm {
  /// The version of the binary form that begins each value.
  private static let version: UInt8 = 1
  fileprivate static let mark = "$bytes"

  /// - Parameter isArchive: whether the bytes are meant to be a keyed archive, not JSON text.
  /// - Throws: ``UnstorableValue/nulCharacter``
  static func append(_ value: UnsafeRawBufferPointer, isArchive: Bool, to bytes: inout [UInt8]) throws {
    bytes.append(version)
    if let tree = isArchive ? archive(value) : try? JSONTree(value), !tree.isMarked(mark) {
      bytes += try tree.text()
    } else {
      bytes += try JSONTree.object([(mark, .text(Data(value).base64EncodedString()))]).text()
    }
  }

  /// The value as an SQL literal; `nil` for a value that no column can hold.
  static func literal(_ value: Data, isArchive: Bool) -> String? {
    var form: [UInt8] = []
    guard (try? value.withUnsafeBytes { try append($0, isArchive: isArchive, to: &form) }) != nil else { return nil }
    return sqlLiteral(String(decoding: form.dropFirst(), as: UTF8.self)) + "::jsonb"
  }

  private static func archive(_ value: UnsafeRawBufferPointer) -> JSONTree? {
    (try? ArchivedValue(archive: Data(value))).map { JSONTree($0) }
  }

  /// The bytes of a value in a result of the type `jsonb`: its JSON text, or the bytes that the text encodes in base64.
  static func text(_ form: UnsafeRawBufferPointer) -> Data {
    let text = UnsafeRawBufferPointer(rebasing: form.dropFirst())
    return (try? JSONTree(text))?.bytes ?? Data(text)
  }

  /// The archive of a value as it comes in a result of the type `json`; JSON that encodes no archive stays text.
  static func archive(_ text: UnsafeRawBufferPointer) -> Data {
    guard let tree = try? JSONTree(text) else { return Data(text) }
    return tree.bytes ?? (try? tree.archivedValue?.archived()) ?? Data(text)
  }

  /// Why JSON text encodes no archive; `nil` if it encodes one.
  static func misfit(_ text: UnsafeRawBufferPointer) -> String? {
    guard let tree = try? JSONTree(text), tree.bytes == nil, tree.archivedValue == nil else { return nil }
    return tree.brokenMark.map { "the JSON has \($0), which is no mark, or not with this content" }
      ?? "the JSON has a number beyond the bounds of Double"
  }

  /// SQL that makes an archive's JSON of an array column's value.
  static func sql(array value: String, of element: DataType) -> String {
    let item =
      switch element {
      case .double: realSQL("e")
      case .single: realSQL("e::double precision")
      case .numeric: "jsonb_build_object('$decimal', e::text)"
      // Without the line breaks that the server adds.
      case .bytes: "jsonb_build_object('$data', translate(encode(e, 'base64'), E'\\n', ''))"
      case .moment: "jsonb_build_object('$date', \(realSQL("(extract(epoch FROM e) - 978307200)::double precision")))"
      case .uuid: "jsonb_build_object('$uuid', upper(e::text))"
      default: "to_jsonb(e)"
      }
    let list =
      "SELECT jsonb_agg(CASE WHEN e IS NOT NULL THEN \(item) END ORDER BY n) "
      + "FROM unnest(\(value)) WITH ORDINALITY u(e, n)"
    return "CASE WHEN \(value) IS NOT NULL THEN coalesce((\(list)), '[]'::jsonb) END"
  }

  /// See ``JSONTree/init(_:)`` for the forms of floating-point numbers.
  private static func realSQL(_ number: String) -> String {
    let text = "(\(number))::text"
    return "CASE WHEN abs(\(number)) < 9.2e18 AND \(text) <> '-0' THEN to_jsonb(\(text)::numeric + 0.0) "
      + "ELSE jsonb_build_object('$real', \(text)) END"
  }

  /// The same form for all values that the server takes as equal.
  static func equal(_ form: [UInt8]) -> [UInt8] {
    let read = form.withUnsafeBytes { try? JSONTree(UnsafeRawBufferPointer(rebasing: $0.dropFirst())) }
    guard let tree = read, let text = try? tree.text(isCanonical: true) else { return form }
    return [version] + text
  }
}

extension JSONTree {
  fileprivate func isMarked(_ mark: String) -> Bool {
    if case .object(let members) = self { members.count == 1 && members[0].name == mark } else { false }
  }

  /// The bytes that are neither JSON nor an archive.
  fileprivate var bytes: Data? {
    guard case .object(let members) = self, members.count == 1, members[0].name == JSONForm.mark,
      case .text(let text) = members[0].value
    else { return nil }
    return Data(base64Encoded: text)
  }
}
