package import Foundation
package import SQLite

/// The functions and collations that SQL of this module, and triggers of the stores (CD-8), call.
package enum SQLFunctions {
  /// Makes them known to a connection; once per connection, reading or writing.
  ///
  /// - Parameter externalDataFolder: where the store keeps large values in files of their own (CD-5); `nil` if nowhere.
  /// - Throws: `SQLiteError`
  package static func register(on connection: Connection, externalDataFolder: URL?) throws {
    for function in StringFunction.allCases {
      try connection.registerFunction(SQLText.name(of: function), argumentCount: function.argumentCount) { arguments in
        guard let first = arguments.text(0) else { return .null }
        if function.argumentCount == 1 { return function.result(first) }
        return arguments.text(1).map { function.result(first, $0) } ?? .null
      }
    }
    try connection.registerFunction(SQLText.canonical, argumentCount: 1) { arguments in
      arguments.text(0).map { .text(StringFunctions.canonical($0)) } ?? .null
    }
    try connection.registerByteCollation(SQLText.canonicalCollation, CanonicalText.order)
    try connection.registerCollation(SQLText.localizedCollation) {
      StringFunctions.localizedCompare($0, $1).rawValue
    }
    try connection.registerCollation(SQLText.localizedStandardCollation) {
      StringFunctions.localizedStandardCompare($0, $1).rawValue
    }
    try connection.registerFunction(SQLText.externalData, argumentCount: 1, isDeterministic: false) { arguments in
      guard let stored = arguments.blob(0) else { return .null }
      return ExternalData.value(stored, in: externalDataFolder).map { .blob($0) } ?? .null
    }
    // Triggers tell the framework what they wrote; nobody has to listen, but somebody has to be there.
    try TriggerFunctions.register(on: connection)
  }
}

extension StringFunction {
  fileprivate func result(_ text: String) -> FunctionResult {
    switch self {
    case .lowercased: .text(StringFunctions.lowercased(text))
    case .uppercased: .text(StringFunctions.uppercased(text))
    case .isEmpty: .integer(StringFunctions.isEmpty(text) ? 1 : 0)
    case .count: .integer(Int64(StringFunctions.count(text)))
    default: .null
    }
  }

  fileprivate func result(_ text: String, _ other: String) -> FunctionResult {
    switch self {
    case .contains: .integer(StringFunctions.contains(text, other) ? 1 : 0)
    case .starts: .integer(StringFunctions.starts(text, with: other) ? 1 : 0)
    case .ends: .integer(StringFunctions.ends(text, with: other) ? 1 : 0)
    case .localizedStandardContains: .integer(StringFunctions.localizedStandardContains(text, other) ? 1 : 0)
    case .caseInsensitiveCompare: .integer(Int64(StringFunctions.caseInsensitiveCompare(text, other).rawValue))
    case .localizedCompare: .integer(Int64(StringFunctions.localizedCompare(text, other).rawValue))
    case .localizedStandardCompare: .integer(Int64(StringFunctions.localizedStandardCompare(text, other).rawValue))
    default: .null
    }
  }
}
