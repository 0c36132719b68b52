import PostgreSQL
import StoreRequests

/// The value of a placeholder: the same for all requests of a shape, or made from a request's constants.
enum Binding {
  case parameter(Parameter)
  case value(DataType, Source)
  case array(DataType, [Source])

  /// The bytes of a value, or of an element of an array.
  enum Source {
    case bytes([UInt8])
    /// A constant of the request, by its place among the constants of the shape.
    case constant(Int, ConstantForm)

    /// The bytes for a request; `nil` if the constant has no such form.
    func bytes(_ constants: [StoreValue]) -> [UInt8]? {
      switch self {
      case .bytes(let bytes): bytes
      case .constant(let place, let form): form.bytes(of: constants[place])
      }
    }
  }

  /// The value for a request. A constant without the form, which equals nothing, is `NULL`.
  func parameter(_ constants: [StoreValue]) -> Parameter {
    switch self {
    case .parameter(let parameter): return parameter
    case .value(let type, let source): return Parameter(type, source.bytes(constants))
    case .array(let type, let sources):
      var array = ParameterArray(type)
      for source in sources {
        if let bytes = source.bytes(constants) { array.append { $0 += bytes } } else { array.appendNull() }
      }
      return array.parameter
    }
  }
}

/// The form in which a constant is sent to the server.
enum ConstantForm: Hashable {
  /// The form for a comparison with values of a kind.
  case compared(with: SQLValue.Kind)
  /// The form of an element of an array column.
  case element(of: DataType)
  /// A text in composed form (NFC).
  case composed
  /// The first text, by bytes, after all texts that begin with a text in composed form.
  case afterPrefix
  /// The forms of a pattern of `LIKE`: ``WildcardPattern/sql`` and ``WildcardPattern/wideSQL``.
  case wildcards, wideWildcards
  /// The beginning of a pattern before its first wildcard, in composed form, and the first text after all texts with this beginning.
  case wildcardPrefix, afterWildcardPrefix
  /// The letters of a text that a search compares; see ``SearchLetters``.
  case searchLetters
  /// The characters with one of these letters, and the letter of each.
  case searchSpellings, searchSpelled
  /// The same for a text of common scripts; see ``CommonLetters``.
  case commonLetters, commonSpellings, commonSpelled
  /// The scalars of which a function makes scalars of a text, and what it makes of each; see ``LetterTable``.
  case spellings(StringFunction), spelled(StringFunction)
  /// A regular expression in the server's syntax; see ``RegularPattern``.
  case regular(ignoringCase: Bool)

  /// The bytes of a constant; `nil` if no value of the form equals it.
  func bytes(of constant: StoreValue) -> [UInt8]? {
    switch self {
    case .compared(let kind): constant.form(of: kind)
    case .element(let type): constant.form(in: type)
    case .composed: constant.composed.form(of: .text)
    case .afterPrefix: constant.afterPrefix.form(of: .text)
    case .wildcards: constant.pattern.flatMap { WildcardPattern($0).sql }.map { Array($0.utf8) }
    case .wideWildcards: constant.pattern.flatMap { WildcardPattern($0).wideSQL }.map { Array($0.utf8) }
    case .wildcardPrefix: constant.patternPrefix?.composed.form(of: .text)
    case .afterWildcardPrefix: constant.patternPrefix?.afterPrefix.form(of: .text)
    case .searchLetters: constant.searchLetters.map { Array($0.utf8) }
    case .searchSpellings: constant.searchLetters.map { Array(SearchLetters.spellings(of: $0).characters.utf8) }
    case .searchSpelled: constant.searchLetters.map { Array(SearchLetters.spellings(of: $0).letters.utf8) }
    case .commonLetters: constant.commonLetters.map { Array($0.utf8) }
    case .commonSpellings: constant.commonLetters.map { Array(CommonLetters.spellings(of: $0).scalars.utf8) }
    case .commonSpelled: constant.commonLetters.map { Array(CommonLetters.spellings(of: $0).letters.utf8) }
    case .spellings(let function): constant.spellings(function).map { Array($0.scalars.utf8) }
    case .spelled(let function): constant.spellings(function).map { Array($0.letters.utf8) }
    case .regular(let ignoresCase):
      constant.pattern.flatMap { RegularPattern.sql($0, ignoringCase: ignoresCase) }.map { Array($0.utf8) }
    }
  }
}

