public import Foundation

/// Makes a predicate of a model's objects, as Foundation's `#Predicate` does, that may evaluate other predicates and expressions.
///
///     let short = #Predicate<Book> { $0.pages < 100 }
///     let found = #Predicate<Book> { short.evaluate($0) && $0.year > 1900 }
///
/// Foundation's macro refuses `evaluate(_:)` on Linux. Apple: `Predicate(_:)` of Foundation.
@freestanding(expression)
public macro Predicate<Model: PersistentModel>(_ body: (Model) -> Bool) -> Foundation.Predicate<Model> =
  #externalMacro(module: "SwiftDataMacros", type: "ModelPredicateMacro")

/// Foundation's `#Predicate` under a name that the macro `Predicate(_:)` of this module can write.
@freestanding(expression)
public macro _FoundationPredicate<each Input>(
  _ body: (repeat each Input) -> Bool
) -> Foundation.Predicate<repeat each Input> =
  #externalMacro(module: "FoundationMacros", type: "PredicateMacro")
