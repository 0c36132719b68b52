import SwiftSyntax

// Macros see the name of an attribute, not what it is: a macro, a property wrapper, a global actor.

extension AttributeListSyntax {
  /// The first attribute of this name, with or without the module's name before it.
  func attribute(named name: String) -> AttributeSyntax? { attributes(named: name).first }

  /// The attributes of this name, with or without the module's name before it.
  func attributes(named name: String) -> [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.macroName == name }
  }

  /// Whether `@Attribute` makes the value one column of bytes, so that it may be of any type.
  var hasOpaqueOption: Bool {
    let arguments = attribute(named: "Attribute")?.arguments?.as(LabeledExprListSyntax.self)
    return arguments?.contains { $0.isOption(["transformable", "untyped", "objectIdentifier"]) } ?? false
  }

  /// The global actors among the attributes of a property, as far as their names tell.
  var globalActors: [AttributeSyntax] {
    compactMap { $0.as(AttributeSyntax.self) }.filter { $0.macroName?.hasSuffix("Actor") ?? false }
  }
}

extension AttributeListSyntax.Element {
  /// Whether the attribute may be a property wrapper: it is no macro of this module, no actor and none of Swift's own.
  var mayBeWrapper: Bool { self.as(AttributeSyntax.self)?.isForeign ?? false }
}

extension AttributeSyntax {
  /// `X` of `@X`, `@X(…)` and `@Module.X`.
  var macroName: String? {
    attributeName.as(IdentifierTypeSyntax.self)?.name.text ?? attributeName.as(MemberTypeSyntax.self)?.name.text
  }

  /// Whether the attribute is neither Swift's own nor a macro that is known to stand in models.
  var isForeign: Bool {
    guard let macroName, let first = macroName.first, first.isUppercase else { return false }
    return !Self.namesOfMacros.contains(macroName) && !macroName.hasSuffix("Actor")
  }

  /// Whether the attribute is a well-known property wrapper, or a macro that makes accessors. Others are left to the compiler,
  /// since they may be macros that only read the property.
  var isKnownWrapper: Bool { macroName.map(Self.namesOfWrappers.contains) ?? false }

  private static let namesOfMacros: Set<String> = [
    "Attribute", "FetchedProperty", "Model", "ObservationIgnored", "ObservationTracked", "Relationship", "Sendable",
    "Transient",
  ]

  /// Property wrappers of Combine and SwiftUI, and macros of Observation, that stand in model classes by mistake or habit.
  private static let namesOfWrappers: Set<String> = [
    "AccessibilityFocusState", "AppStorage", "Bindable", "Binding", "Environment", "EnvironmentObject", "FetchRequest",
    "FocusState", "GestureState", "ObservationIgnored", "ObservationTracked", "ObservedObject", "Published", "Query",
    "SceneStorage", "ScaledMetric", "State",
    "StateObject",
  ]
}

extension LabeledExprSyntax {
  /// Whether the argument has no label and is one of these options: `.x`, `.x(…)`, `T.x`, `T.x(…)`.
  func isOption(_ names: [String]) -> Bool {
    label == nil && expression.memberName.map(names.contains) ?? false
  }
}
