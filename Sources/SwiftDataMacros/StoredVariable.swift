import SwiftDiagnostics
import SwiftSyntax

/// What a `var` or `let` in a model class is, and what is wrong with it.
struct StoredVariable {
  /// Whether it takes memory in every object.
  let isStored: Bool
  let isConstant: Bool
  let isTransient: Bool
  let problems: [Diagnostic]

  var isPersisted: Bool { isStored && !isConstant && !isTransient }

  init(_ variable: VariableDeclSyntax) {
    let modifiers = Set(variable.modifiers.map(\.name.tokenKind))
    isConstant = variable.bindingSpecifier.tokenKind == .keyword(.let)
    isTransient = variable.attributes.attribute(named: "Transient") != nil
    isStored =
      !modifiers.contains(.keyword(.static)) && !modifiers.contains(.keyword(.class))
      && !variable.bindings.contains { $0.accessorBlock?.isComputed ?? false }
      // Already expanded by hand or by another role: the storage stands elsewhere.
      && variable.attributes.attribute(named: "_PersistedProperty") == nil
      // Computed by its own macro.
      && variable.attributes.attribute(named: "FetchedProperty") == nil
    guard isStored else {
      problems = []
      return
    }
    problems = isTransient ? Self.problemsOfTransient(variable) : Self.problemsOfPersisted(variable, modifiers)
  }

  private static func problemsOfTransient(_ variable: VariableDeclSyntax) -> [Diagnostic] {
    let lacksValue = variable.bindings.contains { binding in
      binding.initializer == nil && !(binding.typeAnnotation?.type.isOptional ?? false)
    }
    return lacksValue ? [ModelProblem.transientWithoutValue.at(variable)] : []
  }

  private static func problemsOfPersisted(
    _ variable: VariableDeclSyntax, _ modifiers: Set<TokenKind>
  ) -> [Diagnostic] {
    var problems: [Diagnostic] = []
    if variable.bindingSpecifier.tokenKind == .keyword(.let) {
      problems.append(ModelProblem.constant.at(variable.bindingSpecifier))
    }
    if modifiers.contains(.keyword(.lazy)) { problems.append(ModelProblem.lazy.at(variable)) }
    if modifiers.contains(.keyword(.weak)) || modifiers.contains(.keyword(.unowned)) {
      problems.append(ModelProblem.reference.at(variable))
    }
    if variable.bindings.count > 1 { problems.append(ModelProblem.severalBindings.at(variable)) }
    for binding in variable.bindings {
      if binding.accessorBlock != nil { problems.append(ModelProblem.observers.at(binding)) }
      guard let pattern = binding.pattern.as(IdentifierPatternSyntax.self) else {
        problems.append(ModelProblem.tuple.at(binding))
        continue
      }
      if ["description", "hash"].contains(pattern.identifier.unquoted) {
        problems.append(ModelProblem.reservedName(pattern.identifier.unquoted).at(pattern))
      }
      if variable.attributes.attribute(named: "Relationship") != nil,
        let type = binding.typeAnnotation?.type.unwrappedOptional.as(IdentifierTypeSyntax.self), type.name.text == "Set"
      {
        problems.append(ModelProblem.setRelationship.at(type))
      }
    }
    if variable.attributes.attribute(named: "Relationship") != nil,
      let attribute = variable.attributes.attribute(named: "Attribute")
    {
      problems.append(ModelProblem.bothAnnotations.at(attribute))
    }
    return problems
  }
}

extension AccessorBlockSyntax {
  /// Whether the block computes a value, rather than observing a stored one.
  var isComputed: Bool {
    switch accessors {
    case .getter: true
    case .accessors(let list):
      !list.allSatisfy { [.keyword(.willSet), .keyword(.didSet)].contains($0.accessorSpecifier.tokenKind) }
    }
  }
}

extension TypeSyntax {
  /// Whether the type is spelled as an optional.
  var isOptional: Bool {
    self.is(OptionalTypeSyntax.self) || self.is(ImplicitlyUnwrappedOptionalTypeSyntax.self)
      || self.as(IdentifierTypeSyntax.self)?.name.text == "Optional"
  }

  /// `T` of `T?`, otherwise the type itself.
  var unwrappedOptional: TypeSyntax { self.as(OptionalTypeSyntax.self)?.wrappedType ?? self }
}
