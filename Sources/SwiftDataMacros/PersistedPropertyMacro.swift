import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@_PersistedProperty(index:)`: the storage beside a persisted property, and its accessors.
enum PersistedPropertyMacro {
  /// Expansions are written in their final layout: formatting them would take a third of a model's type-checking time.
  static var formatMode: FormatMode { .disabled }

  /// What an expansion needs to know; `nil` where `@Model` reports a problem of the property.
  private struct Property {
    let binding: PatternBindingSyntax
    let pattern: IdentifierPatternSyntax
    let storage: String
    let index: String
    let isLazy: Bool
    let isConstant: Bool

    init?(_ declaration: some DeclSyntaxProtocol, _ node: AttributeSyntax) {
      guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
        let binding = variable.bindings.first, !(binding.accessorBlock?.isComputed ?? false),
        let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
      else { return nil }
      let arguments = node.arguments?.as(LabeledExprListSyntax.self)
      func argument(_ label: String) -> ExprSyntax? { arguments?.first { $0.label?.text == label }?.expression }
      self.binding = binding
      self.pattern = pattern
      index = argument("index")?.trimmedDescription ?? "0"
      isLazy = argument("lazyDefault")?.trimmedDescription == "true"
      isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
      storage =
        argument("storage")?.as(StringLiteralExprSyntax.self)?.segments.trimmedDescription
        ?? ModelProperty.usualStorageName(of: pattern.identifier.unquoted)
    }

    /// The type of a to-many relationship, as far as the spelling tells; `nil` for other types.
    var typeOfRelationshipToMany: String? {
      if let type = binding.typeAnnotation?.type {
        return type.isSpelledRelationshipToMany ? type.trimmed.declared : nil
      }
      // `[Book]()`
      guard let call = binding.initializer?.value.as(FunctionCallExprSyntax.self),
        let array = call.calledExpression.as(ArrayExprSyntax.self)
      else { return nil }
      let type = TypeSyntax("\(array.trimmed)")
      return type.isSpelledRelationshipToMany ? type.trimmedDescription : nil
    }
  }
}

extension PersistedPropertyMacro: PeerMacro {
  static func expansion(
    of node: AttributeSyntax, providingPeersOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [DeclSyntax] {
    guard let property = Property(declaration, node) else { return [] }
    let type = property.binding.typeAnnotation?.type.trimmed.declared
    let value = property.binding.initializer?.value.trimmed
    let arguments: String
    switch (type, value) {
    case (let type?, let value?) where property.isLazy: arguments = "for: \(type).self, initially: \(value)"
    case (let type?, _): arguments = "for: \(type).self"
    case (nil, let value?): arguments = property.isLazy ? "initially: \(value)" : "like: \(value)"
    case (nil, nil):
      context.diagnose(ModelProblem.missingType(property.pattern.identifier.unquoted).at(declaration))
      return []
    }
    // The framework fills objects outside of the actor that may isolate the class.
    return [
      DeclSyntax(
        source: """
          @exclusivity(unchecked) private nonisolated(unsafe) var \(property.storage) = SwiftData._storage(\(arguments))
          """)
    ]
  }
}

extension PersistedPropertyMacro: AccessorMacro {
  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let property = Property(declaration, node),
      let className = context.lexicalContext.first?.asProtocol((any NamedDeclSyntax).self)?.name.text
    else { return [] }
    let storage = property.storage
    let index = property.index
    let keyPath = "\\\(className).\(property.pattern.identifier.text)"
    let initializer = """
      @storageRestrictions(initializes: \(storage))
      init(initialValue) {
        \(storage) = .init(initialValue)
      }
      """
    let loading = """
      if SwiftData._isTrackingReads() {
          access(keyPath: \(keyPath))
        }
        if \(storage)._isPending {
          \(storage) = \(storage)._resolved(for: self, at: \(index))
        }
      """
    let getter = """
      get {
        \(loading)
        return \(storage)._value(for: self, at: \(index))
      }
      """
    // Observers are told of a change before the context is: they may save or roll back.
    func assigning(_ assignment: String) -> String {
      """
      if _$state._isObserved {
          let previous = withMutation(keyPath: \(keyPath)) {
            let previous = \(storage)._prepared(for: self, at: \(index))
            \(storage).\(assignment)
            return previous
          }
          previous._didChange(of: self, at: \(index))
        } else {
          let previous = \(storage)._prepared(for: self, at: \(index))
          \(storage).\(assignment)
          previous._didChange(of: self, at: \(index))
        }
      """
    }
    let setter = """
      set {
        \(assigning("_assign(newValue)"))
      }
      """
    let accessors = (property.isLazy ? [] : [initializer]) + [getter, setter]
    guard let type = property.typeOfRelationshipToMany, !property.isConstant else {
      return accessors.map { AccessorDeclSyntax(source: $0) }
    }
    // `books.append(book)` changes the array itself instead of a copy.
    let modifier = """
      _modify {
        \(loading)
        var change = SwiftData._InPlaceChange<\(type)>(\(storage)._value(for: self, at: \(index)))
        \(storage)._begin(&change)
        defer {
        \(assigning("_finish(&change)"))
        }
        yield &change.value
      }
      """
    return (accessors + [modifier]).map { AccessorDeclSyntax(source: $0) }
  }
}
