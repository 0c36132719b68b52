public import Foundation

/// Makes a predicate of a model's objects, as Foundation's `#Predicate` does. It may evaluate other predicates and expressions.
///
///     let short = #Predicate<Book> { $0.pages < 100 }
///     let found = #Predicate<Book> { short.evaluate($0) && $0.year > 1900 }
///
/// On Linux, Foundation's own macro refuses calls of `evaluate(_:)`, such as `short.evaluate($0)`. Apple: `Predicate(_:)` of Foundation.
@freestanding(expression)
public macro Predicate<Model: PersistentModel>(_ body: (Model) -> Bool) -> Foundation.Predicate<Model> =
  #externalMacro(module: "SwiftDataMacros", type: "ModelPredicateMacro")

/// Foundation's `#Predicate` under a name that the macro `Predicate(_:)` of this module can write.
@freestanding(expression)
public macro _FoundationPredicate<each Input>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "FoundationMacros", type: "PredicateMacro")
