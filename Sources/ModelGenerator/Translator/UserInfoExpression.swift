import ErrorReporting
import Foundation
import ManagedModel

/// User info as a dictionary literal of ``Schema.UserInfoValue``s.
enum UserInfoExpression {
  /// The keys are in code-unit order, so that equal dictionaries give equal text.
  static func expression(for userInfo: [String: UserInfoValue]) -> Expression {
    .dictionary(
      userInfo.sorted { codeUnitOrder($0.key, $1.key) }.map { Expression.Entry(key: $0.key, value: value($0.value)) })
  }

  private static func value(_ value: UserInfoValue) -> Expression {
    switch value {
    case .string(let text): .string(text)
    case .integer(let number): .integer(number)
    case .real(let number): .floatingPoint(number)
    case .boolean(let flag): .boolean(flag)
    case .date(let seconds):
      .call(
        ".date", [Argument(nil, .call("Date", [Argument("timeIntervalSinceReferenceDate", .floatingPoint(seconds))]))])
    case .data(let data): .call(".data", [Argument(nil, AttributeTypes.bytes(data))])
    case .array(let values): .array(values.map(self.value))
    case .dictionary(let values): expression(for: values)
    }
  }

  /// Whether the expression mentions types of Foundation.
  static func needsFoundation(_ value: UserInfoValue) -> Bool {
    switch value {
    case .date, .data: true
    case .array(let values): values.contains(where: needsFoundation)
    case .dictionary(let values): values.values.contains(where: needsFoundation)
    case .string, .integer, .real, .boolean: false
    }
  }

  /// The keys of the user info as a phrase.
  static func phrase(for userInfo: [String: UserInfoValue]) -> String {
    "user info for " + userInfo.keys.sorted(by: codeUnitOrder).map { quoted($0) }.joined(separator: ", ")
  }
}
