import Foundation
import ManagedModel
import PropertyLists
import SQLite
import StoreRequests

/// The members of a payload that an earlier version of this library stored as one JSON object.
enum PayloadMembers {
  /// The name of the SQL function that returns a member as a column holds it. Its arguments are the object or NULL, the label, and the number
  /// of the member's type.
  private static let function = "OSD_PAYLOAD"
  /// JSON is nested no deeper in a payload that could be read.
  private static let depthLimit = 512

  /// A member's value as a column of an element holds it.
  static func sql(_ label: String, of object: String, as element: AttributeDescription) -> String {
    // The bytes of any other payload are JSON, too.
    let form = element.type == .binary && element.contents == .json ? 0 : element.type.rawValue
    return "\(function)(\(object), \(Identifier.literal(label)), \(form))"
  }

  static func register(on connection: Connection) throws {
    try connection.registerFunction(function, argumentCount: 3) { arguments in
      guard let object = arguments.blob(0), let label = arguments.text(1) else { return .null }
      let type = UInt32(exactly: arguments.integer(2)).flatMap { AttributeType(rawValue: $0) }
      guard case .object(let members) = try JSONReader.read(ArraySlice(object), depthLimit: depthLimit).value else {
        throw PayloadProblem(label: label)
      }
      guard let member = members.first(where: { $0.name == label })?.node else { return .null }
      if case .null = member.value { return .null }
      guard let type, type != .undefined else { return .blob(Data(member.text)) }
      guard let value = member.value(as: type) else { throw PayloadProblem(label: label) }
      return value
    }
  }
}

/// A payload that does not have the form in which a case was stored.
private struct PayloadProblem: Error, CustomStringConvertible {
  let label: String
  var description: String { "The stored payload of an enumeration has no value for the label '\(label)'." }
}

extension JSONNode {
  /// The value as JSON text.
  fileprivate var text: [UInt8] {
    var writer = JSONWriter(escaping: .required)
    write(into: &writer)
    return writer.bytes
  }

  private func write(into writer: inout JSONWriter) {
    switch value {
    case .null: writer.writeNull()
    case .boolean(let flag): writer.write(flag: flag)
    case .number(let digits): writer.write(digits: digits)
    case .text(let text): writer.write(text: text)
    case .list(let nodes): writer.list { writer in nodes.forEach { $0.write(into: &writer) } }
    case .object(let members):
      writer.object { writer in
        for (name, node) in members {
          writer.write(key: name)
          node.write(into: &writer)
        }
      }
    }
  }

  /// The value of a column; `nil` if the type has no such value.
  fileprivate func value(as type: AttributeType) -> FunctionResult? {
    switch (type, value) {
    case (.string, .text(let text)), (.uri, .text(let text)): .text(text)
    case (.uuid, .text(let text)):
      UUID(uuidString: text).map { uuid in .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) }) }
    case (.binary, .text(let text)): Data(base64Encoded: text).map { .blob($0) }
    case (.boolean, .boolean(let truth)): .integer(truth ? 1 : 0)
    case (.integer16, .number(let digits)), (.integer32, .number(let digits)), (.integer64, .number(let digits)):
      (Int64(digits) ?? UInt64(digits).map { Int64(bitPattern: $0) }).map { .integer($0) }
    case (.double, .number(let digits)), (.float, .number(let digits)), (.date, .number(let digits)):
      Double(digits).map { .double($0) }
    case (.decimal, .number(let digits)):
      Decimal(string: digits).flatMap { number in
        switch StoreValue(number) {
        case .integer(let whole): .integer(whole)
        case .real(let nearest): .double(nearest)
        case .null, .text, .blob: nil
        }
      }
    default: nil
    }
  }
}