/// The constants of a request, and the facts about them that a statement's text depends on.
///
/// The printer reads the request's shape, in which stand-ins replace most constants, and asks this reader about the
/// constants. The reader records every answer that influences the text. A statement serves another request of the shape
/// if all of these answers are the same for it.
struct ConstantReader {
  /// The constants of the shape.
  let constants: [StoreValue]
  private let places: [StoreValue: Int]
  private(set) var answers: Set<Answer> = []

  /// Reads a request without a shape: its own constants.
  init() {
    constants = []
    places = [:]
  }

  init(_ shape: FetchShape) {
    constants = shape.constants
    places = Dictionary(zip(shape.standIns, 0...)) { first, _ in first }
  }

  /// The source of a constant's bytes; `nil` if no value of the form equals the constant.
  mutating func source(_ value: StoreValue, _ form: ConstantForm) -> Binding.Source? {
    guard let place = places[value] else { return form.bytes(of: value).map { .bytes($0) } }
    return answer(.hasForm(place, form)) ? .constant(place, form) : nil
  }

  /// Whether a constant is a text whose characters have plain composition and case.
  mutating func isPlain(_ value: StoreValue) -> Bool {
    guard let place = places[value] else { return value.isPlain }
    return answer(.isPlain(place))
  }

  /// Whether a constant is a text, not empty, whose composed form is the same here and on the server.
  mutating func hasKnownForms(_ value: StoreValue) -> Bool {
    guard let place = places[value] else { return value.hasKnownForms }
    return answer(.hasKnownForms(place))
  }

  /// Whether two known objects are the same.
  mutating func isEqual(_ one: ObjectKey, _ other: ObjectKey) -> Bool {
    guard let first = places[.integer(one.key)], let second = places[.integer(other.key)] else { return one == other }
    return answer(.isEqual(first, second)) && one.entity == other.entity
  }

  private mutating func answer(_ question: Question) -> Bool {
    let isTrue = question.isTrue(of: constants)
    answers.insert(Answer(question: question, isTrue: isTrue))
    return isTrue
  }

  /// A question about constants, by their places.
  enum Question: Hashable {
    case hasForm(Int, ConstantForm)
    case isPlain(Int)
    case hasKnownForms(Int)
    case isEqual(Int, Int)

    func isTrue(of constants: [StoreValue]) -> Bool {
      switch self {
      case .hasForm(let place, let form): form.bytes(of: constants[place]) != nil
      case .isPlain(let place): constants[place].isPlain
      case .hasKnownForms(let place): constants[place].hasKnownForms
      case .isEqual(let one, let other): constants[one] == constants[other]
      }
    }
  }

  struct Answer: Hashable {
    let question: Question
    let isTrue: Bool

    /// Whether the question has the same answer for other constants.
    func holds(for constants: [StoreValue]) -> Bool { question.isTrue(of: constants) == isTrue }
  }
}

extension StoreValue {
  /// The letters of a text; `nil` for a value without any, or with a character that has several, or that the server does not take.
  fileprivate var searchLetters: String? {
    guard case .text(let text) = self, !text.utf8.contains(0) else { return nil }
    guard let letters = SearchLetters.letters(of: text), !letters.isEmpty else { return nil }
    return letters
  }

  /// The letters of a text of common scripts; `nil` for other values.
  fileprivate var commonLetters: String? {
    if case .text(let text) = self { CommonLetters.letters(of: text) } else { nil }
  }

  /// The scalars of which a function makes scalars of the text; `nil` for other values.
  fileprivate func spellings(_ function: StringFunction) -> (scalars: String, letters: String)? {
    if case .text(let text) = self { LetterTable.tables[function]?.spellings(of: text) } else { nil }
  }

  /// A text that the server takes.
  fileprivate var pattern: String? {
    guard case .text(let text) = self, !text.utf8.contains(0) else { return nil }
    return text
  }

  /// The characters of a pattern before its first wildcard; `nil` if there is none.
  fileprivate var patternPrefix: StoreValue? {
    guard let prefix = pattern.map(StringFunctions.literalPrefix), !prefix.isEmpty else { return nil }
    return .text(prefix)
  }

  /// Whether the value is a text, not empty, with scalars that old and new versions of Unicode compose alike.
  fileprivate var hasKnownForms: Bool {
    guard case .text(let text) = self else { return false }
    return !text.isEmpty && CanonicalText.hasKnownForms(text)
  }

  /// Whether the value is a text that has only characters whose composition and case are plain.
  fileprivate var isPlain: Bool {
    guard case .text(let text) = self else { return false }
    return text.utf8.allSatisfy { (0x20...0x7E).contains($0) || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }
  }
}
