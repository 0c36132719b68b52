import SwiftSyntax
import SwiftSyntaxBuilder
import SwiftSyntaxMacros

/// `@FetchedProperty`: a getter that fetches; what is fetched stands in the class's metadata, which `@Model` writes.
enum FetchedPropertyMacro: AccessorMacro {
  /// Expansions are written in their final layout: formatting them would take a third of a model's type-checking time.
  static var formatMode: FormatMode { .disabled }

  static func expansion(
    of node: AttributeSyntax, providingAccessorsOf declaration: some DeclSyntaxProtocol,
    in context: some MacroExpansionContext
  ) -> [AccessorDeclSyntax] {
    guard let variable = declaration.as(VariableDeclSyntax.self), variable.bindings.count == 1,
      let binding = variable.bindings.first, binding.typeAnnotation != nil, binding.initializer == nil,
      let pattern = binding.pattern.as(IdentifierPatternSyntax.self)
    else {
      context.diagnose(ModelProblem.fetchedWithoutType.at(declaration))
      return []
    }
    return ["get { SwiftData._fetchedObjects(of: self, named: \(literal: pattern.identifier.unquoted)) }"]
  }
}
