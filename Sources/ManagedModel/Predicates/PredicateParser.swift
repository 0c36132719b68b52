/// Parses predicates and expressions in `NSPredicate`'s format into trees.
///
/// The text is untrusted, so its depth and the number of steps are bounded. Returns `nil` unless the whole text is
/// understood.
package struct PredicateParser {
  /// How deeply parentheses, negations and arguments may be nested.
  private static let maximumDepth = 64
  /// How many operations may be within one another: `1 + 1 + 1` is a sum of a sum. Programs walk the tree by recursion.
  private static let maximumHeight = 256

  private let tokens: [Token]
  private var position = 0
  private var stepsLeft: Int
  /// The number of operations within one another in the expression that was parsed last.
  private var height = 0 { didSet { highest = max(highest, height) } }
  /// The greatest height so far in the innermost subquery.
  private var highest = 0

  package static func predicate(_ text: String) -> PredicateTree? {
    guard var parser = PredicateParser(text), let tree = parser.disjunction(0), parser.isAtEnd else { return nil }
    return tree
  }

  package static func expression(_ text: String) -> ExpressionTree? {
    guard var parser = PredicateParser(text), let tree = parser.sum(0), parser.isAtEnd else { return nil }
    return tree
  }

  private init?(_ text: String) {
    guard text.utf8.count <= 1_000_000, let tokens = Token.all(in: text) else { return nil }
    self.tokens = tokens
    // Enough for any text that the parser reads without going back. Parentheses that it reads twice take more steps.
    stepsLeft = 20_000 + 16 * tokens.count
  }

  private var isAtEnd: Bool { position == tokens.count }

  private mutating func take(_ token: Token) -> Bool {
    guard position < tokens.count, tokens[position] == token else { return false }
    position += 1
    return true
  }

  private mutating func take(word words: String...) -> Bool {
    guard position < tokens.count, case .word(let text) = tokens[position], words.contains(text.uppercased()) else {
      return false
    }
    position += 1
    return true
  }

  private mutating func mayGo(_ depth: Int) -> Bool {
    stepsLeft -= 1
    return stepsLeft > 0 && depth <= Self.maximumDepth
  }

  // MARK: Predicates

  private mutating func disjunction(_ depth: Int) -> PredicateTree? {
    guard var parts = conjunction(depth).map({ [$0] }) else { return nil }
    while take(word: "OR") || take(.symbol("||")) {
      guard let part = conjunction(depth) else { return nil }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .or(parts)
  }

  private mutating func conjunction(_ depth: Int) -> PredicateTree? {
    guard var parts = negation(depth).map({ [$0] }) else { return nil }
    while take(word: "AND") || take(.symbol("&&")) {
      guard let part = negation(depth) else { return nil }
      parts.append(part)
    }
    return parts.count == 1 ? parts[0] : .and(parts)
  }

  private mutating func negation(_ depth: Int) -> PredicateTree? {
    guard mayGo(depth) else { return nil }
    if take(word: "NOT") || take(.symbol("!")) { return negation(depth + 1).map(PredicateTree.not) }
    if take(word: "TRUEPREDICATE") { return .value(true) }
    if take(word: "FALSEPREDICATE") { return .value(false) }
    let start = position
    if take(.symbol("(")) {
      if let inner = disjunction(depth + 1), take(.symbol(")")) { return inner }
      // The parenthesis may belong to an operand.
      position = start
    }
    return comparison(depth)
  }

  private mutating func comparison(_ depth: Int) -> PredicateTree? {
    if take(word: "NONE") { return comparison(depth, .any).map(PredicateTree.not) }
    return comparison(depth, take(word: "ANY", "SOME") ? .any : take(word: "ALL") ? .all : .direct)
  }

  private mutating func comparison(_ depth: Int, _ modifier: PredicateTree.Modifier) -> PredicateTree? {
    guard let left = sum(depth), let relation = relation() else { return nil }
    guard let options = options(), let right = sum(depth) else { return nil }
    return .comparison(left, relation, right, modifier, options)
  }

  private mutating func relation() -> PredicateTree.Operator? {
    guard position < tokens.count else { return nil }
    let text: String
    switch tokens[position] {
    case .symbol(let symbol): text = symbol
    case .word(let word): text = word.uppercased()
    default: return nil
    }
    let spellings = ["=": "==", "<>": "!=", "=<": "<=", "=>": ">="]
    guard let found = PredicateTree.Operator.allCases.first(where: { $0.symbol == spellings[text] ?? text }) else {
      return nil
    }
    position += 1
    return found
  }

  private mutating func options() -> PredicateTree.Options? {
    guard take(.symbol("[")) else { return [] }
    guard position < tokens.count, case .word(let letters) = tokens[position] else { return nil }
    position += 1
    var options: PredicateTree.Options = []
    for letter in letters.lowercased() {
      guard let option = PredicateTree.Options.letters.first(where: { $0.letter == letter })?.option else { return nil }
      options.insert(option)
    }
    return take(.symbol("]")) ? options : nil
  }

  // MARK: Expressions

  private mutating func sum(_ depth: Int) -> ExpressionTree? {
    guard var left = product(depth) else { return nil }
    while let function = arithmetic("+", "-") {
      let leftHeight = height
      guard let right = product(depth), grow(over: leftHeight) else { return nil }
      left = .function(function, [left, right])
    }
    return left
  }

  private mutating func product(_ depth: Int) -> ExpressionTree? {
    guard var left = operand(depth) else { return nil }
    while let function = arithmetic("*", "/") {
      let leftHeight = height
      guard let right = operand(depth), grow(over: leftHeight) else { return nil }
      left = .function(function, [left, right])
    }
    return left
  }

  /// Notes an operation on the expression that was parsed last and on another one.
  private mutating func grow(over other: Int) -> Bool {
    height = max(height, other) + 1
    return height <= Self.maximumHeight
  }

  private mutating func arithmetic(_ symbols: String...) -> String? {
    guard mayGo(0) else { return nil }
    for symbol in symbols where take(.symbol(symbol)) {
      return ExpressionTree.arithmetic.first { $0.symbol == symbol }?.function
    }
    return nil
  }

  private mutating func operand(_ depth: Int) -> ExpressionTree? {
    guard mayGo(depth), position < tokens.count else { return nil }
    height = 0
    if take(.symbol("(")) {
      guard let inner = sum(depth + 1), take(.symbol(")")) else { return nil }
      return inner
    }
    if take(.symbol("{")) { return arguments(until: "}", depth).map(ExpressionTree.list) }
    let token = tokens[position]
    position += 1
    switch token {
    case .integer(let value): return .integer(value)
    case .real(let value): return .real(value)
    case .string(let text): return .string(text)
    case .variable(let name):
      let parts = name.split(separator: ".", maxSplits: 1).map(String.init)
      guard let first = parts.first else { return nil }
      return parts.count == 2 ? .keyPath(of: .variable(first), parts[1]) : .variable(first)
    case .symbol: return nil
    case .word(let word):
      if take(.symbol("(")) {
        if word.uppercased() == "SUBQUERY" { return subquery(depth) }
        guard let arguments = arguments(until: ")", depth) else { return nil }
        return call(word, arguments)
      }
      switch word.uppercased() {
      case "SELF": return .evaluatedObject
      case "NIL", "NULL": return .null
      case "TRUE", "YES": return .boolean(true)
      case "FALSE", "NO": return .boolean(false)
      default: return .keyPath(of: .evaluatedObject, word)
      }
    }
  }

  /// `SUBQUERY(collection, $variable, predicate)`, and the path that may follow it: `.@count`.
  private mutating func subquery(_ depth: Int) -> ExpressionTree? {
    let outside = highest
    highest = 0
    guard let collection = sum(depth + 1), take(.symbol(",")), position < tokens.count,
      case .variable(let name) = tokens[position]
    else { return nil }
    position += 1
    guard !name.contains("."), take(.symbol(",")), let predicate = disjunction(depth + 1), take(.symbol(")")),
      grow(over: highest)
    else { return nil }
    highest = max(highest, outside)
    let subquery = ExpressionTree.subquery(of: collection, variable: name, predicate)
    guard position < tokens.count, case .word(let path) = tokens[position], path.first == ".", path.count > 1 else {
      return subquery
    }
    position += 1
    return .keyPath(of: subquery, String(path.dropFirst()))
  }

  private func call(_ name: String, _ arguments: [ExpressionTree]) -> ExpressionTree? {
    if name.uppercased() == "CAST", arguments.count == 2, arguments[1] == .string("NSDate") {
      switch arguments[0] {
      case .real(let seconds): return .date(seconds)
      case .integer(let seconds): return .date(Double(seconds))
      default: return nil
      }
    }
    return .function(name, arguments)
  }

  private mutating func arguments(until closing: String, _ depth: Int) -> [ExpressionTree]? {
    var arguments: [ExpressionTree] = []
    if take(.symbol(closing)) { return arguments }
    var highest = 0
    repeat {
      guard let argument = sum(depth + 1), grow(over: 0) else { return nil }
      highest = max(highest, height)
      arguments.append(argument)
    } while take(.symbol(","))
    height = highest
    return take(.symbol(closing)) ? arguments : nil
  }
}

/// A token of a predicate's format.
private enum Token: Hashable {
  /// A key path, a function's name with its colons, or a key word.
  case word(String)
  case variable(String)
  case integer(Int64)
  case real(Double)
  case string(String)
  case symbol(String)

  private static let symbols = [
    "==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||", "<", ">", "=", "!", "(", ")", "{", "}", "[", "]", ",", "+",
    "-", "*", "/",
  ].map { Array($0.unicodeScalars) }

  static func all(in text: String) -> [Token]? {
    // A quotation mark before a combining character is no `Character` of its own, but it opens or ends a text.
    let letters = Array(text.unicodeScalars)
    var tokens: [Token] = []
    var position = 0
    while position < letters.count {
      let letter = letters[position]
      if letter.properties.isWhitespace {
        position += 1
      } else if letter == "\"" || letter == "'" {
        guard let text = quotation(letters, &position) else { return nil }
        tokens.append(.string(text))
      } else if isDigit(letter) || letter == "-" && startsNumber(letters, position, tokens.last) {
        guard let number = number(letters, &position) else { return nil }
        tokens.append(number)
      } else if letter == "$" {
        position += 1
        let name = word(letters, &position)
        if name.isEmpty { return nil }
        tokens.append(.variable(name))
      } else if let symbol = symbols.first(where: { letters[position...].starts(with: $0) }) {
        position += symbol.count
        tokens.append(.symbol(string(symbol)))
      } else {
        let name = word(letters, &position)
        if name.isEmpty { return nil }
        tokens.append(.word(name))
      }
    }
    return tokens
  }

  /// A minus is the sign of a number if no operand precedes it.
  private static func startsNumber(_ letters: [Unicode.Scalar], _ position: Int, _ last: Token?) -> Bool {
    guard position + 1 < letters.count, isDigit(letters[position + 1]) else {
      return false
    }
    switch last {
    case nil, .symbol("("), .symbol(","), .symbol("{"), .symbol("=="), .symbol("="), .symbol("!="), .symbol("<"),
      .symbol("<="), .symbol(">"), .symbol(">="), .symbol("<>"), .symbol("=<"), .symbol("=>"):
      return true
    default: return false
    }
  }

  private static func isDigit(_ letter: Unicode.Scalar) -> Bool { ("0"..."9").contains(letter) }

  private static func isPartOfWord(_ letter: Unicode.Scalar) -> Bool {
    let properties = letter.properties
    return properties.isAlphabetic || properties.numericType != nil || "_.:@#".unicodeScalars.contains(letter)
      || [.nonspacingMark, .spacingMark, .enclosingMark].contains(properties.generalCategory)
  }

  private static func string(_ letters: some Sequence<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(letters))
  }

  private static func word(_ letters: [Unicode.Scalar], _ position: inout Int) -> String {
    let start = position
    while position < letters.count {
      let letter = letters[position]
      guard isPartOfWord(letter) else { break }
      position += 1
    }
    return string(letters[start..<position])
  }

  private static func number(_ letters: [Unicode.Scalar], _ position: inout Int) -> Token? {
    let start = position
    position += 1
    while position < letters.count {
      let letter = letters[position]
      let isExponentSign = (letter == "-" || letter == "+") && letters[position - 1] == "e"
      guard isDigit(letter) || letter == "." || letter == "e" || isExponentSign else { break }
      position += 1
    }
    let text = string(letters[start..<position])
    return Int64(text).map(Token.integer) ?? Double(text).map(Token.real)
  }

  private static func quotation(_ letters: [Unicode.Scalar], _ position: inout Int) -> String? {
    let mark = letters[position]
    var text = ""
    position += 1
    while position < letters.count {
      let letter = letters[position]
      position += 1
      if letter == mark { return text }
      if letter == "\\" {
        guard position < letters.count else { return nil }
        text.unicodeScalars.append(letters[position])
        position += 1
      } else {
        text.unicodeScalars.append(letter)
      }
    }
    return nil
  }
}
