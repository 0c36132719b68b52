import PostgreSQL
import StoreRequests

// A necessary condition of a test of a text. Either an index serves it, or the server cannot decide the test itself. Then memory has to
// test fewer rows.
extension QueryPrinter {
  /// SQL that is true for each row for which a test of an attribute's text is true; `nil` for other expressions.
  ///
  /// A text may begin with another one character by character. Then it does so in composed form, too: no character composes with the
  /// next one.
  mutating func implied(by expression: FetchExpression, _ bound: Bound, depth: Int) throws -> String? {
    if case .value = bound { return nil }
    guard let (function, text, constant) = expression.textTest, reader.hasKnownForms(constant) else { return nil }
    let value = try value(text, depth: depth)
    guard value.kind == .text else { return nil }
    switch function {
    case .starts, .like:
      guard try isColumn(text, among: \.columnsIndexedComposed) else { return nil }
      let isPattern = function == .like
      guard let first = placeholder(constant, in: isPattern ? .wildcardPrefix : .composed) else { return nil }
      let start = "\(value.composed) >= \(first)"
      return placeholder(constant, in: isPattern ? .afterWildcardPrefix : .afterPrefix)
        .map { "\(start) AND \(value.composed) < \($0)" } ?? start
    case .localizedStandardContains where Self.foldsPlainly && bound == .possible:
      guard let part = placeholder(constant, in: .searchLetters),
        let characters = placeholder(constant, in: .searchSpellings),
        let letters = placeholder(constant, in: .searchSpelled)
      else { return nil }
      let (marks, untold) = (pattern(SearchLetters.marks), pattern(SearchLetters.untold))
      let bare = "regexp_replace(normalize(\(value.sql), NFD), \(marks), '', 'g')"
      return
        "(strpos(translate(\(bare), \(characters), \(letters)) COLLATE \"C\", \(part)) > 0 OR \(value.sql) ~ \(untold))"
    default: return nil
    }
  }

  private mutating func pattern(_ text: String) -> String { placeholder(.parameter(.text(text))) }

  /// A placeholder for a text in a form; `nil` if it has none.
  private mutating func placeholder(_ constant: StoreValue, in form: ConstantForm) -> String? {
    reader.source(constant, form).map { placeholder(.value(.text, $0)) }
  }
}

extension FetchExpression {
  /// A test of an attribute's text with a constant. The expression is this test, or is true only if the test is true.
  fileprivate var textTest: (function: StringFunction, text: FetchExpression, constant: StoreValue)? {
    switch self {
    case .string(let function, let arguments):
      guard arguments.count == 2, case .attribute = arguments[0], case .constant(let constant) = arguments[1] else {
        return nil
      }
      return (function, arguments[0], constant)
    case .comparison(.equal, let test, .constant(.integer(1))), .comparison(.equal, .constant(.integer(1)), let test),
      .coalesce(let test, .constant(.integer(0))):
      return test.textTest
    default: return nil
    }
  }
}
