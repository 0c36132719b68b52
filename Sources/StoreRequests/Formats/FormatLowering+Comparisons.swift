import Foundation
import ManagedModel

extension Comparison {
  typealias Term = FormatLowering.Term
  typealias Kind = FormatLowering.Kind

  /// The condition that the comparison is of two terms, neither of which leads through a to-many relationship.
  func condition(_ left: Term, _ right: Term, convertsTexts: Bool) throws -> FetchExpression {
    switch (left, right) {
    case (.object(let path), .constant(let value)):
      return try condition(path, value)
    case (.constant(let value), .object(let path)):
      guard relation == .equal || relation == .notEqual else { throw unsupported(.objectComparison) }
      return try condition(path, value)
    case (.object(let path), .object(let other)):
      switch relation {
      case .equal: return .comparison(.equal, .object(path), .object(other))
      case .notEqual: return .comparison(.notEqual, .object(path), .object(other))
      default: throw unsupported(.objectComparison)
      }
    case (.object, _), (_, .object): throw unsupported(.objectComparison)
    case (_, .list(let items)): return try list(left, items, convertsTexts: convertsTexts)
    case (_, .constant(.list(let items))):
      guard case .value(let value, let kind) = left, relation == .in, options.ignored.isEmpty else {
        return try list(left, items.map { .constant($0) }, convertsTexts: convertsTexts)
      }
      return .membership(value, try items.map { try stored($0, comparedWith: value, kind, convertsTexts) })
    default:
      return try values(operand(left, besides: right, convertsTexts), operand(right, besides: left, convertsTexts))
    }
  }

  private func condition(_ path: FetchPath, _ value: FormatLowering.Value) throws -> FetchExpression {
    let isEqual = relation == .equal
    switch (relation, value) {
    case (.equal, .stored(.null)): return .isNull(.object(path))
    case (.notEqual, .stored(.null)): return .not(.isNull(.object(path)))
    case (.equal, .object(let key)), (.notEqual, .object(let key)):
      // An object without a row is none of the store's.
      guard let key else { return .truth(!isEqual) }
      let test = FetchExpression.comparison(.equal, .object(path), .objectConstant(key))
      return isEqual ? test : .not(test)
    case (.in, .list(let items)):
      let keys = try items.compactMap { item -> ObjectKey? in
        guard case .object(let key) = item else { throw unsupported(.objectComparison) }
        return key
      }
      return .objectMembership(path, keys)
    default: throw unsupported(.objectComparison)
    }
  }

  /// `IN` and `BETWEEN` of lists that are not just constants, or are compared in a way of their own.
  private func list(_ left: Term, _ items: [Term], convertsTexts: Bool) throws -> FetchExpression {
    switch relation {
    case .in:
      return .disjunction(try items.map { try with(.equal).condition(left, $0, convertsTexts: convertsTexts) })
    case .between:
      guard items.count == 2 else { throw unsupported(.betweenNeedsTwo) }
      return .conjunction([
        try with(.greaterThanOrEqual).condition(left, items[0], convertsTexts: convertsTexts),
        try with(.lessThanOrEqual).condition(left, items[1], convertsTexts: convertsTexts),
      ])
    default: throw unsupported(.listComparison)
    }
  }

  // MARK: Values

  private typealias Operand = (value: FetchExpression, kind: Kind?)

  private func operand(_ term: Term, besides other: Term, _ convertsTexts: Bool) throws -> Operand {
    switch term {
    case .value(let value, let kind): return (value, kind)
    case .constant(let constant):
      guard case .value(let value, let kind) = other else { break }
      let stored = try stored(constant, comparedWith: value, kind, convertsTexts && !relation.isOfTexts)
      return (.constant(stored), stored == .null ? nil : kind)
    default: break
    }
    throw unsupported(.listComparison)
  }

  /// A constant as the column holds it with which it is compared.
  private func stored(
    _ constant: FormatLowering.Value, comparedWith value: FetchExpression, _ kind: Kind, _ convertsTexts: Bool
  ) throws -> StoreValue {
    guard case .stored(let stored) = constant else { throw unsupported(.listComparison) }
    if case .text(let text) = stored, convertsTexts, let form = kind.readable {
      guard let converted = form.value(of: text) else {
        throw unsupported(.unreadable(as: form, property: value.lastName))
      }
      return converted
    }
    switch (stored, kind) {
    case (.null, _), (.integer, .number), (.real, .number), (.integer, .date), (.real, .date), (.text, .text),
      (.blob, .bytes), (.blob, .uuid):
      return stored
    case (_, .opaque): throw unsupported(.opaqueAttribute(value.lastName))
    default: throw unsupported(.differentKinds)
    }
  }

