import SwiftCompilerPlugin
import SwiftSyntaxMacros

/// The compiler plug-in: every macro it provides, in alphabetical order.
@main
struct Plugin: CompilerPlugin {
  let providingMacros: [any Macro.Type] = [
    AttributePropertyMacro.self,
    BackedPropertyMacro.self,
    BackedTransformablePropertyMacro.self,
    CompositeMacro.self,
    FetchedPropertyMacro.self,
    IndexMacro.self,
    ModelActorMacro.self,
    ModelPredicateMacro.self,
    PersistedPropertyMacro.self,
    PersistentModelMacro.self,
    QueryMacro.self,
    RelationshipPropertyMacro.self,
    TransientPropertyMacro.self,
    UniqueConstraintsMacro.self,
  ]
}
