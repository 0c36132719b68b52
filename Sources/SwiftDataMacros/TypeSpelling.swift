import SwiftSyntax

// Macros see how a type is spelled, not which type it is. These rules decide only where the spelling leaves no doubt.

extension TypeSyntax {
  /// The type as it may stand before `.self`; an implicitly unwrapped optional is an optional.
  var declared: String {
    if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "(\(type.wrappedType.trimmed)?)" }
    if self.is(SomeOrAnyTypeSyntax.self) || self.is(FunctionTypeSyntax.self) { return "(\(trimmed))" }
    return trimmedDescription
  }

  /// Whether a `var` of the type starts as `nil` without being told: `T?` and `T!` do, `Optional<T>` does not.
  var hasImplicitNil: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
  }

  /// Whether the type is spelled as an optional.
  var isSpelledOptional: Bool { hasImplicitNil || typeName == "Optional" }

  /// Whether the type may be an optional: it is spelled as one, or its name may be an alias of one.
  var mayBeOptional: Bool {
    if isSpelledOptional { return true }
    guard let typeName else { return false }
    return !Self.namesOfPlainTypes.contains(typeName)
  }

  /// `T?`, with parentheses where the type needs them.
  var optionalSpelling: String {
    let needsParentheses =
      self.is(FunctionTypeSyntax.self) || self.is(SomeOrAnyTypeSyntax.self) || self.is(CompositionTypeSyntax.self)
      || self.is(AttributedTypeSyntax.self)
    return needsParentheses ? "(\(trimmed))?" : "\(trimmed)?"
  }

  /// `T` of `T?` and `T!`, otherwise the type itself.
  var unwrapped: TypeSyntax {
    self.as(OptionalTypeSyntax.self)?.wrappedType
      ?? self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self)?.wrappedType ?? self
  }

  /// Whether the type is spelled as an array that may be a relationship: its elements are no plain values.
  var isSpelledRelationshipToMany: Bool {
    let type = unwrapped
    if let array = type.as(ArrayTypeSyntax.self) { return array.element.mayBeModel }
    guard type.typeName == "Array",
      let arguments = type.as(IdentifierTypeSyntax.self)?.genericArgumentClause?.arguments,
      arguments.count == 1, case .type(let element)? = arguments.first?.argument
    else { return false }
    return element.mayBeModel
  }

  /// Whether the type may be a class of models, as far as its spelling tells.
  private var mayBeModel: Bool { typeName.map { !Self.namesOfPlainTypes.contains($0) } ?? false }

  /// The kind of a type that no column and no coding can hold: a tuple, a function, an existential, a metatype.
  var kindWithoutColumn: String? {
    let type = unwrapped
    if let tuple = type.as(TupleTypeSyntax.self) {
      guard tuple.elements.count == 1, let only = tuple.elements.first else { return "a tuple" }
      return only.type.kindWithoutColumn
    }
    if let attributed = type.as(AttributedTypeSyntax.self) { return attributed.baseType.kindWithoutColumn }
    if type.is(FunctionTypeSyntax.self) { return "a function" }
    if type.is(MetatypeTypeSyntax.self) { return "a metatype" }
    if type.is(SomeOrAnyTypeSyntax.self) { return "'\(type.trimmed)', a protocol type" }
    if typeName == "AnyObject" || typeName == "Any" { return "'\(type.trimmed)'" }
    return nil
  }

  /// `X` of `X`, `X<…>` and `Module.X`.
  private var typeName: String? {
    self.as(IdentifierTypeSyntax.self)?.name.text ?? self.as(MemberTypeSyntax.self)?.name.text
  }

  /// Types of the standard library and of Foundation that are no optionals.
  private static let namesOfPlainTypes: Set<String> = [
    "Array", "Bool", "Character", "Data", "Date", "Decimal", "Dictionary", "Double", "Float", "Float16", "Int", "Int8",
    "Int16", "Int32", "Int64", "Set", "String", "Substring", "TimeInterval", "UInt", "UInt8", "UInt16", "UInt32",
    "UInt64", "URL", "UUID",
  ]
}

extension InheritedTypeListSyntax {
  /// The superclass, as far as the clause's spelling tells: its first name, unless that is a well-known protocol's.
  var possibleSuperclass: TypeSyntax? {
    guard let first = first?.type else { return nil }
    if let attributed = first.as(AttributedTypeSyntax.self), !attributed.attributes.isEmpty { return nil }
    let name = first.as(IdentifierTypeSyntax.self)?.name.text ?? first.as(MemberTypeSyntax.self)?.name.text
    return name.map(Self.namesOfProtocols.contains) == true ? nil : first
  }

  private static let namesOfProtocols: Set<String> = [
    "AnyObject", "CaseIterable", "Codable", "Comparable", "CustomDebugStringConvertible", "CustomReflectable",
    "CustomStringConvertible", "Decodable", "Encodable", "Equatable", "Hashable", "Identifiable", "Observable",
    "PersistentModel", "Sendable", "SendableMetatype", "TextOutputStreamable", "Transferable",
  ]
}