  private func values(_ left: Operand, _ right: Operand) throws -> FetchExpression {
    if let one = left.kind, let other = right.kind {
      if one == .opaque || other == .opaque { throw unsupported(.opaqueAttribute(left.value.lastName)) }
      guard one.isComparable(with: other) else { throw unsupported(.differentKinds) }
    }
    let isOfTexts = (left.kind ?? right.kind) == .text
    if relation.isOfTexts, !isOfTexts { throw unsupported(.textOperatorNeedsTexts) }
    if relation == .matches { return try pattern(left.value, right.value) }
    let (one, other) = isOfTexts ? (folded(left.value), folded(right.value)) : (left.value, right.value)
    switch relation {
    case .equal: return .comparison(.equal, one, other)
    case .notEqual: return .comparison(.notEqual, one, other)
    case .lessThan: return .comparison(.less, one, other)
    case .lessThanOrEqual: return .comparison(.lessOrEqual, one, other)
    case .greaterThan: return .comparison(.greater, one, other)
    case .greaterThanOrEqual: return .comparison(.greaterOrEqual, one, other)
    case .contains: return .string(.contains, [one, other])
    case .in: return .string(.contains, [other, one])
    case .beginsWith: return .string(.starts, [one, other])
    case .endsWith: return .string(.ends, [one, other])
    case .like, .matches: return .string(.like, [one, other])
    case .between: throw unsupported(.betweenNeedsTwo)
    }
  }

  private func pattern(_ text: FetchExpression, _ pattern: FetchExpression) throws -> FetchExpression {
    if case .constant(.text(let known)) = pattern { try StringFunctions.check(pattern: known) }
    let ignoresDiacritics = options.ignored.contains(.diacriticInsensitive)
    let operands = [text, pattern].map { ignoresDiacritics ? folded($0, .diacriticInsensitive) : $0 }
    return .string(options.ignored.contains(.caseInsensitive) ? .matchesIgnoringCase : .matches, operands)
  }

  /// A text without what the options say is not to count; a known one at once.
  private func folded(_ value: FetchExpression) -> FetchExpression { folded(value, options.ignored) }

  private func folded(_ value: FetchExpression, _ ignored: String.CompareOptions) -> FetchExpression {
    let function: StringFunction
    switch (ignored.contains(.caseInsensitive), ignored.contains(.diacriticInsensitive)) {
    case (true, true): function = .canonical
    case (true, false): function = .foldedCase
    case (false, true): function = .foldedDiacritics
    case (false, false): return value
    }
    if case .constant(let constant) = value {
      if case .text(let text) = constant { return .constant(.text(function.result(ofText: text))) }
      return value
    }
    return .string(function, [value])
  }
}

extension PredicateTree.Operator {
  fileprivate var isOfTexts: Bool {
    switch self {
    case .contains, .beginsWith, .endsWith, .like, .matches, .in: true
    default: false
    }
  }
}

extension FormatLowering.Kind {
  fileprivate func isComparable(with other: Self) -> Bool {
    switch (self, other) {
    case (.number, .date), (.date, .number), (.uuid, .bytes), (.bytes, .uuid): true
    default: self == other
    }
  }

  fileprivate var readable: FormatError.Readable? {
    switch self {
    case .date: .date
    case .uuid: .uuid
    case .bytes: .bytes
    case .number, .text, .opaque: nil
    }
  }
}

extension FormatError.Readable {
  /// The stored value that a text was written for; `nil` if it is of another form.
  fileprivate func value(of text: String) -> StoreValue? {
    switch self {
    case .date:
      let isDay = text.utf8.count == 10
      let date = try? Date(
        isDay ? text + "T00:00:00Z" : text,
        strategy: text.contains(".") ? Date.ISO8601FormatStyle(includingFractionalSeconds: true) : .iso8601)
      return date.map { .real($0.timeIntervalSinceReferenceDate) }
    case .uuid: return UUID(uuidString: text).map { withUnsafeBytes(of: $0.uuid) { .blob(Data($0)) } }
    case .bytes:
      let digits = Array(text.utf8)
      guard digits.count.isMultiple(of: 2), text.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return nil }
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
        UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16)
      }
      return .blob(Data(bytes))
    }
  }
}

extension FetchExpression {
  /// The name of the attribute that an expression is about, for messages.
  fileprivate var lastName: String {
    if case .attribute(let path, let name, let element) = self {
      return (path.relationships + [name] + element).joined(separator: ".")
    }
    return "the value"
  }
}
