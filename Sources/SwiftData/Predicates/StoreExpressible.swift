internal import Foundation
internal import FoundationAdditions

/// A predicate operator that can translate itself for the store.
///
/// Every operator conforms, whatever its operands are. An operand that does not conform is found during the
/// translation, so that the error can name it.
protocol StoreExpressible: SketchedExpression {
  /// The store's term for the expression.
  ///
  /// - Throws: ``UnsupportedExpression`` if the store has none.
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm
}

/// The reason why the store cannot evaluate a part of a predicate.
struct UnsupportedExpression: Error {
  /// The part as source code.
  let sketch: String
  let reason: String

  /// A sentence for a part of a descriptor of an entity.
  func explanation(_ part: DescriptorPart, entityName: String) -> String {
    "\(part.rawValue) \(entityName) has a part that the store cannot evaluate: \(sketch) — \(reason)"
  }
}

/// What a descriptor says of the objects of an entity, for messages.
enum DescriptorPart: String {
  case predicate = "the predicate on"
  case order = "the sort order of"
  case propertiesToFetch = "propertiesToFetch of"
  case prefetching = "relationshipKeyPathsForPrefetching of"
}

/// An expression as source code, for messages. It shows no captured values.
func sketch(_ expression: any PredicateExpression) -> String {
  ExpressionSketch.of(expression)
}

/// A sort descriptor in words: its property and its direction.
func sketch<Compared>(_ term: SortDescriptor<Compared>) -> String {
  let property = term.keyPath.map { sketch(SortKeyPaths.origin(of: $0)) } ?? "a comparison"
  return "\(property) \(term.order == .forward ? "ascending" : "descending")"
}
