internal import Foundation

/// An operator of predicates that can say what it means to the store.
///
/// Every operator conforms, whatever its operands are: whether they conform is found out on the way, so that an error can name
/// the one that does not.
protocol StoreExpressible {
  /// What the expression means to the store.
  ///
  /// - Throws: ``UnsupportedExpression`` if it has no meaning there.
  func term(in translation: inout PredicateTranslation) throws -> StoreTerm

  /// The expression as it may have been written, captured values left out.
  var sketch: String { get }
}

/// Why a part of a predicate cannot be put to the store.
struct UnsupportedExpression: Error {
  /// The part, as it may have been written.
  let sketch: String
  let reason: String

  /// A sentence for a predicate about an entity.
  func explanation(entityName: String) -> String {
    "the predicate on \(entityName) has a part that the store cannot evaluate: \(sketch) — \(reason)"
  }
}

/// The text of an expression as it may have been written, for messages; captured values stay out of it.
func sketch(_ expression: any PredicateExpression) -> String {
  (expression as? any StoreExpressible)?.sketch ?? "an expression of type \(type(of: expression))"
}

/// The last step of a key path as it may have been written.
func sketch(_ keyPath: AnyKeyPath) -> String {
  if let model = type(of: keyPath).rootType as? any PersistentModel.Type,
    let property = ModelClass.of(model).byKeyPathProperty(keyPath)
  {
    return property.name
  }
  let text = "\(keyPath)"
  let root = "\\\(type(of: keyPath).rootType)."
  let tail = text.hasPrefix(root) ? String(text.dropFirst(root.count)) : text
  return tail.contains("<computed")
    ? "(a property of type \(type(of: keyPath).valueType))" : tail
}
