import Foundation
import ManagedModel
import PropertyLists

extension KeyedArchiveBuilder {
  mutating func value(_ value: AttributeValue?, of type: AttributeType) -> Reference {
    switch value {
    case nil: .null
    case .integer(let number): plain(.integer(Int128(number)))
    case .boolean(let flag): plain(.boolean(flag))
    case .double(let number): plain(type == .float && Float(number).isFinite ? .float(Float(number)) : .real(number))
    case .string(let text): string(text)
    case .binary(let data): plain(.data(data))
    case .date(let seconds): date(seconds)
    case .uuid(let value): uuid(value)
    case .uri(let text): url(text)
    case .decimal(let number): decimal(number)
    }
  }

  private mutating func url(_ text: String) -> Reference {
    let text = string(text)
    return add(.url, [("NS.base", .reference(.null)), ("NS.relative", .reference(text))])
  }

  /// All empty dictionaries are one object, as in Foundation.
  mutating func userInfo(_ userInfo: [String: UserInfoValue]) -> Reference {
    if userInfo.isEmpty { return shared("{}") { $0.dictionary(.dictionary, []) } }
    let entries = userInfo.sorted { codeUnitOrder($0.key, $1.key) }.map { ($0.key, userInfoValue($0.value)) }
    return dictionary(.dictionary, entries)
  }

  private mutating func userInfoValue(_ value: UserInfoValue) -> Reference {
    switch value {
    case .string(let text): string(text)
    case .integer(let number): plain(.integer(Int128(number)))
    case .real(let number): plain(.real(number))
    case .boolean(let flag): plain(.boolean(flag))
    case .date(let seconds): date(seconds)
    case .data(let data): plain(.data(data))
    case .array(let items): list(.array, items.map { userInfoValue($0) })
    case .dictionary(let contents): userInfo(contents)
    }
  }
}
