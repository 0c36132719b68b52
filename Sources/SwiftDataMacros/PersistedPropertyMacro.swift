import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty(index:)`: the storage beside a persisted property, and its accessors.
enum PersistedPropertyMacro {
  /// Expansions are written as they should stand; laying them out anew would be a third of the time a model takes to check.
  static var formatMode: FormatMode { .disabled }

  /// The property an expansion is for; `nil` where `@Model` reports what is wrong with it.
  private static func property(_ declaration: some DeclSyntaxProtocol) -> ModelProperty? {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first, binding.accessorBlock == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else { return nil }
    return ModelProperty(
      spelling: pattern.identifier.text, name: pattern.identifier.unquoted,
      type: binding.typeAnnotation?.type.trimmed, initialValue: binding.initializer?.value.trimmed,
      annotation: nil, conditions: [], index: 0)
  }

  private static func argument(_ label: String, of node: AttributeSyntax) -> String? {
    node.arguments?.as(LabeledExprListSyntax.self)?.first { $0.label?.text == label }?.expression.trimmedDescription
  }
}

extension PersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let property = property(declaration) else { return [] }
    let isLazy = argument("lazyDefault", of: node) == "true"
    let storage: String
    switch (property.type, property.initialValue) {
    case (let type?, let value?) where isLazy: storage = "for: \(type.declared).self, initially: \(value)"
    case (let type?, _): storage = "for: \(type.declared).self"
    case (nil, let value?): storage = isLazy ? "initially: \(value)" : "like: \(value)"
    case (nil, nil):
      context.diagnose(ModelProblem.missingType(property.name).at(declaration))
      return []
    }
    let isolation = argument("nonisolated", of: node) == "true" ? "nonisolated(unsafe) " : ""
    return [
      """
      @exclusivity(unchecked) private \(raw: isolation)var \(raw: property.storageName) = SwiftData._storage(\(raw: storage))
      """
    ]
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let property = property(declaration),
      let className = context.lexicalContext.first?.asProtocol((any NamedDeclSyntax).self)?.name.text
    else { return [] }
    let storage = property.storageName
    let index = argument("index", of: node) ?? "0"
    let keyPath = "\\\(className).\(property.spelling)"
    let initializer: AccessorDeclSyntax = """
      @storageRestrictions(initializes: \(raw: storage))
      init(initialValue) {
        \(raw: storage) = .init(initialValue)
      }
      """
    let getter: AccessorDeclSyntax = """
      get {
        if SwiftData._isTrackingReads() {
          access(keyPath: \(raw: keyPath))
        }
        if \(raw: storage)._isPending {
          \(raw: storage) = \(raw: storage)._resolved(for: self, at: \(raw: index))
        }
        return \(raw: storage)._value(for: self, at: \(raw: index))
      }
      """
    let setter: AccessorDeclSyntax = """
      set {
        let previous = \(raw: storage)._prepared(for: self, at: \(raw: index))
        if _$state._isObserved {
          withMutation(keyPath: \(raw: keyPath)) {
            \(raw: storage)._assign(newValue)
          }
        } else {
          \(raw: storage)._assign(newValue)
        }
        previous._didChange(of: self, at: \(raw: index))
      }
      """
    return (argument("lazyDefault", of: node) == "true" ? [] : [initializer]) + [getter, setter]
  }
}

extension TypeSyntax {
  /// The type as it may stand before `.self`; an implicitly unwrapped optional is an optional.
  var declared: String {
    if let type = self.as(ImplicitlyUnwrappedOptionalTypeSyntax.self) { return "(\(type.wrappedType.trimmed)?)" }
    if self.is(SomeOrAnyTypeSyntax.self) || self.is(FunctionTypeSyntax.self) { return "(\(trimmed))" }
    return trimmedDescription
  }
}
