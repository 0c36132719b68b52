import ManagedModel

/// User info as the dictionary of strings that `@Model` takes.
enum UserInfoExpression {
  /// Keys in code-unit order, so that equal dictionaries give equal text; values other than strings are not in it.
  static func expression(for userInfo: [String: UserInfoValue]) -> Expression {
    .dictionary(
      userInfo.sorted { codeUnitOrder($0.key, $1.key) }.compactMap { key, value in
        guard case .string(let text) = value else { return nil }
        return Expression.Entry(key: key, value: .string(text))
      })
  }

  /// The keys of what the expression leaves out, in words; `nil` if it is complete.
  static func remainder(of userInfo: [String: UserInfoValue]) -> String? {
    let others = userInfo.filter { if case .string = $0.value { false } else { true } }
    return others.isEmpty ? nil : phrase(for: others)
  }

  /// User info in words: its keys.
  static func phrase(for userInfo: [String: UserInfoValue]) -> String {
    "user info for " + userInfo.keys.sorted(by: codeUnitOrder).map { quoted($0) }.joined(separator: ", ")
  }
}
