import ManagedModel
import SQLite
import StoreRequests

/// A derived attribute that depends on the object's own row only. Each write of the row computes it (CD-8).
///
/// It is `now()`, the time of the save; another attribute of the object; or `canonical:`, `uppercase:` or `lowercase:`
/// of one. See ``Derivation`` for attributes that depend on relationships. Values of other expressions are never
/// written.
enum ComputedColumn {
  case now
  /// The value of an attribute, or of an element of a composite.
  case copy(of: Identifier)
  /// A function of a text.
  case function(StringFunction, of: Identifier)

  init?(_ attribute: AttributeLayout, of entity: EntityLayout) {
    guard let derivation = attribute.description.derivation, derivation.filteringPredicate == nil else { return nil }
    if derivation.expressionFormat == "now()" {
      guard attribute.description.type == .date else { return nil }
      self = .now
      return
    }
    guard let expression = DerivationExpression(derivation.expression),
      case .value(let function) = expression.operation,
      let source = entity.attributeColumn(expression.path), source.name != attribute.column?.name
    else { return nil }
    guard let function else {
      self = .copy(of: source.name)
      return
    }
    guard attribute.description.type == .string, source.attribute.type == .string else { return nil }
    self = .function(function, of: source.name)
  }

  /// The value in SQL; `nil` if no column that it depends on is written. `written` returns the new value of a column.
  func sql(written: (Identifier) -> String?) -> String? {
    switch self {
    // Converts Julian days to seconds since 2001-01-01T00:00:00Z (CD-5).
    case .now: "(julianday('now') - 2451910.5) * 86400.0"
    case .copy(let source): written(source)
    case .function(let function, let source): written(source).map { "\(SQLText.name(of: function))(\($0))" }
    }
  }
}
