import Foundation

/// A Swift expression, limited to the kinds that generated models need.
///
/// Identifiers and strings are unquoted and unescaped here; the renderer quotes and escapes them.
indirect enum Expression: Sendable, Hashable {
  case integer(Int64)
  case floatingPoint(Double)
  case boolean(Bool)
  case string(String)
  case bytes(Data)
  case none
  /// A name that stands for a value, for example `Date.distantPast`.
  case name(String)
  /// An implicit member, for example `.cascade`.
  case member(String)
  /// A call of a type, a function or, with a leading dot, an implicit member.
  case call(String, [Argument])
  /// `\Root.property`, or `\.property` if the compiler infers the root. A component that is unwrapped ends in a question mark.
  case keyPath(root: String?, [String])
  case metatype(String)
  case array([Expression])
  case dictionary([Entry])
  /// `lower...upper`, `lower...` or `...upper`.
  case range(Int64?, Int64?)
  /// `value ?? fallback`.
  case coalesced(Expression, Expression)

  struct Entry: Sendable, Hashable {
    var key: String
    var value: Expression
  }
}

/// One argument of a call or of a macro, with its label if it has one.
struct Argument: Sendable, Hashable {
  var label: String?
  var value: Expression

  init(_ label: String?, _ value: Expression) {
    self.label = label
    self.value = value
  }
}

/// A type in source: a name, an array of it, or the optional of either.
struct TypeReference: Sendable, Hashable {
  var name: String
  var isArray = false
  var isOptional = false
  /// The module to import for the type; `nil` for types of the standard library and of the model.
  var module: String?
}
