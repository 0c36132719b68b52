import ManagedModel
import PropertyLists

extension ModelDecoder {
  func userInfo(_ object: ArchivedObject) throws -> [String: UserInfoValue] {
    guard let userInfo = try object.object("NSUserInfo") else { return [:] }
    return try object.archive.once(userInfo) { userInfo in
      guard let entries = try userInfo.entries(as: "NSUserInfo") else {
        throw ArchiveFault(key: "NSUserInfo", problem: "is not a dictionary")
      }
      var result: [String: UserInfoValue] = [:]
      for (key, value) in entries { result[key] = try value.userInfoValue(depth: 0) }
      return result
    }
  }
}

extension ArchivedObject {
  /// Any property-list value. Another object, such as an instance of the program's own class, throws.
  fileprivate func userInfoValue(depth: Int) throws -> UserInfoValue {
    guard depth <= ModelDecoder.maximumDepth else {
      throw ArchiveFault(key: "NSUserInfo", problem: "is nested too deeply")
    }
    if let text { return .string(text) }
    switch content {
    case .boolean(let value): return .boolean(value)
    case .integer(let value):
      guard let number = Int64(exactly: value) else { break }
      return .integer(number)
    case .real(let value): return .real(value)
    default:
      if let data = try bytes() { return .data(data) }
      if let seconds = try seconds() { return .date(seconds) }
      if let entries = try entries(as: "NSUserInfo") {
        var result: [String: UserInfoValue] = [:]
        for (key, value) in entries { result[key] = try value.userInfoValue(depth: depth + 1) }
        return .dictionary(result)
      }
      if let elements = try elements(as: "NSUserInfo") {
        return .array(try elements.map { try $0.userInfoValue(depth: depth + 1) })
      }
    }
    throw ArchiveFault(key: "NSUserInfo", problem: "has a value that is no property-list value")
  }

  /// The object as a value of the type; `nil` for an object of another type, such as the default of a transformable
  /// attribute.
  func value(for type: AttributeType) throws -> AttributeValue? {
    switch type {
    case .integer16, .integer32, .integer64: try whole().map(AttributeValue.integer)
    case .boolean: try whole().map { .boolean($0 != 0) }
    case .double: try real().map(AttributeValue.double)
    // The nearest 32-bit number to 0.1 reads as 0.1.
    case .float: try real().map { .double(Float($0).isFinite ? Double("\(Float($0))") ?? $0 : $0) }
    case .decimal: try decimal().map(AttributeValue.decimal)
    case .string: text.map(AttributeValue.string)
    case .date: try seconds().map(AttributeValue.date)
    case .uuid: try uuid().map(AttributeValue.uuid)
    case .uri: try address().map(AttributeValue.uri)
    case .binary: try bytes().map(AttributeValue.binary)
    case .undefined, .transformable, .objectID, .composite: nil
    }
  }
}
