import Foundation

/// A Swift expression, as far as generated models need any.
///
/// Identifiers and strings stand here as they are; quoting and escaping them is the renderer's work.
indirect enum Expression: Sendable, Hashable {
  case integer(Int64)
  case floatingPoint(Double)
  case boolean(Bool)
  case string(String)
  case bytes(Data)
  case none
  /// A name that stands for a value, such as `Date.distantPast`.
  case name(String)
  /// An implicit member such as `.cascade`.
  case member(String)
  /// A call of a type, a function or, with a leading dot, an implicit member.
  case call(String, [Argument])
  /// `\Root.property`, or `\.property` where the root is to be inferred.
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

/// A type as it is written: a name, the array of it, or the optional of either.
struct TypeReference: Sendable, Hashable {
  var name: String
  var isArray = false
  var isOptional = false
  /// The module that declares the type and has to be imported; `nil` for the standard library's and the model's own.
  var module: String?
}
