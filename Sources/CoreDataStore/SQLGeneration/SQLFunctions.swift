import Foundation
package import SQLite
import StoreRequests

/// The functions and collations that this module's SQL and the triggers of stores (CD-8) call.
package enum SQLFunctions {
  /// Registers them with a connection, once per connection.
  ///
  /// - Throws: `SQLiteError`
  package static func register(on connection: Connection) throws {
    for function in StringFunction.allCases {
      try connection.registerFunction(
        SQLText.name(of: function), argumentCount: function.argumentCount, test: function.testOfBytes
      ) { arguments in
        guard let first = arguments.text(0) else { return .null }
        if function.argumentCount == 1 { return function.result(first) }
        return arguments.text(1).map { function.result(first, $0) } ?? .null
      }
    }
    try connection.registerFunction(SQLText.usualDecimal, argumentCount: 1) { arguments in
      if arguments.isInteger(0) { return .integer(arguments.integer(0)) }
      guard arguments.isFloatingPoint(0) else { return arguments.text(0).map { .text($0) } ?? .null }
      switch StoreValue.real(arguments.double(0)).usualDecimal {
      case .integer(let number): return .integer(number)
      case .real(let number): return .double(number)
      case .null, .text, .blob: return .null
      }
    }
    try connection.registerCollation(SQLText.canonicalCollation, CanonicalText.order)
    try connection.registerCollation(SQLText.localizedCollation) {
      StringFunctions.localizedCompare($0, $1).rawValue
    }
    try connection.registerCollation(SQLText.localizedStandardCollation) {
      StringFunctions.localizedStandardCompare($0, $1).rawValue
    }
    try TombstoneElements.register(on: connection)
    try PayloadMembers.register(on: connection)
    try NumberFunctions.register(on: connection)
    // Triggers report their changes to a function, which has to exist even if nobody needs the report.
    try TriggerFunctions.register(on: connection)
  }
}

extension StringFunction {
  /// Answers for two ASCII texts, without making strings of them.
  fileprivate var testOfBytes: TextTest? {
    switch self {
    case .contains: { ASCIIText.contains($0, $1, ignoringCase: false) }
    case .localizedStandardContains: { ASCIIText.contains($0, $1, ignoringCase: true) }
    case .starts: { ASCIIText.starts($0, with: $1) }
    default: nil
    }
  }

  fileprivate func result(_ text: String) -> FunctionResult {
    switch self {
    case .isEmpty: .integer(StringFunctions.isEmpty(text) ? 1 : 0)
    case .count: .integer(Int64(StringFunctions.count(text)))
    case .length: .integer(Int64(StringFunctions.length(text)))
    default: .text(result(ofText: text))
    }
  }

  fileprivate func result(_ text: String, _ other: String) -> FunctionResult {
    func order(_ result: ComparisonResult) -> FunctionResult { .integer(Int64(result.rawValue)) }
    func truth(_ value: Bool) -> FunctionResult { .integer(value ? 1 : 0) }
    return switch self {
    case .contains: truth(StringFunctions.contains(text, other))
    case .starts: truth(StringFunctions.starts(text, with: other))
    case .ends: truth(StringFunctions.ends(text, with: other))
    case .localizedStandardContains: truth(StringFunctions.localizedStandardContains(text, other))
    case .like: truth(StringFunctions.like(text, other))
    case .matches: truth(StringFunctions.matches(text, other, ignoring: []))
    case .matchesIgnoringCase: truth(StringFunctions.matches(text, other, ignoring: .caseInsensitive))
    case .caseInsensitiveCompare: order(StringFunctions.caseInsensitiveCompare(text, other))
    case .localizedCompare: order(StringFunctions.localizedCompare(text, other))
    case .localizedStandardCompare: order(StringFunctions.localizedStandardCompare(text, other))
    default: .null
    }
  }
}
